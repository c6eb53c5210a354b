package io.hearth.identity;

import io.hearth.core.Bytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The operating system's id of its present boot. All processes of one computer have the same id, its containers too. No two computers have
 * the same, and a copy of a disk does not contain it. Other programs use it too, so Hearth sends only a hash of it.
 *
 * <p>For tests of two computers with one identity: the system property {@value #FAULT} replaces the id (32 hexadecimal digits, or
 * {@code unknown}). Nothing else reads it, and Hearth never sets it for users.
 */
public final class SystemBoot {
    /** Size of the id. */
    public static final int BYTES = 16;

    static final String FAULT = "hearth.fault.systemBoot";

    private static final Path LINUX = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
    private static final Pattern HEX = Pattern.compile("[0-9a-f]{32}");
    private static final int ANSWER_BYTES_MAX = 1_024;

    private SystemBoot() {}

    /** Empty if the id cannot be read; an unknown id is no evidence of another computer. */
    public static Optional<Bytes> ofThisComputer() {
        String fault = System.getProperty(FAULT);
        if (fault != null) {
            return HEX.matcher(fault).matches()
                    ? Optional.of(Bytes.of(HexFormat.of().parseHex(fault)))
                    : Optional.empty();
        }
        return System.getProperty("os.name", "").startsWith("Mac")
                ? SystemProgram.answer(List.of("/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"))
                        .flatMap(SystemBoot::parse)
                : linux(LINUX);
    }

    static Optional<Bytes> linux(Path file) {
        try (var in = Files.newInputStream(file)) {
            return parse(new String(in.readNBytes(ANSWER_BYTES_MAX), StandardCharsets.US_ASCII));
        } catch (IOException _) {
            return Optional.empty(); // another system, or not readable
        }
    }

    static Optional<Bytes> parse(String text) {
        String id = text.strip().toLowerCase(Locale.ROOT);
        return UUID.matcher(id).matches() ? Optional.of(hash(id)) : Optional.empty();
    }

    private static Bytes hash(String id) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(("hearth/1 system boot " + id).getBytes(StandardCharsets.US_ASCII));
            return Bytes.of(Arrays.copyOf(hash, BYTES));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java has SHA-256", impossible);
        }
    }
}
