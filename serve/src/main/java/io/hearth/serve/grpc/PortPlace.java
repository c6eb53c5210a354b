package io.hearth.serve.grpc;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * The address of a port, and the files of its TLS. A port without TLS takes calls of this machine only ({@link #checkEncrypted}).
 *
 * @param address of this machine; port 0 for any
 * @param tls its files; empty for a port without encryption
 */
public record PortPlace(InetSocketAddress address, Optional<TlsFiles> tls) {
    /** A port for programs of this machine. */
    public static PortPlace loopback(int port) {
        return new PortPlace(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), Optional.empty());
    }

    /**
     * Checks that other machines reach it with TLS only.
     *
     * @param who listens, for people
     * @throws SetupException for an address that is not of loopback, and no TLS
     */
    public void checkEncrypted(String who) throws SetupException {
        InetAddress at = address.getAddress();
        if (tls.isEmpty() && (at == null || !at.isLoopbackAddress())) {
            throw new SetupException(who + " does not listen on " + address.getHostString()
                    + " without TLS, because any program that reaches the port could read and change what is said there: give it a"
                    + " certificate, a key and an authority, or let it listen on 127.0.0.1");
        }
    }

    /** Why a port cannot listen here, and what to do; without how to choose another port. */
    public String refusal(String who, IOException failed) {
        Throwable why = failed.getCause() == null ? failed : failed.getCause();
        return who + " cannot listen on " + address.getHostString() + ":" + address.getPort() + " (" + why.getMessage()
                + "): choose an address that this machine has, and a port that is free";
    }

    /** The URL of a port that listens here; if it listens on all addresses, the one on this machine. */
    public String url(int port) {
        InetAddress at = address.getAddress();
        boolean isAny = at != null && at.isAnyLocalAddress();
        String host =
                at == null ? address.getHostString() : (isAny ? InetAddress.getLoopbackAddress() : at).getHostAddress();
        return (tls.isPresent() ? "https://" : "http://") + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
