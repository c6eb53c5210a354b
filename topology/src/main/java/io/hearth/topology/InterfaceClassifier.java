package io.hearth.topology;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Finds the class of an interface from the data of the operating system. Pure; {@link LocalInterfaces} reads that data. */
public final class InterfaceClassifier {
    /** ARPHRD_ETHER of Linux's if_arp.h; Wi-Fi has it too. */
    private static final int ARPHRD_ETHER = 1;

    /** ARPHRD_LOOPBACK of Linux's if_arp.h. */
    private static final int ARPHRD_LOOPBACK = 772;

    private static final String DEVICE = "Device: ";
    private static final String PORT = "Hardware Port: ";
    private static final Pattern THUNDERBOLT_PORT = Pattern.compile("thunderbolt( bridge| [0-9]+)");
    private static final List<String> MACOS_VIRTUAL_PREFIXES =
            List.of("utun", "awdl", "llw", "anpi", "bridge10", "vmenet", "vmnet", "gif", "stf", "ap");

    private InterfaceClassifier() {}

    /**
     * The data of Linux in {@code /sys/class/net/NAME}.
     *
     * @param type content of {@code type}: an ARPHRD number
     * @param wireless whether there is a {@code wireless} or {@code phy80211} entry
     * @param device whether there is a {@code device} entry: the interface is hardware, not software
     * @param driver last name of the link {@code device/driver}; empty if there is none
     */
    public record LinuxInterface(int type, boolean wireless, boolean device, String driver) {}

    /** The class of an interface on Linux. */
    public static InterfaceClass linux(LinuxInterface each) {
        if (each.type() == ARPHRD_LOOPBACK) {
            return InterfaceClass.LOOPBACK;
        }
        if (each.wireless()) {
            return InterfaceClass.WIFI;
        }
        if (!each.device()) {
            return InterfaceClass.VIRTUAL;
        }
        if (each.driver().replace('_', '-').equals("thunderbolt-net")) {
            return InterfaceClass.THUNDERBOLT;
        }
        return each.type() == ARPHRD_ETHER ? InterfaceClass.ETHERNET : InterfaceClass.OTHER;
    }

    /**
     * The class of an interface on macOS.
     *
     * @param ports by device, from {@link #hardwarePorts}: the device's name alone does not determine the class ({@code en0} is Wi-Fi on a
     *     laptop and Ethernet on a desktop)
     */
    public static InterfaceClass macos(String name, Map<String, String> ports) {
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
        if (port.contains("ethernet") || port.endsWith(" lan")) {
            return InterfaceClass.ETHERNET;
        }
        return port.isEmpty() && MACOS_VIRTUAL_PREFIXES.stream().anyMatch(name::startsWith)
                ? InterfaceClass.VIRTUAL
                : InterfaceClass.OTHER;
    }

    /**
     * Reads the output of macOS's {@code networksetup -listallhardwareports}: stanzas of {@code Hardware Port: Wi-Fi} and
     * {@code Device: en0}.
     *
     * @return port names by device; empty for a text of another shape
     */
    public static Map<String, String> hardwarePorts(String output) {
        var ports = new TreeMap<String, String>();
        String port = "";
        for (String line : output.lines().limit(1_000).toList()) {
            if (line.startsWith(PORT)) {
                port = line.substring(PORT.length()).strip();
            } else if (line.startsWith(DEVICE) && !port.isEmpty()) {
                ports.put(line.substring(DEVICE.length()).strip(), port);
                port = "";
            }
        }
        return ports;
    }
}
