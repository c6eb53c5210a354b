package io.hearth.accel.portable;

import io.hearth.accel.BlockFormat;
import io.hearth.accel.Rounding;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Arrays for one block of a {@link BlockFormat} and the plain loops over them; {@code n} is the block's number of values. Reused by one
 * thread at a time; each use starts with {@link #begin}.
 */
final class LevelBlock {
    private static final int NIBBLE = 15;
    private static final int NIBBLE_BITS = 4;

    private BlockFormat format = new BlockFormat(Byte.SIZE, BlockFormat.BLOCK_MIN);
    private int levelMax;
    private float scaleMax;
    private float[] values = {};
    private byte[] levels = {};
    private byte[] packed = {};
    private byte[] nibbles = {};
    private float scale;

    /** Makes room for a block of that format, or for {@code count} values if that is less. */
    void begin(BlockFormat next, long count) {
        int room = (int) Math.min(next.block(), count);
        format = next;
        levelMax = next.levelMax();
        scaleMax = next.scaleMax();
        if (values.length < room || levels.length == 0) {
            values = new float[room];
            levels = new byte[room + 1]; // one more, so that an odd number makes two equal halves
            nibbles = new byte[BlockFormat.half(room)];
        }
        packed = next.bits() == Byte.SIZE ? levels : nibbles;
    }

    /** Loads values and finds their scale; returns the index of the first that is not finite, or -1. */
    int load(MemorySegment memory, long offset, int n) {
        loadRaw(memory, offset, n);
        int largest = 0;
        for (int i = 0; i < n; i++) {
            // Magnitudes order as their bits do.
            largest = Math.max(largest, Float.floatToRawIntBits(values[i]) & PortableCodecKernels.MAGNITUDE);
        }
        if (largest >= PortableCodecKernels.INFINITY) {
            int i = 0;
            while (Float.isFinite(values[i])) {
                i++;
            }
            return i;
        }
        scale = format.scale(Float.intBitsToFloat(largest));
        return -1;
    }

    void loadRaw(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(memory, PortableCodecKernels.FLOAT, offset, values, 0, n);
    }

    void store(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(values, 0, memory, PortableCodecKernels.FLOAT, offset, n);
    }

    void quantise(Rounding rounding, long block, int n) {
        float divisor = scale == 0 ? 1 : scale; // a block of zeros
        if (rounding.stochastic()) {
            stochastic(divisor, rounding.blockSeed(block), n);
        } else {
            for (int i = 0; i < n; i++) {
                levels[i] = (byte)
                        (int) (values[i] / divisor + PortableCodecKernels.ROUNDER - PortableCodecKernels.ROUNDER);
            }
        }
        levels[n] = 0;
    }

    private void stochastic(float divisor, int blockSeed, int n) {
        for (int i = 0; i < n; i++) {
            levels[i] = (byte) (int) (values[i] / divisor
                    + Rounding.draw(blockSeed, i)
                    + PortableCodecKernels.ROUNDER
                    - PortableCodecKernels.ROUNDER);
        }
    }

    /** Writes scale and levels; returns the number of bytes. */
    int storeLevels(MemorySegment body, long offset, int n) {
        body.set(PortableCodecKernels.FLOAT, offset, scale);
        int bytes = format.blockBytes(n) - Float.BYTES;
        if (format.bits() != Byte.SIZE) {
            for (int i = 0; i < bytes; i++) {
                packed[i] = (byte) ((levels[i] & NIBBLE) | (levels[i + bytes] << NIBBLE_BITS));
            }
        }
        MemorySegment.copy(packed, 0, body, ValueLayout.JAVA_BYTE, offset + Float.BYTES, bytes);
        return Float.BYTES + bytes;
    }

    /** Loads scale and levels; returns the number of bytes. */
    int loadLevels(MemorySegment body, long offset, int n) {
        scale = body.get(PortableCodecKernels.FLOAT, offset);
        int bytes = format.blockBytes(n) - Float.BYTES;
        MemorySegment.copy(body, ValueLayout.JAVA_BYTE, offset + Float.BYTES, packed, 0, bytes);
        if (format.bits() != Byte.SIZE) {
            for (int i = 0; i < bytes; i++) {
                levels[i] = (byte) ((byte) (packed[i] << NIBBLE_BITS) >> NIBBLE_BITS);
                levels[i + bytes] = (byte) (packed[i] >> NIBBLE_BITS);
            }
        }
        return Float.BYTES + bytes;
    }

    void multiplyOut(int n) {
        for (int i = 0; i < n; i++) {
            values[i] = levels[i] * scale;
        }
    }

    void addLevels(int n) {
        for (int i = 0; i < n; i++) {
            values[i] += levels[i] * scale;
        }
    }

    void subtractLevels(int n) {
        for (int i = 0; i < n; i++) {
            values[i] -= levels[i] * scale;
        }
    }

    boolean isSound(MemorySegment body, long offset, int n) {
        loadLevels(body, offset, n);
        int least = 0;
        for (int i = 0; i < n; i++) {
            least = Math.min(least, levels[i]);
        }
        boolean padded = format.bits() == Byte.SIZE || (n & 1) == 0 || levels[n] == 0;
        return scale >= 0 && scale <= scaleMax && least >= -levelMax && padded;
    }
}
