package io.hearth.topology.system;

import io.hearth.topology.InterfaceClass;
import io.hearth.topology.LocalInterface;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Finds the classes of Linux's interfaces.
 *
 * <p>The kernel says what an interface is made of, and its name says nothing: an administrator may call a bridge {@code eth0}. An interface
 * on top of others (bridge, bond, VLAN) has the class of the hardware below. With several, the worst counts, because packets may take any
 * of them.
 */
public final class LinuxInterfaces {
    /** ARPHRD_ETHER of if_arp.h; Wi-Fi has it too. */
    private static final int ARPHRD_ETHER = 1;

    /** ARPHRD_PPP of if_arp.h. A PPP interface may be a tunnel, a modem or a DSL line. */
    private static final int ARPHRD_PPP = 512;

    /** ARPHRD_LOOPBACK of if_arp.h. */
    private static final int ARPHRD_LOOPBACK = 772;

    /** ARPHRD_NONE of if_arp.h: packets without a link header, so WireGuard, tun and IPsec. */
    private static final int ARPHRD_NONE = 65_534;

    /** IFF_TAP of if_tun.h: Ethernet frames instead of IP packets. */
    private static final int IFF_TAP = 0x0002;

    /** Interfaces on interfaces that a reader follows. The kernel's own limit is 8 (MAX_NEST_DEV). */
    private static final int DEPTH_MAX = 8;

    /** Kinds on top of other interfaces. The driver for teams sets no kind. */
    private static final Set<String> STACKED = Set.of("bridge", "bond", "vlan", "macvlan", "ipvlan", "");

    /** Kinds of hardware that are no LAN: modems, Bluetooth, this machine as a USB device. */
    private static final Set<String> NO_LAN = Set.of("wwan", "bluetooth", "gadget");

    /** Drivers of phones that share their network over USB. */
    private static final Set<String> PHONES = Set.of("ipheth", "rndis_host");

    private LinuxInterfaces() {}

    /** The interfaces by name, each with its class and the facts from which it follows. */
    public static SortedMap<String, LocalInterface> classify(Map<String, LinuxInterface> interfaces) {
        var classes = new TreeMap<String, LocalInterface>();
        interfaces.forEach((name, each) -> {
            InterfaceClass kind = kind(each, interfaces, DEPTH_MAX);
            classes.put(name, new LocalInterface(name, kind, evidence(each)));
        });
        return classes;
    }

    private static InterfaceClass kind(LinuxInterface each, Map<String, LinuxInterface> all, int depth) {
        if (each.type() == ARPHRD_LOOPBACK) {
            return InterfaceClass.LOOPBACK;
        }
        if (each.tunFlags().isPresent()) { // a tap in a bridge is the cable of a virtual machine
            boolean isTap = (each.tunFlags().getAsInt() & IFF_TAP) != 0;
            return isTap && each.port() ? InterfaceClass.VIRTUAL : InterfaceClass.VPN;
        }
        if (each.wireless() || each.devtype().equals("wlan")) {
            return InterfaceClass.WIFI;
        }
        if (NO_LAN.contains(each.devtype()) || each.type() == ARPHRD_PPP) {
            return InterfaceClass.OTHER;
        }
        if (each.device()) {
            return hardware(each);
        }
        if (each.devtype().equals("wireguard") || each.type() == ARPHRD_NONE) {
            return InterfaceClass.VPN;
        }
        return STACKED.contains(each.devtype()) ? ofLower(each, all, depth) : InterfaceClass.VIRTUAL;
    }

    private static InterfaceClass hardware(LinuxInterface each) {
        if (each.driver().replace('_', '-').equals("thunderbolt-net")) {
            return InterfaceClass.THUNDERBOLT;
        }
        return each.type() == ARPHRD_ETHER && !PHONES.contains(each.driver())
                ? InterfaceClass.ETHERNET
                : InterfaceClass.OTHER;
    }

    /** The class of an interface on top of others. See {@link Stacks#kind}. */
    private static InterfaceClass ofLower(LinuxInterface each, Map<String, LinuxInterface> all, int depth) {
        var kinds = new ArrayList<InterfaceClass>();
        for (String name : depth == 0 ? Set.<String>of() : each.lower()) {
            Optional.ofNullable(all.get(name)).ifPresent(lower -> kinds.add(kind(lower, all, depth - 1)));
        }
        return Stacks.kind(kinds);
    }

    private static String evidence(LinuxInterface each) {
        var facts = new ArrayList<String>();
        facts.add("type " + each.type());
        if (!each.devtype().isEmpty()) {
            facts.add("devtype " + each.devtype());
        }
        if (each.wireless()) {
            facts.add("wireless");
        }
        each.tunFlags().ifPresent(flags -> facts.add("tun_flags 0x" + Integer.toHexString(flags)));
        if (each.device()) {
            facts.add("device" + (each.bus().isEmpty() ? "" : " on " + each.bus()));
        }
        if (!each.driver().isEmpty()) {
            facts.add("driver " + each.driver());
        }
        if (each.port()) {
            facts.add("port of a bridge");
        }
        if (!each.lower().isEmpty()) {
            facts.add("over " + String.join(" ", each.lower()));
        }
        each.speed().ifPresent(speed -> facts.add("speed " + speed));
        each.mtu().ifPresent(mtu -> facts.add("mtu " + mtu));
        return String.join(", ", facts);
    }
}
