package io.hearth.topology.local;

import io.hearth.topology.NodeLoad;
import io.hearth.topology.NodeLoad.Battery;
import io.hearth.topology.system.MachineFacts;
import io.hearth.topology.system.MachineFacts.PowerSupply;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads this machine's load and battery. */
public final class LocalLoad {
    private static final Path POWER = Path.of("/sys/class/power_supply");

    /** Processors of the machine. A container sees its own limit elsewhere, and the load average of the whole machine. */
    private static final Path PROCESSORS = Path.of("/sys/devices/system/cpu/online");

    private static final int SUPPLIES_MAX = 64;

    private LocalLoad() {}

    /**
     * The load and the battery now. Blocks: the firmware of a battery may take a second to answer, and macOS's tool up to five. So no
     * thread that has other work may call this.
     */
    public static NodeLoad read() {
        int processors = MachineFacts.processors(SmallFile.text(PROCESSORS))
                .orElse(Runtime.getRuntime().availableProcessors());
        double average = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        boolean isMac =
                System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("mac");
        return new NodeLoad(
                MachineFacts.loadPercent(average, processors),
                isMac ? MachineFacts.battery(Tool.output("pmset", "-g", "batt")) : battery(POWER));
    }

    static Optional<Battery> battery(Path power) {
        List<PowerSupply> supplies = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(power)) {
            for (Path entry : entries) {
                if (supplies.size() < SUPPLIES_MAX) {
                    supplies.add(new PowerSupply(
                            line(entry, "type"),
                            line(entry, "scope"),
                            line(entry, "status"),
                            SmallFile.number(entry.resolve("capacity")),
                            line(entry, "online").equals("1")));
                }
            }
        } catch (IOException none) {
            return Optional.empty(); // a machine without sysfs, or without any supply
        }
        return MachineFacts.battery(supplies);
    }

    private static String line(Path entry, String file) {
        return SmallFile.text(entry.resolve(file)).strip();
    }
}
