package io.hearth.topology;

import io.hearth.identity.Labels;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** Reads this machine's own profile. */
public final class LocalProfile {
    private LocalProfile() {}

    /**
     * The profile of this process's machine. Blocks for some milliseconds; uses no resolver, because on macOS a lookup of the machine's own
     * host name can take five seconds.
     *
     * @param accelerator name of the reducer that this node uses
     * @param version of Hearth
     */
    public static NodeProfile read(String accelerator, String version) {
        String os = System.getProperty("os.name", "unknown");
        return new NodeProfile(
                label(os, System.getenv()),
                os + " " + System.getProperty("os.version", ""),
                System.getProperty("os.arch", "unknown"),
                Runtime.getRuntime().availableProcessors(),
                memoryBytes(),
                accelerator,
                version);
    }

    private static String label(String os, Map<String, String> environment) {
        if (os.toLowerCase(Locale.ROOT).contains("mac")) {
            String name = Labels.clean(Tool.output("scutil", "--get", "LocalHostName"));
            if (!name.isEmpty()) {
                return name;
            }
        }
        String kernel = Labels.clean(content(Path.of("/proc/sys/kernel/hostname")));
        if (!kernel.isEmpty()) {
            return kernel;
        }
        String name = environment.getOrDefault("HOSTNAME", environment.getOrDefault("COMPUTERNAME", ""));
        return name.isBlank() ? "unnamed" : name;
    }

    private static String content(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException none) {
            return "";
        }
    }

    private static long memoryBytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : 0;
    }
}
