package io.hearth.compression.format;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Little-endian float32 memory, processed in blocks through arrays, where C2 vectorises plain loops. */
public final class Float32 {
    public static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfInt BITS = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final int MAGNITUDE_MASK = 0x7fff_ffff;
    public static final int INFINITY_BITS = 0x7f80_0000;

    /** Values per block: two such blocks fit a first-level cache. */
    public static final int BLOCK = 2048;

    private Float32() {}

    public static void load(MemorySegment memory, long index, float[] values, int n) {
        MemorySegment.copy(memory, FLOAT, index * Float.BYTES, values, 0, n);
    }

    public static void store(float[] values, MemorySegment memory, long index, int n) {
        MemorySegment.copy(values, 0, memory, FLOAT, index * Float.BYTES, n);
    }

    /** {@code memory[index + i] += values[i]}; {@code scratch} holds at least {@code n}. */
    public static void add(float[] values, MemorySegment memory, long index, int n, float[] scratch) {
        load(memory, index, scratch, n);
        for (int i = 0; i < n; i++) {
            scratch[i] += values[i];
        }
        store(scratch, memory, index, n);
    }

    /** {@code memory[i] += more[i] * factor}. */
    public static void addTimes(MemorySegment more, float factor, MemorySegment memory, long count) {
        float[] block = new float[(int) Math.min(BLOCK, count)];
        float[] scratch = new float[block.length];
        for (long done = 0; done < count; done += BLOCK) {
            int n = blockAt(done, count);
            load(more, done, block, n);
            for (int i = 0; i < n; i++) {
                block[i] *= factor;
            }
            add(block, memory, done, n, scratch);
        }
    }

    /** Turns -0 into +0. */
    public static void addZero(MemorySegment memory, long count) {
        float[] block = new float[(int) Math.min(BLOCK, count)];
        for (long done = 0; done < count; done += BLOCK) {
            int n = blockAt(done, count);
            load(memory, done, block, n);
            for (int i = 0; i < n; i++) {
                block[i] += 0f;
            }
            store(block, memory, done, n);
        }
    }

    /** The number of values left after {@code done} of {@code count}, at most one block. */
    public static int blockAt(long done, long count) {
        return (int) Math.min(BLOCK, count - done);
    }

    public static void checkRoom(MemorySegment values, long count) {
        if (count < 0 || count > values.byteSize() / Float.BYTES) {
            throw new IllegalArgumentException(
                    "need room for " + count + " float32 values, got " + values.byteSize() + " bytes");
        }
    }

    public static void checkPart(MemorySegment tensor, long first, long count, int block) {
        long all = tensor.byteSize() / Float.BYTES;
        if (first < 0 || count < 0 || first > all || count > all - first) {
            throw new IllegalArgumentException(
                    "need a part of " + all + " values, got " + count + " from " + first + " on");
        }
        if (first % block != 0) {
            throw new IllegalArgumentException(
                    "need parts that start at multiples of " + block + " values, got " + first);
        }
    }

    public static void checkRoom(MemorySegment encoded, long bytesMax, long count) {
        if (encoded.byteSize() < bytesMax) {
            throw new IllegalArgumentException("need " + bytesMax + " bytes for the encoding of " + count
                    + " values (encodedBytesMax), got " + encoded.byteSize());
        }
    }
}
