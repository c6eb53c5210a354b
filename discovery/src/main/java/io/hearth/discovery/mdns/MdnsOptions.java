package io.hearth.discovery.mdns;

import io.hearth.discovery.Medium;
import java.util.Optional;
import java.util.function.Function;

/**
 * Options of a node's announcement on the LAN.
 *
 * @param port TCP port that it listens on
 * @param policy which interfaces to use
 * @param mediumOf medium of the interface of a name; it orders the addresses of a peer
 * @param nameplate two digits while this node offers to pair
 * @param announces whether the node announces itself; otherwise it only searches
 */
public record MdnsOptions(
        int port,
        InterfacePolicy policy,
        Function<String, Medium> mediumOf,
        Optional<String> nameplate,
        boolean announces) {
    public MdnsOptions {
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port must be 1 to 65535, got " + port);
        }
    }

    /** Options of a node that announces itself. */
    public MdnsOptions(
            int port, InterfacePolicy policy, Function<String, Medium> mediumOf, Optional<String> nameplate) {
        this(port, policy, mediumOf, nameplate, true);
    }

    /** Options for all usable interfaces, with unknown media. */
    public static MdnsOptions ofPort(int port) {
        return new MdnsOptions(port, InterfacePolicy.DEFAULT, _ -> Medium.OTHER, Optional.empty());
    }

    /** These options with another policy of interfaces. */
    public MdnsOptions on(InterfacePolicy other) {
        return new MdnsOptions(port, other, mediumOf, nameplate, announces);
    }

    /** These options with a nameplate, for a node that offers to pair. */
    public MdnsOptions nameplate(String digits) {
        return new MdnsOptions(port, policy, mediumOf, Optional.of(digits), announces);
    }

    /** These options for a node that only searches: it sends queries and announces no record. */
    public MdnsOptions silent() {
        return new MdnsOptions(port, policy, mediumOf, nameplate, false);
    }
}
