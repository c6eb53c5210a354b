package io.hearth.discovery;

import java.util.Collections;
import java.util.Comparator;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A network interface at one instant: everything whose change makes a multicast socket on it deaf or mute.
 *
 * @param name as the system calls it, {@code eth0}, {@code en0}
 * @param addresses IP literals without scope
 */
public record InterfaceState(
        String name,
        int index,
        boolean up,
        boolean multicast,
        boolean loopback,
        boolean pointToPoint,
        SortedSet<String> addresses) {

    public InterfaceState {
        addresses = Collections.unmodifiableSortedSet(new TreeSet<>(addresses));
    }

    /**
     * The one address to speak mDNS from: IPv4 before IPv6, because a home's peers share a network by IPv4 and one socket
     * per interface is enough; link-local IPv6 where there is no IPv4 (a bare cable between two machines).
     */
    public Optional<String> mdnsAddress() {
        return addresses.stream()
                .filter(address -> preference(address) < UNUSABLE)
                .min(Comparator.comparingInt(InterfaceState::preference).thenComparing(Comparator.naturalOrder()));
    }

    private static final int UNUSABLE = 4;

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
