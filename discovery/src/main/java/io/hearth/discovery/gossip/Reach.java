package io.hearth.discovery.gossip;

import io.hearth.discovery.PeerAddress;
import java.util.Optional;

/** The set of nodes for which an address means the same node. */
sealed interface Reach {
    /** All nodes that have a route. */
    record Everywhere() implements Reach {}

    /** The nodes on the link of that interface of this machine (link-local IPv6, RFC 4007); another machine has another scope. */
    record Link(String interfaceName) implements Reach {}

    /** The nodes of this machine. */
    record Loopback() implements Reach {}

    static Reach of(PeerAddress address) {
        String host = address.host();
        int scope = host.indexOf('%');
        if (isLinkLocal(host)) {
            return new Link(scope < 0 ? "" : host.substring(scope + 1));
        }
        return host.startsWith("127.") || host.equals("::1") || host.equals("0:0:0:0:0:0:0:1")
                ? new Loopback()
                : new Everywhere();
    }

    /** Whether a node that is reached at {@code listener} can use {@code address}. */
    static boolean isOfUse(PeerAddress address, PeerAddress listener) {
        Reach reach = of(address);
        return reach instanceof Everywhere || reach.equals(of(listener));
    }

    /** The address on this machine for an address that the node at {@code sender} reported; empty if this machine cannot use it. */
    static Optional<PeerAddress> heard(PeerAddress address, PeerAddress sender) {
        return switch (of(address)) {
            case Everywhere() -> Optional.of(address);
            case Loopback() -> of(sender) instanceof Loopback ? Optional.of(address) : Optional.empty();
            case Link _ ->
                of(sender) instanceof Link(String here) && !here.isEmpty()
                        ? Optional.of(new PeerAddress(address.host() + "%" + here, address.port()))
                        : Optional.empty();
        };
    }

    private static boolean isLinkLocal(String host) {
        return host.length() > 4
                && host.regionMatches(true, 0, "fe", 0, 2)
                && "89abAB".indexOf(host.charAt(2)) >= 0
                && host.indexOf(':') == 4;
    }
}
