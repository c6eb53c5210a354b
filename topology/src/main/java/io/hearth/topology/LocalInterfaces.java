package io.hearth.topology;

import io.hearth.topology.InterfaceClassifier.LinuxInterface;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads the interfaces of this machine from its operating system. */
public final class LocalInterfaces {
    private static final Path SYS = Path.of("/sys/class/net");

    private LocalInterfaces() {}

    /**
     * The classes of this machine's interfaces, by name; an interface that is not listed is {@link InterfaceClass#OTHER}. Blocks for some
     * milliseconds, on macOS for up to a few seconds while its tool runs.
     */
    public static SortedMap<String, InterfaceClass> classes() {
        String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        if (os.contains("linux")) {
            return linux(SYS);
        }
        return os.contains("mac") ? macos() : Collections.emptySortedMap();
    }

    static SortedMap<String, InterfaceClass> linux(Path sys) {
        var classes = new TreeMap<String, InterfaceClass>();
        try (Stream<Path> entries = Files.list(sys)) {
            for (Path entry : entries.toList()) {
                readable(entry.resolve("type"))
                        .ifPresent(type -> classes.put(
                                entry.getFileName().toString(),
                                InterfaceClassifier.linux(new LinuxInterface(
                                        type,
                                        Files.exists(entry.resolve("wireless"))
                                                || Files.exists(entry.resolve("phy80211")),
                                        Files.exists(entry.resolve("device")),
                                        driver(entry)))));
            }
        } catch (IOException unreadable) {
            return classes; // a kernel without sysfs, or a locked-down container: no class is known
        }
        return classes;
    }

    private static SortedMap<String, InterfaceClass> macos() {
        var ports = InterfaceClassifier.hardwarePorts(Tool.output("networksetup", "-listallhardwareports"));
        var classes = new TreeMap<String, InterfaceClass>();
        for (String name : Tool.output("ifconfig", "-l").strip().split(" ", 1_000)) {
            if (!name.isEmpty()) {
                classes.put(name, InterfaceClassifier.macos(name, ports));
            }
        }
        return classes;
    }

    private static OptionalInt readable(Path file) {
        try {
            return OptionalInt.of(Integer.parseInt(Files.readString(file).strip()));
        } catch (IOException | NumberFormatException odd) {
            return OptionalInt.empty(); // bonding_masters and such are files among the interfaces
        }
    }

    private static String driver(Path entry) {
        try {
            Path name = entry.resolve("device/driver").toRealPath().getFileName();
            return name == null ? "" : name.toString();
        } catch (IOException none) {
            return "";
        }
    }
}
