package io.hearth.discovery.names;

import io.hearth.discovery.names.machine.ResolverSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/** The files in which a machine keeps its {@link ResolverSettings}. They change with the network, so each call reads them again. */
public final class ResolverFiles implements Supplier<ResolverSettings> {
    /** For tests: a file in place of {@code /etc/resolv.conf}. */
    public static final String SERVERS = "hearth.fault.resolvConf";

    private static final int BYTES_MAX = 64 * 1024;

    private final Path servers;
    private final Path podNamespace;

    ResolverFiles(Path servers, Path podNamespace) {
        this.servers = servers;
        this.podNamespace = podNamespace;
    }

    /** The files of this machine, or of the pod in which it runs. */
    public static ResolverFiles ofThisMachine() {
        return new ResolverFiles(
                Path.of(System.getProperty(SERVERS, "/etc/resolv.conf")),
                Path.of("/var/run/secrets/kubernetes.io/serviceaccount/namespace"));
    }

    @Override
    public ResolverSettings get() {
        return ResolverSettings.parse(text(servers), text(podNamespace));
    }

    /** The content of a file; empty without it. A machine without these files has the defaults of resolv.conf(5). */
    private static String text(Path file) {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(BYTES_MAX), StandardCharsets.UTF_8);
        } catch (IOException absent) {
            return "";
        }
    }
}
