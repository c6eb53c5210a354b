package io.hearth.compression.format;

/** The ranges of settings that strategies, codecs and memories share. Each method rejects a value that is out of its range. */
public final class Ranges {
    private static final int CHUNK_MIN = 64;
    private static final int CHUNK_MAX = 1 << 16;

    private Ranges() {}

    /** The share of the values that {@code codec} sends. */
    public static void requireFraction(String codec, double fraction) {
        if (!(fraction > 0 && fraction <= 1)) {
            throw new IllegalArgumentException("need a " + codec + " fraction above 0 and at most 1, got " + fraction
                    + "; a usual choice is 0.01");
        }
    }

    /** Bits of each value of which a sparse encoding keeps some of the whole tensor. */
    public static void requireBits(int bits) {
        if (bits != Short.SIZE && bits != Float.SIZE) {
            throw new IllegalArgumentException(
                    "need 16 or 32 bits of each value, got " + bits + "; a usual choice is 16");
        }
    }

    /** The length of chunks, and the bits of each value that is kept in them. */
    public static void requireChunks(int chunk, int bits) {
        if (chunk < CHUNK_MIN || chunk > CHUNK_MAX || Integer.bitCount(chunk) != 1) {
            throw new IllegalArgumentException("need chunks of " + CHUNK_MIN + " to " + CHUNK_MAX
                    + " values, a power of two, got " + chunk + "; a usual choice is 4096");
        }
        if (bits != 2 && bits != 4 && bits != Short.SIZE) {
            throw new IllegalArgumentException(
                    "need 2, 4 or 16 bits of each value in chunks, got " + bits + "; a usual choice is 16");
        }
    }

    /** Columns of both factors of PowerSGD. */
    public static void requireRank(int rank) {
        if (rank < 1) {
            throw new IllegalArgumentException(
                    "need a PowerSGD rank of at least 1, got " + rank + "; a usual choice is 1 to 4");
        }
    }
}
