package io.hearth.topology.system;

import io.hearth.topology.InterfaceClass;
import io.hearth.topology.LocalInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the classes of macOS's interfaces from the output of {@code networksetup -listallhardwareports} and {@code ifconfig -a}.
 *
 * <p>The name of a device does not determine the class: {@code en0} is Wi-Fi on a laptop and Ethernet on a desktop. So the hardware port
 * decides, then the medium that the driver reports. Adapters bring any port name, such as {@code AX88179A}.
 */
public final class MacInterfaces {
    private static final int LINES_MAX = 2_000;
    private static final int INTERFACES_MAX = 256;

    /** Interfaces on interfaces that a reader follows. */
    private static final int DEPTH_MAX = 4;

    private static final String DEVICE = "Device: ";
    private static final String PORT = "Hardware Port: ";
    private static final Pattern THUNDERBOLT_PORT = Pattern.compile("thunderbolt( bridge| [0-9]+)");
    private static final Pattern PHONE_PORT = Pattern.compile("(iphone|ipad|bluetooth).*");
    private static final Pattern HEADER = Pattern.compile("([a-zA-Z0-9._-]+): flags=.*?(?: mtu ([0-9]{1,7}))?\\s*");
    private static final Pattern MEDIUM = Pattern.compile("\\s+media: (.*)");

    /** Speeds of cables, as the drivers of Ethernet name them: {@code 1000baseT}, {@code 10Gbase-T}, {@code 2500Base-T}. */
    private static final Pattern CABLE = Pattern.compile(".*[0-9]G?base-?[tsl].*", Pattern.CASE_INSENSITIVE);

    private static final Pattern LOWER =
            Pattern.compile("\\s+(?:member: (\\S+)|vlan: .*parent interface: (\\S+)|bond interfaces: (.*)).*");
    private static final List<String> VPN_PREFIXES = List.of("utun", "ipsec", "tun", "tap");
    private static final List<String> VIRTUAL_PREFIXES =
            List.of("awdl", "llw", "anpi", "vmenet", "vmnet", "gif", "stf", "ap", "feth");
    private static final List<String> STACKED_PREFIXES = List.of("bridge", "vlan", "bond");

    private MacInterfaces() {}

    /**
     * One interface of {@code ifconfig}.
     *
     * @param lower members of a bridge or a bond, parent of a VLAN
     * @param medium text after {@code media:}; empty if there is none
     * @param mtu digits; empty if there are none
     */
    record Shown(SortedSet<String> lower, String medium, String mtu) {}

    /**
     * The interfaces by name, each with its class and the facts from which it follows.
     *
     * @param ports output of {@code networksetup -listallhardwareports}; a text of another shape names no ports
     * @param ifconfig output of {@code ifconfig -a}
     */
    public static SortedMap<String, LocalInterface> classify(String ports, String ifconfig) {
        Map<String, String> named = hardwarePorts(ports);
        Map<String, Shown> shown = shown(ifconfig);
        var classes = new TreeMap<String, LocalInterface>();
        shown.forEach((name, each) -> classes.put(
                name, new LocalInterface(name, kind(name, named, shown, DEPTH_MAX), evidence(name, each, named))));
        return classes;
    }

    private static InterfaceClass kind(String name, Map<String, String> ports, Map<String, Shown> all, int depth) {
        if (name.startsWith("lo")) {
            return InterfaceClass.LOOPBACK;
        }
        String port = ports.getOrDefault(name, "").toLowerCase(Locale.ROOT);
        if (port.equals("wi-fi") || port.equals("airport")) {
            return InterfaceClass.WIFI;
        }
        if (THUNDERBOLT_PORT.matcher(port).matches()) {
            return InterfaceClass.THUNDERBOLT;
        }
        if (PHONE_PORT.matcher(port).matches()) {
            return InterfaceClass.OTHER;
        }
        Shown each = all.getOrDefault(name, new Shown(new TreeSet<>(), "", ""));
        boolean isNamedCable = port.contains("ethernet") || port.endsWith(" lan");
        if (isNamedCable || (!port.isEmpty() && CABLE.matcher(each.medium()).matches())) {
            return InterfaceClass.ETHERNET;
        }
        if (begins(name, VPN_PREFIXES)) {
            return InterfaceClass.VPN;
        }
        if (begins(name, STACKED_PREFIXES)) {
            return Stacks.kind((depth == 0 ? Set.<String>of() : each.lower())
                    .stream().map(lower -> kind(lower, ports, all, depth - 1)).toList());
        }
        return port.isEmpty() && begins(name, VIRTUAL_PREFIXES) ? InterfaceClass.VIRTUAL : InterfaceClass.OTHER;
    }

    /** Whether the name is one of the prefixes and a number. */
    private static boolean begins(String name, List<String> prefixes) {
        return prefixes.stream()
                .anyMatch(prefix -> name.startsWith(prefix)
                        && name.substring(prefix.length()).chars().allMatch(Character::isDigit));
    }

    private static String evidence(String name, Shown each, Map<String, String> ports) {
        var facts = new ArrayList<String>();
        facts.add(ports.containsKey(name) ? "port " + ports.get(name) : "no hardware port");
        if (!each.lower().isEmpty()) {
            facts.add("over " + String.join(" ", each.lower()));
        }
        if (!each.medium().isEmpty()) {
            facts.add("media " + each.medium());
        }
        if (!each.mtu().isEmpty()) {
            facts.add("mtu " + each.mtu());
        }
        return String.join(", ", facts);
    }

    /** Port names by device, from stanzas of {@code Hardware Port: Wi-Fi} and {@code Device: en0}. */
    static Map<String, String> hardwarePorts(String output) {
        var ports = new TreeMap<String, String>();
        String port = "";
        for (String line : output.lines().limit(LINES_MAX).toList()) {
            if (line.startsWith(PORT)) {
                port = line.substring(PORT.length()).strip();
            } else if (line.startsWith(DEVICE) && !port.isEmpty()) {
                ports.put(line.substring(DEVICE.length()).strip(), port);
                port = "";
            }
        }
        return ports;
    }

    private static Map<String, Shown> shown(String ifconfig) {
        var shown = new TreeMap<String, Shown>();
        String name = "";
        for (String line : ifconfig.lines().limit(LINES_MAX).toList()) {
            Matcher header = HEADER.matcher(line);
            if (header.matches() && shown.size() < INTERFACES_MAX) {
                name = header.group(1);
                shown.put(name, new Shown(new TreeSet<>(), "", header.group(2) == null ? "" : header.group(2)));
            }
            Shown known = shown.get(name);
            if (known != null) {
                shown.put(name, more(known, line));
            }
        }
        return shown;
    }

    private static Shown more(Shown known, String line) {
        Matcher medium = MEDIUM.matcher(line);
        if (medium.matches()) {
            return new Shown(known.lower(), medium.group(1).strip(), known.mtu());
        }
        Matcher below = LOWER.matcher(line);
        if (!below.matches()) {
            return known;
        }
        var lower = new TreeSet<>(known.lower());
        for (int group = 1; group <= below.groupCount(); group++) {
            String names = below.group(group);
            if (names != null) {
                lower.addAll(List.of(names.strip().split("\\s+", INTERFACES_MAX)));
            }
        }
        lower.remove("<none>");
        return new Shown(lower, known.medium(), known.mtu());
    }
}
