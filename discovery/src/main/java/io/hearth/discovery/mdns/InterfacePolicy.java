package io.hearth.discovery.mdns;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Selects the interfaces that mDNS uses. By default these are all that are up and can multicast, and the loopback interface for the nodes
 * of the same machine. Excluded are those of containers, virtual machines, VPNs and Apple's own peer links.
 *
 * @param only names of the interfaces to use, of any kind; empty for the default rule
 * @param excluded names never to use
 */
public record InterfacePolicy(Set<String> only, Set<String> excluded) {
    /** The default rule. */
    public static final InterfacePolicy DEFAULT = new InterfacePolicy(Set.of(), Set.of());

    /** macOS's bridge0 is the Thunderbolt bridge and is used; bridge100 and above belong to virtual machines. */
    private static final List<String> VIRTUAL_PREFIXES = List.of(
            "docker",
            "veth",
            "br-",
            "virbr",
            "vmnet",
            "vboxnet",
            "cni",
            "flannel",
            "cali",
            "lxcbr",
            "lxdbr",
            "bridge10",
            "utun",
            "tun",
            "tap",
            "wg",
            "zt",
            "tailscale",
            "awdl",
            "llw",
            "anpi");

    public InterfacePolicy {
        only = Set.copyOf(only);
        excluded = Set.copyOf(excluded);
    }

    /** Only these interfaces, loopback included if named. */
    public static InterfacePolicy interfaces(String... names) {
        return new InterfacePolicy(Set.of(names), Set.of());
    }

    /** The reason why an interface is not used; empty if it is used. */
    public Optional<String> objection(InterfaceState state) {
        if (excluded.contains(state.name())) {
            return Optional.of("excluded by option");
        }
        if (!only.isEmpty() && !only.contains(state.name())) {
            return Optional.of("not among the interfaces asked for");
        }
        if (!state.up()) {
            return Optional.of("down");
        }
        if (state.mdnsAddress().isEmpty()) {
            return Optional.of("no address");
        }
        if (!only.isEmpty() || state.loopback()) {
            return Optional.empty(); // Linux's lo carries multicast although it has no such flag
        }
        if (!state.multicast()) {
            return Optional.of("cannot multicast");
        }
        if (state.pointToPoint()) {
            return Optional.of("point to point, such as a VPN");
        }
        return VIRTUAL_PREFIXES.stream().anyMatch(state.name()::startsWith)
                ? Optional.of("belongs to containers, virtual machines or a VPN")
                : Optional.empty();
    }
}
