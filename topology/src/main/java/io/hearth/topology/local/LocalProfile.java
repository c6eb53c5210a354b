package io.hearth.topology.local;

import io.hearth.identity.Labels;
import io.hearth.topology.NodeProfile;
import io.hearth.topology.system.MachineFacts;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** Reads this machine's own profile. */
public final class LocalProfile {
    private LocalProfile() {}

    /**
     * The profile of this process's machine, without its load, which {@link LocalLoad} reads. Blocks for some milliseconds; uses no
     * resolver, because on macOS a lookup of the machine's own host name can take five seconds.
     *
     * @param accelerator name of the reducer that this node uses
     * @param version of Hearth
     */
    public static NodeProfile read(String accelerator, String version) {
        String os = System.getProperty("os.name", "unknown");
        return new NodeProfile(
                        label(),
                        os + " " + System.getProperty("os.version", ""),
                        System.getProperty("os.arch", "unknown"),
                        Runtime.getRuntime().availableProcessors(),
                        memoryBytes(),
                        accelerator,
                        version)
                .onChip(chip());
    }

    /** The machine's name for people; never empty. Blocks as {@link #read} does. */
    public static String label() {
        if (isMac()) {
            String name = Labels.clean(Tool.output("scutil", "--get", "LocalHostName"));
            if (!name.isEmpty()) {
                return name;
            }
        }
        String kernel = Labels.clean(SmallFile.text(Path.of("/proc/sys/kernel/hostname")));
        if (!kernel.isEmpty()) {
            return kernel;
        }
        Map<String, String> environment = System.getenv();
        String name = Labels.clean(environment.getOrDefault("HOSTNAME", environment.getOrDefault("COMPUTERNAME", "")));
        return name.isEmpty() ? "unnamed" : name;
    }

    private static String chip() {
        return isMac()
                ? Tool.output("sysctl", "-n", "machdep.cpu.brand_string")
                : MachineFacts.chip(SmallFile.text(Path.of("/proc/cpuinfo")));
    }

    private static boolean isMac() {
        return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("mac");
    }

    private static long memoryBytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : 0;
    }
}
