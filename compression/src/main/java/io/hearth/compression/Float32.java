package io.hearth.compression;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Little-endian float32 memory, whole blocks at a time through arrays, where C2 vectorises plain loops. */
final class Float32 {
    static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt BITS = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final int MAGNITUDE_MASK = 0x7fff_ffff;
    static final int INFINITY_BITS = 0x7f80_0000;

    /** Values per block: two such blocks fit a first-level cache. */
    static final int BLOCK = 2048;

    private Float32() {}

    static void load(MemorySegment memory, long index, float[] values, int n) {
        MemorySegment.copy(memory, FLOAT, index * Float.BYTES, values, 0, n);
    }

    static void loadBits(MemorySegment memory, long index, int[] bits, int n) {
        MemorySegment.copy(memory, BITS, index * Float.BYTES, bits, 0, n);
    }

    static void store(float[] values, MemorySegment memory, long index, int n) {
        MemorySegment.copy(values, 0, memory, FLOAT, index * Float.BYTES, n);
    }

    /** {@code memory[index + i] += values[i]}; {@code scratch} holds at least {@code n}. */
    static void add(float[] values, MemorySegment memory, long index, int n, float[] scratch) {
        load(memory, index, scratch, n);
        for (int i = 0; i < n; i++) {
            scratch[i] += values[i];
        }
        store(scratch, memory, index, n);
    }

    /** How many of {@code count} are left at {@code done}, at most one block. */
    static int blockAt(long done, long count) {
        return (int) Math.min(BLOCK, count - done);
    }

    static void checkRoom(MemorySegment values, long count) {
        if (count < 0 || count > values.byteSize() / Float.BYTES) {
            throw new IllegalArgumentException(
                    "need room for " + count + " float32 values, got " + values.byteSize() + " bytes");
        }
    }

    static void checkRoom(MemorySegment encoded, long bytesMax, long count) {
        if (encoded.byteSize() < bytesMax) {
            throw new IllegalArgumentException("need " + bytesMax + " bytes for the encoding of " + count
                    + " values (encodedBytesMax), got " + encoded.byteSize());
        }
    }
}
