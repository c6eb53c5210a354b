package io.hearth.coordinator.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.serve.grpc.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** A certificate authority that the JDK's keytool makes. */
final class TestAuthority {
    private static final char[] PASSWORD = "changeit".toCharArray();

    private final Path folder;
    private final Path store;
    private final Path certificate;

    TestAuthority(Path folder) throws Exception {
        this.folder = Files.createDirectories(folder);
        this.store = folder.resolve("store.p12");
        keytool("ca", List.of("-ext", "bc:c", "-dname", "CN=Test authority"));
        this.certificate =
                write("ca.pem", "CERTIFICATE", certificates("ca").getFirst().getEncoded());
    }

    /**
     * Files of a machine on loopback, signed by this authority, which trust it.
     *
     * @param options of keytool, in place of the usual ones
     */
    TlsFiles files(String name, String... options) throws Exception {
        var all = new ArrayList<>(
                List.of("-signer", "ca", "-dname", "CN=" + name, "-ext", "san=ip:127.0.0.1,dns:localhost"));
        all.addAll(List.of(options));
        keytool(name, all);
        return new TlsFiles(
                write(
                        name + ".pem",
                        "CERTIFICATE",
                        certificates(name).getFirst().getEncoded()),
                write(name + ".key", "PRIVATE KEY", key(name).getEncoded()),
                Optional.of(certificate));
    }

    private void keytool(String alias, List<String> options) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD),
                "-alias",
                alias));
        command.addAll(options);
        if (!options.contains("-keyalg")) {
            command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1"));
        }
        if (!options.contains("-validity")) {
            command.addAll(List.of("-validity", "2"));
        }
        Process tool = new ProcessBuilder(command).inheritIO().start();
        assertEquals(0, tool.waitFor());
    }

    private KeyStore loaded() throws IOException, GeneralSecurityException {
        var loaded = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            loaded.load(in, PASSWORD);
        }
        return loaded;
    }

    private List<Certificate> certificates(String alias) throws IOException, GeneralSecurityException {
        return List.of(loaded().getCertificate(alias));
    }

    private Key key(String alias) throws IOException, GeneralSecurityException {
        return loaded().getKey(alias, PASSWORD);
    }

    private Path write(String name, String what, byte[] der) throws IOException {
        return Files.writeString(
                folder.resolve(name),
                "-----BEGIN " + what + "-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + what
                        + "-----\n");
    }
}
