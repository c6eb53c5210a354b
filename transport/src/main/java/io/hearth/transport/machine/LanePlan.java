package io.hearth.transport.machine;

import io.hearth.core.Bytes;
import io.hearth.transport.LocalPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Chooses the address pairs of the lanes besides the first one, which has the addresses of the link.
 *
 * <p>The acceptor names its addresses, and the dialler looks for one in a network of each of its other interfaces. An address that two own
 * interfaces reach is no path of its own, because the system chooses the interface and not this node. So two cards in one network are one
 * path, and IPv4 and IPv6 of one cable are one path. Link-local IPv6 addresses are left out: only their own machine knows the interface.
 */
public final class LanePlan {
    private LanePlan() {}

    /** The addresses that this machine names to a peer; empty if it has no interface besides that of the link. */
    public static List<Bytes> named(List<LocalPath> own, Bytes linkAddress) {
        if (own.stream().noneMatch(path -> !path.has(linkAddress))) {
            return List.of();
        }
        return own.stream()
                .flatMap(path -> path.networks().stream())
                .map(LocalPath.Network::address)
                .filter(address -> !isLinkLocal6(address))
                .distinct()
                .limit(LaneLimits.ADDRESSES_MAX)
                .toList();
    }

    /**
     * The pairs, at most {@link LaneLimits#LANES_MAX} - 1.
     *
     * @param own interfaces of the dialler
     * @param link addresses of the link
     * @param named addresses of the acceptor, unchecked
     */
    public static List<AddressPair> pairs(List<LocalPath> own, AddressPair link, List<Bytes> named) {
        var pairs = new ArrayList<AddressPair>();
        for (LocalPath path : own) {
            if (!path.has(link.from()) && !path.reaches(link.to()) && pairs.size() < LaneLimits.LANES_MAX - 1) {
                pair(own, path, named).ifPresent(pairs::add);
            }
        }
        return pairs;
    }

    private static Optional<AddressPair> pair(List<LocalPath> own, LocalPath path, List<Bytes> named) {
        for (LocalPath.Network network : path.networks()) {
            for (Bytes address : named) {
                boolean isForeign = own.stream().noneMatch(other -> other.has(address));
                long ways = own.stream().filter(other -> other.reaches(address)).count();
                if (network.holds(address) && isForeign && ways == 1 && !isLinkLocal6(address)) {
                    return Optional.of(new AddressPair(network.address(), address));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isLinkLocal6(Bytes address) {
        byte[] bytes = address.toArray();
        return bytes.length == 16 && (bytes[0] & 0xFF) == 0xFE && (bytes[1] & 0xC0) == 0x80;
    }
}
