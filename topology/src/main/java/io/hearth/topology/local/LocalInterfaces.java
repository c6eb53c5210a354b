package io.hearth.topology.local;

import io.hearth.topology.InterfaceClass;
import io.hearth.topology.LocalInterface;
import io.hearth.topology.system.LinuxInterface;
import io.hearth.topology.system.LinuxInterfaces;
import io.hearth.topology.system.MacInterfaces;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads the interfaces of this machine from its operating system. */
public final class LocalInterfaces {
    private static final Path SYS = Path.of("/sys/class/net");

    /** Most interfaces that are read: a host of containers may have thousands. */
    private static final int INTERFACES_MAX = 1_024;

    private static final String LOWER = "lower_";
    private static final String DEVTYPE = "DEVTYPE=";

    private LocalInterfaces() {}

    /**
     * This machine's interfaces by name, with their classes and the evidence; an interface that is not listed is
     * {@link InterfaceClass#OTHER}. Blocks for some milliseconds, on macOS for up to a few seconds while its tools run.
     */
    public static SortedMap<String, LocalInterface> read() {
        String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        if (os.contains("linux")) {
            return linux(SYS);
        }
        return os.contains("mac")
                ? MacInterfaces.classify(
                        Tool.output("networksetup", "-listallhardwareports"), Tool.output("ifconfig", "-a"))
                : Collections.emptySortedMap();
    }

    /** Only the classes. */
    public static SortedMap<String, InterfaceClass> classes(SortedMap<String, LocalInterface> interfaces) {
        var classes = new TreeMap<String, InterfaceClass>();
        interfaces.forEach((name, each) -> classes.put(name, each.kind()));
        return classes;
    }

    static SortedMap<String, LocalInterface> linux(Path sys) {
        var found = new TreeMap<String, LinuxInterface>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(sys)) {
            for (Path entry : entries) {
                OptionalInt type = SmallFile.number(entry.resolve("type"));
                if (type.isPresent() && found.size() < INTERFACES_MAX) { // bonding_masters is a file among them
                    found.put(entry.getFileName().toString(), entry(entry, type.getAsInt()));
                }
            }
        } catch (IOException unreadable) {
            return Collections
                    .emptySortedMap(); // a kernel without sysfs, or a locked-down container: no class is known
        }
        return LinuxInterfaces.classify(found);
    }

    private static LinuxInterface entry(Path entry, int type) {
        return new LinuxInterface(
                type,
                devtype(entry),
                Files.exists(entry.resolve("wireless")) || Files.exists(entry.resolve("phy80211")),
                SmallFile.number(entry.resolve("tun_flags")),
                Files.exists(entry.resolve("device")),
                SmallFile.target(entry.resolve("device/subsystem")),
                SmallFile.target(entry.resolve("device/driver")),
                Files.exists(entry.resolve("brport")),
                lower(entry),
                above0(SmallFile.number(entry.resolve("speed"))),
                above0(SmallFile.number(entry.resolve("mtu"))));
    }

    /** An interface that is down has no speed: the kernel gives -1 or an error. */
    private static OptionalInt above0(OptionalInt number) {
        return number.isPresent() && number.getAsInt() > 0 ? number : OptionalInt.empty();
    }

    private static String devtype(Path entry) {
        return SmallFile.text(entry.resolve("uevent"))
                .lines()
                .filter(line -> line.startsWith(DEVTYPE))
                .map(line -> line.substring(DEVTYPE.length()).strip())
                .findFirst()
                .orElse("");
    }

    private static SortedSet<String> lower(Path entry) {
        var names = new TreeSet<String>();
        try (DirectoryStream<Path> links = Files.newDirectoryStream(entry, LOWER + "*")) {
            for (Path link : links) {
                if (names.size() < INTERFACES_MAX) {
                    names.add(link.getFileName().toString().substring(LOWER.length()));
                }
            }
        } catch (IOException gone) {
            return names; // the interface vanished while it was read
        }
        return names;
    }
}
