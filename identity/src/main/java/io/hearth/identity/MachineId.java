package io.hearth.identity;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The operating system's id of this machine, which stays the same until the system is reinstalled.
 *
 * <p>It may distinguish a copy of a disk or home folder from the original. It is confidential (machine-id(5)): Hearth keeps only a hash of
 * it, see {@link IdentityPem}.
 */
final class MachineId {
    private static final List<Path> LINUX = List.of(Path.of("/etc/machine-id"), Path.of("/var/lib/dbus/machine-id"));
    private static final Pattern LINUX_ID = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern MACOS_ID = Pattern.compile("\"IOPlatformUUID\" = \"([0-9A-Fa-f-]{36})\"");
    private static final int FILE_BYTES_MAX = 1_024;

    private MachineId() {}

    /** Empty if the system has no id, as in most containers. */
    static Optional<String> ofThisMachine() {
        return System.getProperty("os.name", "").startsWith("Mac")
                ? macos(List.of("/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice"))
                : linux(LINUX);
    }

    static Optional<String> linux(List<Path> files) {
        for (Path file : files) {
            try (var in = Files.newInputStream(file)) {
                String text = new String(in.readNBytes(FILE_BYTES_MAX), StandardCharsets.US_ASCII).strip();
                if (LINUX_ID.matcher(text).matches()) {
                    return Optional.of(text);
                }
            } catch (IOException _) {
                // no such file, or not readable: the machine has no known id
            }
        }
        return Optional.empty();
    }

    /** Reads the output of {@code command}, ioreg: a property list of some KiB. */
    static Optional<String> macos(List<String> command) {
        return SystemProgram.answer(command).flatMap(MachineId::macosAnswer);
    }

    static Optional<String> macosAnswer(String plist) {
        Matcher found = MACOS_ID.matcher(plist);
        return found.find() ? Optional.of(found.group(1).toLowerCase(Locale.ROOT)) : Optional.empty();
    }
}
