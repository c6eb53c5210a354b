package io.hearth.discovery.mdns;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which interfaces mDNS uses. Without a word from the user: every one that is up and can multicast, and the loopback
 * interface for the nodes of the same machine, but not those of containers, virtual machines, VPNs and Apple's own peer links.
 *
 * @param only names to use, whatever they are; empty for the rule above
 * @param excluded names never to use
 */
public record InterfacePolicy(Set<String> only, Set<String> excluded) {
    /** The rule for who says nothing. */
    public static final InterfacePolicy DEFAULT = new InterfacePolicy(Set.of(), Set.of());

    /** macOS's bridge0 is the Thunderbolt bridge and stays; bridge100 and above belong to virtual machines. */
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

    /** Why an interface is not used; empty when it is. */
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
            return Optional.empty(); // Linux's lo multicasts though it does not say so
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
