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
 * The operating system's name for this machine, which stays the same until the system is installed anew.
 *
 * <p>It may tell a copy of a disk or home folder from the original. It is confidential (machine-id(5)): only a hash of it is
 * kept, see {@link IdentityPem}.
 */
final class MachineId {
    private static final List<Path> LINUX = List.of(Path.of("/etc/machine-id"), Path.of("/var/lib/dbus/machine-id"));
    private static final Pattern LINUX_ID = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern MACOS_ID = Pattern.compile("\"IOPlatformUUID\" = \"([0-9A-Fa-f-]{36})\"");
    private static final int FILE_BYTES_MAX = 1_024;

    private MachineId() {}

    /** Nothing where the system has none, as in most containers. */
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
                // no such file, or not for us: the machine has no id that we know
            }
        }
        return Optional.empty();
    }

    /** Reads what {@code command}, ioreg, prints; its answer is a property list of some KiB. */
    static Optional<String> macos(List<String> command) {
        return SystemProgram.answer(command).flatMap(MachineId::macosAnswer);
    }

    static Optional<String> macosAnswer(String plist) {
        Matcher found = MACOS_ID.matcher(plist);
        return found.find() ? Optional.of(found.group(1).toLowerCase(Locale.ROOT)) : Optional.empty();
    }
}
