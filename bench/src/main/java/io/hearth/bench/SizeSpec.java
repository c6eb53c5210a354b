package io.hearth.bench;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One size to measure.
 *
 * @param bytes of the float32 vector, a positive multiple of 4, at most 8 GiB - 4
 * @param iterations timed after the warm-up, 1 to 1,000,000
 */
public record SizeSpec(long bytes, int iterations) {
    private static final int ITERATIONS_MAX = 1_000_000;
    private static final long BYTES_MAX = (long) Integer.MAX_VALUE * Float.BYTES; // codecs count elements with an int

    public SizeSpec {
        if (bytes < Float.BYTES || bytes % Float.BYTES != 0 || bytes > BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a size must be a positive multiple of 4 bytes and at most " + BYTES_MAX + ", got " + bytes);
        }
        if (iterations < 1 || iterations > ITERATIONS_MAX) {
            throw new IllegalArgumentException("iterations must be 1 to " + ITERATIONS_MAX + ", got " + iterations);
        }
    }

    /**
     * Reads {@code bytes[:iterations],…}. A size may end in KiB, MiB or GiB. Each size may occur once.
     *
     * @throws IllegalArgumentException a part is wrong; the message names it
     */
    public static List<SizeSpec> parseList(String text) {
        var sizes = new ArrayList<SizeSpec>();
        Set<Long> seen = new HashSet<>();
        for (String part : text.split(",", -1)) {
            SizeSpec size = parse(part.strip());
            if (!seen.add(size.bytes())) {
                throw new IllegalArgumentException("size " + size.bytes() + " occurs twice in '" + text + "'");
            }
            sizes.add(size);
        }
        return sizes;
    }

    private static SizeSpec parse(String text) {
        int colon = text.indexOf(':');
        long bytes = bytes(colon < 0 ? text : text.substring(0, colon));
        try {
            return new SizeSpec(
                    bytes, colon < 0 ? usualIterations(bytes) : Integer.parseInt(text.substring(colon + 1)));
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException("'" + text + "' is not bytes[:iterations]", notANumber);
        }
    }

    /**
     * Reads one size: a number of bytes that may end in KiB, MiB or GiB.
     *
     * @throws IllegalArgumentException it is no such number
     */
    public static long bytes(String text) {
        long unit = 1;
        String digits = text;
        for (Unit candidate : Unit.values()) {
            if (text.endsWith(candidate.name())) {
                unit = candidate.bytes;
                digits = text.substring(0, text.length() - candidate.name().length())
                        .strip();
            }
        }
        try {
            return Math.multiplyExact(Long.parseLong(digits), unit);
        } catch (NumberFormatException | ArithmeticException notANumber) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a size such as 4096, 256KiB or 64MiB", notANumber);
        }
    }

    /** Enough iterations for a stable median, few enough for a run of some minutes. */
    private static int usualIterations(long bytes) {
        return bytes <= 64 * 1024 ? 200 : bytes <= 1024 * 1024 ? 100 : bytes <= 16 * 1024 * 1024 ? 20 : 10;
    }

    private enum Unit {
        KiB(1L << 10),
        MiB(1L << 20),
        GiB(1L << 30);

        private final long bytes;

        Unit(long bytes) {
            this.bytes = bytes;
        }
    }
}
