package io.hearth.accel;

/**
 * Blocks of small signed integers with one scale each: {@code value ~ level * scale}.
 *
 * <pre>
 * for each block of {@code block} values (the last may be shorter, n values)
 *   | scale: float32, 0 to {@link #scaleMax} | 8 bits: n levels, a byte each                              |
 *                                            | 4 bits: ceil(n / 2) bytes; byte j holds level j in its      |
 *                                            | lower half and level j + ceil(n / 2) in its upper, else 0   |
 * </pre>
 *
 * Levels reach from {@code -levelMax} to {@code levelMax}; the level below, which two's complement also has, is never written.
 *
 * @param bits per level, 8 or 4
 * @param block values per scale, 8 to 65,536
 */
public record BlockFormat(int bits, int block) {
    /** Fewest values per scale. */
    public static final int BLOCK_MIN = 8;

    /** Most values per scale. */
    public static final int BLOCK_MAX = 1 << 16;

    private static final float SCALE_MAX_8 = scaleMax((1 << (Byte.SIZE - 1)) - 1);
    private static final float SCALE_MAX_4 = scaleMax((1 << (Byte.SIZE / 2 - 1)) - 1);

    /** Checks the ranges. */
    public BlockFormat {
        if (bits != Byte.SIZE && bits != Byte.SIZE / 2) {
            throw new IllegalArgumentException("need 8 or 4 bits per level, got " + bits);
        }
        if (block < BLOCK_MIN || block > BLOCK_MAX) {
            throw new IllegalArgumentException("need " + BLOCK_MIN + " to " + BLOCK_MAX + " values per int" + bits
                    + " block, got " + block + "; a usual choice is 64");
        }
    }

    /** 127 or 7. */
    public int levelMax() {
        return (1 << (bits - 1)) - 1;
    }

    /** The largest scale whose product with the largest level is finite. */
    public float scaleMax() {
        return bits == Byte.SIZE ? SCALE_MAX_8 : SCALE_MAX_4;
    }

    private static float scaleMax(int levelMax) {
        float scale = Float.MAX_VALUE / levelMax;
        return Float.isFinite(scale * levelMax) ? scale : Math.nextDown(scale);
    }

    /**
     * The scale of a block. It is rounded up where rounding down would make the largest value more than {@link #levelMax} scales: between
     * subnormals one step is much.
     *
     * @param largest the largest magnitude of the block, finite
     */
    public float scale(float largest) {
        float scale = largest / levelMax();
        return Math.min(scale * levelMax() < largest ? Math.nextUp(scale) : scale, scaleMax());
    }

    /** Bytes of {@code count} values, at least 0 of them; throws ArithmeticException beyond 2^63. */
    public long bytes(long count) {
        long whole = count / block;
        int rest = (int) (count % block);
        return Math.addExact(Math.multiplyExact(whole, (long) blockBytes(block)), rest == 0 ? 0 : blockBytes(rest));
    }

    /** Bytes of one block of {@code n} values, 1 to {@link #block}, its scale included. */
    public int blockBytes(int n) {
        return Float.BYTES + (bits == Byte.SIZE ? n : half(n));
    }

    /** How many of {@code n} four-bit levels are in lower halves. */
    public static int half(int n) {
        return (n + 1) / 2;
    }
}
