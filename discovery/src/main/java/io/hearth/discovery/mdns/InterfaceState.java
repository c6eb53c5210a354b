package io.hearth.discovery.mdns;

import io.hearth.core.Bytes;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A network interface at one instant: the properties whose change makes a multicast socket on it useless.
 *
 * @param name as the system calls it, {@code eth0}, {@code en0}
 * @param addresses IP literals without scope
 * @param prefixes the networks that the addresses reach without a router
 */
public record InterfaceState(
        String name,
        int index,
        boolean up,
        boolean multicast,
        boolean loopback,
        boolean pointToPoint,
        SortedSet<String> addresses,
        SortedSet<LinkPrefix> prefixes) {
    private static final int UNUSABLE = 4;
    private static final LinkPrefix IPV6_LINK_LOCAL =
            new LinkPrefix(Bytes.of(HexFormat.of().parseHex("fe80" + "00".repeat(14))), 10);

    public InterfaceState {
        addresses = Collections.unmodifiableSortedSet(new TreeSet<>(addresses));
        prefixes = Collections.unmodifiableSortedSet(new TreeSet<>(prefixes));
    }

    /** Whether an address of 4 or 16 bytes is reached without a router. All addresses on a point-to-point interface are. */
    boolean isOnLink(Bytes address) {
        return pointToPoint
                || IPV6_LINK_LOCAL.holds(address)
                || prefixes.stream().anyMatch(prefix -> prefix.holds(address));
    }

    /**
     * The source address for mDNS: IPv4 before IPv6, because a home's peers share a network by IPv4 and one socket per interface is enough;
     * link-local IPv6 where there is no IPv4 (a bare cable between two machines).
     */
    public Optional<String> mdnsAddress() {
        return addresses.stream()
                .filter(address -> preference(address) < UNUSABLE)
                .min(Comparator.comparingInt(InterfaceState::preference).thenComparing(Comparator.naturalOrder()));
    }

    private static int preference(String address) {
        if (address.indexOf(':') < 0) {
            return address.startsWith("169.254.") ? 1 : 0;
        }
        if (address.startsWith("fe80:")) {
            return 2;
        }
        return address.equals("::1") || address.equals("0:0:0:0:0:0:0:1") ? UNUSABLE : 3;
    }
}
