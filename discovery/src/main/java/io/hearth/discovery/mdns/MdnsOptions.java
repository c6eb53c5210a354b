package io.hearth.discovery.mdns;

import io.hearth.discovery.Medium;
import java.util.Optional;
import java.util.function.Function;

/**
 * How a node shows itself on the LAN.
 *
 * @param port TCP port that it listens on
 * @param policy which interfaces to use
 * @param mediumOf what an interface of that name is; it orders the addresses of a peer
 * @param nameplate two digits while this node offers to pair
 * @param announces whether it shows itself at all; else it only looks
 */
public record MdnsOptions(
        int port,
        InterfacePolicy policy,
        Function<String, Medium> mediumOf,
        Optional<String> nameplate,
        boolean announces) {
    public MdnsOptions {
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("a port is 1 to 65535, got " + port);
        }
    }

    /** A node that shows itself. */
    public MdnsOptions(
            int port, InterfacePolicy policy, Function<String, Medium> mediumOf, Optional<String> nameplate) {
        this(port, policy, mediumOf, nameplate, true);
    }

    /** All usable interfaces, of which nothing is known. */
    public static MdnsOptions ofPort(int port) {
        return new MdnsOptions(port, InterfacePolicy.DEFAULT, _ -> Medium.OTHER, Optional.empty());
    }

    /** The same on other interfaces. */
    public MdnsOptions on(InterfacePolicy other) {
        return new MdnsOptions(port, other, mediumOf, nameplate, announces);
    }

    /** The same for a node that offers to pair. */
    public MdnsOptions nameplate(String digits) {
        return new MdnsOptions(port, policy, mediumOf, Optional.of(digits), announces);
    }

    /** The same for a node that only looks: it asks, and nobody sees a record of it. */
    public MdnsOptions silent() {
        return new MdnsOptions(port, policy, mediumOf, nameplate, false);
    }
}
