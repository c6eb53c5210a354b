package io.hearth.cli.serve;

import io.hearth.cli.option.TlsOptions;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.TlsFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where the ports of services listen. */
final class ListenOptions {
    @Option(
            names = "--serve-on",
            paramLabel = "ADDRESS",
            description =
                    "IP address of this machine on which services listen, in place of 127.0.0.1; one that is not of loopback"
                            + " needs --tls-certificate. Programs of this machine use that address, too (default: 127.0.0.1).")
    private Optional<String> address = Optional.empty();

    @Mixin
    private TlsOptions tls = new TlsOptions();

    /** Whether a person gave any of these options. */
    boolean isGiven() {
        return address.isPresent() || tls.isGiven();
    }

    /**
     * The place of a port.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    PortPlace place(int port) {
        Optional<TlsFiles> files = tls.files();
        if (files.isPresent() && files.get().own().isEmpty()) {
            throw new IllegalArgumentException("a service with TLS needs --tls-certificate FILE and --tls-key FILE");
        }
        return new PortPlace(new InetSocketAddress(address(), port), files);
    }

    private InetAddress address() {
        try {
            return address.map(InetAddress::ofLiteral).orElseGet(InetAddress::getLoopbackAddress);
        } catch (IllegalArgumentException name) {
            throw new IllegalArgumentException(
                    "--serve-on takes an IP address of this machine, got '" + address.orElse("") + "'", name);
        }
    }
}
