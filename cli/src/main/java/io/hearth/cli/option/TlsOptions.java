package io.hearth.cli.option;

import io.hearth.serve.grpc.TlsFiles;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Files for TLS between services and their clients. */
public final class TlsOptions {
    @Option(
            names = "--tls-certificate",
            paramLabel = "FILE",
            description =
                    "Use TLS, with this certificate of this machine and those that lead to its authority, in PEM.")
    private Optional<Path> certificate = Optional.empty();

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "Private key of --tls-certificate, in PEM (PKCS #8 without a password).")
    private Optional<Path> key = Optional.empty();

    @Option(
            names = "--tls-authority",
            paramLabel = "FILE",
            description =
                    "Certificates of authorities, in PEM: trust only what they signed. A service answers only clients that have"
                            + " such a certificate (default: a service answers everybody, a client trusts what Java trusts).")
    private Optional<Path> authority = Optional.empty();

    /** Whether a person gave any of these options. */
    public boolean isGiven() {
        return certificate.isPresent() || key.isPresent() || authority.isPresent();
    }

    /**
     * The files; empty without TLS.
     *
     * @throws IllegalArgumentException if the certificate or its key is given without the other
     */
    public Optional<TlsFiles> files() {
        if (certificate.isPresent() != key.isPresent()) {
            throw new IllegalArgumentException("--tls-certificate FILE and --tls-key FILE belong together");
        }
        if (certificate.isEmpty() && authority.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new TlsFiles(
                certificate.flatMap(file -> key.map(its -> new TlsFiles.Own(file, its))), authority));
    }
}
