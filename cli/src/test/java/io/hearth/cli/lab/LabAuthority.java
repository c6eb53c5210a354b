package io.hearth.cli.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A certificate authority that the JDK's keytool makes, and a certificate for loopback and all hosts of a lab. */
public final class LabAuthority {
    private static final String PASSWORD = "changeit";

    private LabAuthority() {}

    /** Writes {@code ca.pem}, {@code worker.pem} and {@code worker.key}. */
    public static void make(Path folder, int hosts) throws Exception {
        Path store = Files.createDirectories(folder).resolve("store.p12");
        keytool(store, "ca", "-ext", "bc:c", "-dname", "CN=Lab authority");
        String names =
                IntStream.rangeClosed(1, hosts).mapToObj(i -> "ip:10.77.0." + i).collect(Collectors.joining(","));
        keytool(store, "worker", "-signer", "ca", "-dname", "CN=worker", "-ext", "san=ip:127.0.0.1," + names);
        var loaded = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            loaded.load(in, PASSWORD.toCharArray());
        }
        write(
                folder.resolve("ca.pem"),
                "CERTIFICATE",
                loaded.getCertificate("ca").getEncoded());
        write(
                folder.resolve("worker.pem"),
                "CERTIFICATE",
                loaded.getCertificate("worker").getEncoded());
        write(
                folder.resolve("worker.key"),
                "PRIVATE KEY",
                loaded.getKey("worker", PASSWORD.toCharArray()).getEncoded());
    }

    private static void keytool(Path store, String alias, String... options) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "2",
                "-alias",
                alias));
        command.addAll(List.of(options));
        assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor());
    }

    private static void write(Path file, String what, byte[] der) throws IOException {
        Files.writeString(
                file,
                "-----BEGIN " + what + "-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + what
                        + "-----\n");
    }
}
