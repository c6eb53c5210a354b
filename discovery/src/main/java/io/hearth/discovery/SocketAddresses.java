package io.hearth.discovery;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/** Converts between the JDK's addresses and {@link PeerAddress}, without ever asking a resolver. */
public final class SocketAddresses {
    private SocketAddresses() {}

    /**
     * The address to connect to.
     *
     * @throws IllegalArgumentException if the host is no literal, or its scope names no interface of this machine
     */
    public static InetSocketAddress of(PeerAddress address) {
        return new InetSocketAddress(InetAddress.ofLiteral(address.host()), address.port());
    }

    /** The literal of an address, with its scope if it has one. */
    public static PeerAddress peer(InetAddress address, int port) {
        return new PeerAddress(address.getHostAddress(), port);
    }

    /**
     * The address of a record that was heard on an interface; empty for a multicast or wildcard address, and for loopback unless it was
     * heard on loopback. Resolvers lose the scope of link-local addresses, so that interface becomes the scope.
     *
     * @param interfaceName where the record was heard
     */
    public static Optional<PeerAddress> heard(InetAddress address, int port, String interfaceName, boolean onLoopback) {
        if (port < 1
                || port > 65_535
                || address.isAnyLocalAddress()
                || address.isMulticastAddress()
                || address.isLoopbackAddress() != onLoopback) {
            return Optional.empty();
        }
        if (address instanceof Inet6Address && address.isLinkLocalAddress()) {
            String text = address.getHostAddress();
            int scope = text.indexOf('%');
            return Optional.of(
                    new PeerAddress((scope < 0 ? text : text.substring(0, scope)) + "%" + interfaceName, port));
        }
        return Optional.of(peer(address, port));
    }
}
