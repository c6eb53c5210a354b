package io.hearth.topology.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/** Reads files of the kernel, of which none is large. A file that is missing or cannot be read is empty. */
final class SmallFile {
    private static final int BYTES_MAX = 64 * 1024;

    private SmallFile() {}

    /** The first 64 KiB of the file. */
    static String text(Path file) {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(BYTES_MAX), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            return "";
        }
    }

    /** The one number in the file, decimal or with {@code 0x}; empty if there is anything else. */
    static OptionalInt number(Path file) {
        try {
            return OptionalInt.of(Integer.decode(text(file).strip()));
        } catch (NumberFormatException odd) {
            return OptionalInt.empty();
        }
    }

    /** The last name of the path to which a link leads; empty if there is none. */
    static String target(Path link) {
        try {
            Path name = link.toRealPath().getFileName();
            return name == null ? "" : name.toString();
        } catch (IOException none) {
            return "";
        }
    }
}
