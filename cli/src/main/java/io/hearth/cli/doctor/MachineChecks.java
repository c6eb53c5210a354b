package io.hearth.cli.doctor;

import io.hearth.accel.select.EngineSurvey;
import io.hearth.agent.CalibrationFile;
import io.hearth.agent.settings.Settings;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NodeIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Checks of this machine alone: Java, files, disk, engines, clock. */
final class MachineChecks {
    private static final int DISK_WRITES = 15;

    /** A vote waits for the disk; with more than this, elections become slow. */
    private static final long DISK_SLOW_NANOS = 100_000_000L;

    private static final long CLOCK_JUMP_MILLIS = 500;

    private MachineChecks() {}

    static Finding java() {
        return Finding.ok(
                "java",
                System.getProperty("java.vendor", "") + " " + System.getProperty("java.runtime.version", "") + " in "
                        + System.getProperty("java.home", ""));
    }

    static Finding home(HearthHome home) {
        return Finding.ok("home", home + " belongs to this user alone");
    }

    static Finding identity(HearthHome home) {
        try {
            Optional<NodeIdentity> identity = IdentityFile.in(home).load();
            return identity.isPresent()
                    ? Finding.ok(
                            "identity",
                            "this machine is " + identity.get().peer().shortText())
                    : Finding.note("identity", "none yet", "the first start makes one");
        } catch (SetupException broken) {
            return Finding.problem("identity", broken);
        }
    }

    static Finding settings(HearthHome home, Map<String, String> environment) {
        try {
            Settings.read(home, environment);
            return Finding.ok("settings", "config.toml and the environment are well-formed; see 'hearth config'");
        } catch (SetupException broken) {
            return Finding.problem("settings", broken);
        }
    }

    /** Writes a file in the home folder as a voter does, some times, each to the disk. */
    static Finding disk(HearthHome home) {
        long[] nanos = new long[DISK_WRITES];
        Path file = home.file("doctor.tmp");
        try {
            try (var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                for (int i = 0; i < DISK_WRITES; i++) {
                    long began = System.nanoTime();
                    channel.write(ByteBuffer.allocate(4_096), 0);
                    channel.force(true);
                    nanos[i] = System.nanoTime() - began;
                }
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException failed) {
            return Finding.problem(
                    "disk", "cannot write in " + home + ": " + failed.getMessage(), "make room or the folder writable");
        }
        return disk(nanos);
    }

    static Finding disk(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        String text = String.format(
                Locale.ROOT,
                "writing to the disk takes %.1f ms, at most %.1f ms",
                sorted[sorted.length / 2] / 1e6,
                sorted[sorted.length - 1] / 1e6);
        return sorted[sorted.length / 2] > DISK_SLOW_NANOS
                ? Finding.problem(
                        "disk", text + ": elections wait for it", "set HEARTH_HOME to a folder on a faster disk")
                : Finding.ok("disk", text);
    }

    static List<Finding> engines(Map<String, String> environment) {
        try {
            EngineSurvey survey = EngineSurvey.here(CalibrationFile.in(environment));
            var chosen = Finding.ok(
                    "engine",
                    survey.choice().engine().label() + ": " + survey.choice().why());
            return survey.lastFailure()
                    .map(line -> List.of(
                            chosen,
                            Finding.problem(
                                    "engine",
                                    "Metal failed: " + line,
                                    "run 'hearth kernel selftest', then 'hearth kernel calibrate'")))
                    .orElse(List.of(chosen));
        } catch (SetupException broken) {
            return List.of(Finding.problem("engine", broken));
        }
    }

    /**
     * Whether the wall clock ran as the monotonic one.
     *
     * @param driftMillis by which the wall clock went farther during the other checks
     * @param isSynchronized what the system says; empty if it does not say
     */
    static Finding clock(long driftMillis, Optional<Boolean> isSynchronized) {
        if (Math.abs(driftMillis) > CLOCK_JUMP_MILLIS) {
            return Finding.problem(
                    "clock",
                    "the clock jumped by " + driftMillis + " ms during this check",
                    "look what sets it: two time services, or a virtual machine that was paused");
        }
        return isSynchronized.equals(Optional.of(false))
                ? Finding.note(
                        "clock",
                        "the system says that its clock is not set by a time service",
                        "Hearth needs no common clock; times in logs and traces of several machines will differ")
                : Finding.ok("clock", "steady");
    }

    /** Reads the configuration of avahi, which can take the port of mDNS for itself. */
    static Optional<Finding> avahi(Path file) {
        if (!Files.isReadable(file)) {
            return Optional.empty();
        }
        try (var lines = Files.lines(file)) {
            boolean isAlone = lines.map(String::strip)
                    .anyMatch(line -> line.replace(" ", "").equals("disallow-other-stacks=yes"));
            return isAlone
                    ? Optional.of(Finding.problem(
                            "avahi",
                            file + " has disallow-other-stacks=yes, so only avahi hears mDNS",
                            "set it to no and restart avahi-daemon"))
                    : Optional.empty();
        } catch (IOException | UncheckedIOException unreadable) {
            return Optional.empty();
        }
    }
}
