package io.hearth.accel.vector;

import static io.hearth.accel.portable.PortableCodecKernels.BITS;
import static io.hearth.accel.portable.PortableCodecKernels.ROUNDER;

import io.hearth.accel.Rounding;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The steps of {@link LevelLoops}, {@link Int8Vectors} and {@link Int4Vectors}: one vector of floats to levels or back, all operands in
 * native memory. Each float lane becomes a byte of a vector a quarter as wide. Offsets are in bytes.
 *
 * <p>A step of 4-bit levels does two vectors: the values of the lower halves of {@link #LANES} bytes and those of the upper halves.
 */
final class LevelVectors {
    private static final VectorSpecies<Float> FLOATS =
            VectorSpecies.of(float.class, ByteVector.SPECIES_PREFERRED.vectorShape());
    private static final VectorSpecies<Integer> INTS = FLOATS.withLanes(int.class);
    private static final VectorSpecies<Byte> BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, FLOATS.vectorBitSize() / 4)));

    /** Floats of a vector, and bytes of its levels. */
    static final int LANES = FLOATS.length();

    /** Whether vectors are wide enough: with 64 bits the levels of a vector would be two bytes. */
    static final boolean PRESENT = FLOATS.vectorBitSize() >= 128;

    /** With 128 bits the levels of a vector are four bytes; no vector is that small, so they are read and written as one int. */
    private static final boolean AS_INT = LANES == Integer.BYTES;

    private static final int NIBBLE = 15;
    private static final int NIBBLE_BITS = 4;
    private static final int BYTE_WITHOUT_NIBBLE = 28;

    /** The numbers that {@link Rounding#draw} adds to a block's seed, lane by lane. */
    private static final IntVector STRIDES = IntVector.zero(INTS).addIndex(1).mul(Rounding.STRIDE);

    private LevelVectors() {}

    /** Writes levels to {@code at}, rounded to nearest. */
    static void nearest8(MemorySegment values, long place, float divisor, MemorySegment body, long at) {
        store(
                rounded(FloatVector.fromMemorySegment(FLOATS, NativeMemory.of(values), place, ByteOrder.LITTLE_ENDIAN)
                        .div(divisor)),
                body,
                at);
    }

    /** Writes levels to {@code at}, rounded stochastically; {@code first} is the place of the first value in its block. */
    static void stochastic8(
            MemorySegment values, long place, float divisor, int seed, int first, MemorySegment body, long at) {
        store(
                rounded(FloatVector.fromMemorySegment(FLOATS, NativeMemory.of(values), place, ByteOrder.LITTLE_ENDIAN)
                        .div(divisor)
                        .add(draws(seed, first))),
                body,
                at);
    }

    static void nearest4(MemorySegment values, long low, long high, float divisor, MemorySegment body, long at) {
        store(
                pack(
                        rounded(FloatVector.fromMemorySegment(
                                        FLOATS, NativeMemory.of(values), low, ByteOrder.LITTLE_ENDIAN)
                                .div(divisor)),
                        rounded(FloatVector.fromMemorySegment(
                                        FLOATS, NativeMemory.of(values), high, ByteOrder.LITTLE_ENDIAN)
                                .div(divisor))),
                body,
                at);
    }

    /** {@code values = level * scale}. */
    static void multiply8(MemorySegment body, long at, float scale, MemorySegment values, long place) {
        levels(body, at).mul(scale).intoMemorySegment(NativeMemory.of(values), place, ByteOrder.LITTLE_ENDIAN);
    }

    /** {@code values = values + level * scale}. */
    static void add8(MemorySegment body, long at, float scale, MemorySegment values, long place) {
        FloatVector.fromMemorySegment(FLOATS, NativeMemory.of(values), place, ByteOrder.LITTLE_ENDIAN)
                .add(levels(body, at).mul(scale))
                .intoMemorySegment(NativeMemory.of(values), place, ByteOrder.LITTLE_ENDIAN);
    }

    static void multiply4(MemorySegment body, long at, float scale, MemorySegment values, long low, long high) {
        IntVector packed = packed(body, at);
        low(packed).mul(scale).intoMemorySegment(NativeMemory.of(values), low, ByteOrder.LITTLE_ENDIAN);
        high(packed).mul(scale).intoMemorySegment(NativeMemory.of(values), high, ByteOrder.LITTLE_ENDIAN);
    }

    static void add4(MemorySegment body, long at, float scale, MemorySegment values, long low, long high) {
        IntVector packed = packed(body, at);
        FloatVector.fromMemorySegment(FLOATS, NativeMemory.of(values), low, ByteOrder.LITTLE_ENDIAN)
                .add(low(packed).mul(scale))
                .intoMemorySegment(NativeMemory.of(values), low, ByteOrder.LITTLE_ENDIAN);
        FloatVector.fromMemorySegment(FLOATS, NativeMemory.of(values), high, ByteOrder.LITTLE_ENDIAN)
                .add(high(packed).mul(scale))
                .intoMemorySegment(NativeMemory.of(values), high, ByteOrder.LITTLE_ENDIAN);
    }

    /** The lowest byte of each lane is the level. */
    private static IntVector rounded(FloatVector quotients) {
        return quotients.add(ROUNDER).reinterpretAsInts();
    }

    /** The number of {@link Rounding#draw}, which computes it by an int and a product. */
    private static FloatVector draws(int seed, int first) {
        IntVector h = STRIDES.add(first * Rounding.STRIDE).add(seed);
        h = h.lanewise(VectorOperators.XOR, h.lanewise(VectorOperators.LSHR, Rounding.SHIFT_ONE))
                .mul(Rounding.FACTOR_ONE);
        h = h.lanewise(VectorOperators.XOR, h.lanewise(VectorOperators.LSHR, Rounding.SHIFT_TWO))
                .mul(Rounding.FACTOR_TWO);
        return h.and(Rounding.FRACTION)
                .or(Rounding.ONE_AND_HALF_A_STEP)
                .reinterpretAsFloats()
                .sub(Rounding.CENTRE);
    }

    private static IntVector pack(IntVector low, IntVector high) {
        return low.and(NIBBLE).or(high.lanewise(VectorOperators.LSHL, NIBBLE_BITS));
    }

    /** Writes the lowest byte of each lane to {@code at}. */
    private static void store(IntVector lanes, MemorySegment body, long at) {
        ByteVector bytes = lanes.convertShape(VectorOperators.I2B, BYTES, 0).reinterpretAsBytes();
        if (AS_INT) {
            body.set(BITS, at, bytes.reinterpretAsInts().lane(0));
        } else {
            bytes.intoMemorySegment(NativeMemory.of(body), at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static FloatVector levels(MemorySegment body, long at) {
        return (FloatVector) load(body, at).convertShape(VectorOperators.B2F, FLOATS, 0);
    }

    private static IntVector packed(MemorySegment body, long at) {
        return (IntVector) load(body, at).convertShape(VectorOperators.B2I, INTS, 0);
    }

    /** Loads {@link #LANES} bytes; further bytes of the vector are undefined. */
    private static ByteVector load(MemorySegment body, long at) {
        return AS_INT
                ? IntVector.broadcast(IntVector.SPECIES_64, body.get(BITS, at)).reinterpretAsBytes()
                : ByteVector.fromMemorySegment(BYTES, NativeMemory.of(body), at, ByteOrder.LITTLE_ENDIAN);
    }

    private static FloatVector low(IntVector packed) {
        return (FloatVector) packed.lanewise(VectorOperators.LSHL, BYTE_WITHOUT_NIBBLE)
                .lanewise(VectorOperators.ASHR, BYTE_WITHOUT_NIBBLE)
                .convert(VectorOperators.I2F, 0);
    }

    private static FloatVector high(IntVector packed) {
        return (FloatVector) packed.lanewise(VectorOperators.ASHR, NIBBLE_BITS).convert(VectorOperators.I2F, 0);
    }
}
