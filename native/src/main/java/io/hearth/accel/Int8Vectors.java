package io.hearth.accel;

import static io.hearth.accel.PortableCodecKernels.FLOAT;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * Int8 blocks of the usual 64 values. A block has so few vectors that a loop over them costs more than they do: here their number is
 * a constant, so that C2 unrolls it, and the loop over the blocks is the one whose bounds are checked once.
 */
final class Int8Vectors {
    /** Values per scale. */
    static final int BLOCK = 64;

    private static final VectorSpecies<Float> FLOATS =
            VectorSpecies.of(float.class, ByteVector.SPECIES_PREFERRED.vectorShape());
    private static final VectorSpecies<Byte> BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, FLOATS.vectorBitSize() / 4)));
    private static final int LANES = FLOATS.length();
    private static final int BODY_BYTES = Float.BYTES + BLOCK;
    private static final int VALUES_BYTES = BLOCK * Float.BYTES;
    private static final int BLOCKS_MAX = 1 << 20; // of one loop, which counts by an int

    private Int8Vectors() {}

    /** {@code values[i] = values[i] + level[i] * scale} in all whole blocks; how many values that were. */
    static long dequantiseAndAdd(
            MemorySegment body, long bodyOffset, MemorySegment values, long valuesOffset, long count) {
        long whole = count / BLOCK;
        for (long done = 0; done < whole; done += BLOCKS_MAX) {
            int blocks = (int) Math.min(BLOCKS_MAX, whole - done);
            addBlocks(body, bodyOffset + done * BODY_BYTES, values, valuesOffset + done * VALUES_BYTES, blocks);
        }
        return whole * BLOCK;
    }

    private static void addBlocks(
            MemorySegment body, long bodyOffset, MemorySegment values, long valuesOffset, int blocks) {
        for (int block = 0; block < blocks; block++) {
            long at = bodyOffset + (long) block * BODY_BYTES;
            long place = valuesOffset + (long) block * VALUES_BYTES;
            float scale = body.get(FLOAT, at);
            for (int i = 0; i < BLOCK; i += LANES) {
                FloatVector product = ((FloatVector) ByteVector.fromMemorySegment(
                                        BYTES, NativeMemory.of(body), at + Float.BYTES + i, ByteOrder.LITTLE_ENDIAN)
                                .convertShape(VectorOperators.B2F, FLOATS, 0))
                        .mul(scale);
                FloatVector.fromMemorySegment(
                                FLOATS,
                                NativeMemory.of(values),
                                place + (long) i * Float.BYTES,
                                ByteOrder.LITTLE_ENDIAN)
                        .add(product)
                        .intoMemorySegment(
                                NativeMemory.of(values), place + (long) i * Float.BYTES, ByteOrder.LITTLE_ENDIAN);
            }
        }
    }
}
