package io.hearth.discovery.gossip;

import io.hearth.discovery.PeerAddress;
import java.util.Optional;

/** For whom an address means the same node. */
sealed interface Reach {
    /** For everybody who has a route. */
    record Everywhere() implements Reach {}

    /** On the link of that interface of this machine (link-local IPv6, RFC 4007); elsewhere the scope is another one. */
    record Link(String interfaceName) implements Reach {}

    /** On this machine. */
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

    /** Whether it helps a node that is reached at {@code listener}. */
    static boolean isOfUse(PeerAddress address, PeerAddress listener) {
        Reach reach = of(address);
        return reach instanceof Everywhere || reach.equals(of(listener));
    }

    /** What a node that is reached at {@code teller} means by it here; empty if it can mean nothing here. */
    static Optional<PeerAddress> heard(PeerAddress address, PeerAddress teller) {
        return switch (of(address)) {
            case Everywhere() -> Optional.of(address);
            case Loopback() -> of(teller) instanceof Loopback ? Optional.of(address) : Optional.empty();
            case Link _ ->
                of(teller) instanceof Link(String here) && !here.isEmpty()
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
