package io.hearth.accel.vector;

import static io.hearth.accel.portable.PortableCodecKernels.FLOAT;
import static io.hearth.accel.portable.PortableCodecKernels.MAGNITUDE;

import io.hearth.accel.BlockFormat;
import io.hearth.accel.CodecKernels;
import io.hearth.accel.CodecOperands;
import io.hearth.accel.Engine;
import io.hearth.accel.HalfFloat;
import io.hearth.accel.KernelKind;
import io.hearth.accel.MagnitudeHistogram;
import io.hearth.accel.MatrixKernels;
import io.hearth.accel.Rounding;
import io.hearth.accel.portable.HalfBlock;
import io.hearth.accel.portable.PortableCodecKernels;
import io.hearth.accel.select.Engines;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The codecs' kernels by the Vector API straight on native memory.
 *
 * <p>Bodies in arrays go the portable way: C2 boxes the vectors of a method that sees both kinds of memory.
 *
 * <p>Loading this class needs the module {@code jdk.incubator.vector}; {@link Engines} checks for it first.
 */
public final class VectorCodecKernels implements CodecKernels {
    private static final VectorSpecies<Integer> INTS =
            VectorSpecies.of(int.class, ByteVector.SPECIES_PREFERRED.vectorShape());
    private static final VectorSpecies<Float> FLOATS = INTS.withLanes(float.class);
    private static final int LANES = INTS.length();

    /**
     * Whether lanes are compressed by an instruction: processors with vectors of 128 bits may have none, and then it is far slower than a
     * loop over four lanes.
     */
    private static final boolean COMPRESSES = INTS.vectorBitSize() >= 256;

    private static final IntVector PLACES = IntVector.zero(INTS).addIndex(1);

    private final PortableCodecKernels portable = new PortableCodecKernels();
    private final LevelKernels levels = new LevelKernels();

    @Override
    public String name() {
        return Engine.VECTOR.label();
    }

    @Override
    public void add(
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            long count) {
        CodecOperands.checkValues("target", target, targetOffset, count, true);
        CodecOperands.checkValues("left", left, leftOffset, count, false);
        CodecOperands.checkValues("right", right, rightOffset, count, false);
        long i = 0;
        for (; i <= count - LANES; i += LANES) {
            long at = i * Float.BYTES;
            FloatVector.fromMemorySegment(FLOATS, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .add(FloatVector.fromMemorySegment(
                            FLOATS, NativeMemory.of(right), rightOffset + at, ByteOrder.LITTLE_ENDIAN))
                    .intoMemorySegment(NativeMemory.of(target), targetOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
        for (; i < count; i++) {
            long at = i * Float.BYTES;
            target.set(FLOAT, targetOffset + at, left.get(FLOAT, leftOffset + at) + right.get(FLOAT, rightOffset + at));
        }
    }

    @Override
    public long quantise(
            BlockFormat format,
            Rounding rounding,
            long firstBlock,
            MemorySegment values,
            long valuesOffset,
            long count,
            MemorySegment body,
            long bodyOffset,
            boolean leavesError) {
        if (!body.isNative() || !LevelVectors.PRESENT) {
            return portable.quantise(
                    format, rounding, firstBlock, values, valuesOffset, count, body, bodyOffset, leavesError);
        }
        CodecOperands.checkValues("values", values, valuesOffset, count, leavesError);
        CodecOperands.checkBody(format, body, bodyOffset, count, true);
        return levels.quantise(
                format, rounding, firstBlock, values, valuesOffset, count, body, bodyOffset, leavesError);
    }

    @Override
    public void dequantise(
            BlockFormat format,
            MemorySegment body,
            long bodyOffset,
            MemorySegment values,
            long valuesOffset,
            long count,
            boolean adds) {
        if (!body.isNative() || !LevelVectors.PRESENT) {
            portable.dequantise(format, body, bodyOffset, values, valuesOffset, count, adds);
            return;
        }
        CodecOperands.checkValues("values", values, valuesOffset, count, true);
        CodecOperands.checkBody(format, body, bodyOffset, count, false);
        LevelKernels.dequantise(format, body, bodyOffset, 1, values, valuesOffset, count, adds);
    }

    @Override
    public long badBlock(BlockFormat format, MemorySegment body, long bodyOffset, long count) {
        if (!body.isNative() || !LevelVectors.PRESENT) {
            return portable.badBlock(format, body, bodyOffset, count);
        }
        CodecOperands.checkBody(format, body, bodyOffset, count, false);
        return levels.badBlock(format, body, bodyOffset, count);
    }

    @Override
    public long narrow(
            HalfFloat format,
            MemorySegment values,
            long valuesOffset,
            long count,
            MemorySegment halves,
            long halvesOffset,
            boolean leavesError) {
        CodecOperands.checkValues("values", values, valuesOffset, count, leavesError);
        CodecOperands.checkHalves(halves, halvesOffset, count, true);
        boolean vectors = halves.isNative() && byVectors(format);
        for (long done = 0; done < count; done += HalfBlock.VALUES) {
            int n = (int) Math.min(HalfBlock.VALUES, count - done);
            long place = valuesOffset + done * Float.BYTES;
            long at = halvesOffset + done * Short.BYTES;
            // A value that is NaN or too large is rare; the portable kernels find it.
            boolean plain = vectors && LevelLoops.largest(values, place, n) < format.overflowBits();
            int whole = plain ? narrowVectors(format, values, place, n, halves, at, leavesError) : 0;
            place += (long) whole * Float.BYTES;
            at += (long) whole * Short.BYTES;
            long beyond = portable.narrow(format, values, place, n - whole, halves, at, leavesError);
            if (beyond != NONE) {
                return done + whole + beyond;
            }
        }
        return NONE;
    }

    private static int narrowVectors(
            HalfFloat format,
            MemorySegment values,
            long place,
            int n,
            MemorySegment halves,
            long at,
            boolean leavesError) {
        return switch (format) {
            case BINARY16 ->
                leavesError
                        ? Binary16Vectors.narrowLeavingError(values, place, n, halves, at)
                        : Binary16Vectors.narrow(values, place, n, halves, at);
            case BFLOAT16 ->
                leavesError
                        ? Bfloat16Vectors.narrowLeavingError(values, place, n, halves, at)
                        : Bfloat16Vectors.narrow(values, place, n, halves, at);
        };
    }

    /**
     * Whether vectors are faster than plain loops. C2 uses the processor's instructions for binary16 in plain loops, and the Vector API
     * has none: its integer arithmetic pays only with wide vectors, and never for widening.
     */
    private static boolean byVectors(HalfFloat format) {
        return switch (format) {
            case BINARY16 -> INTS.vectorBitSize() >= 256;
            case BFLOAT16 -> LevelVectors.PRESENT;
        };
    }

    @Override
    public void widen(
            HalfFloat format,
            MemorySegment halves,
            long halvesOffset,
            MemorySegment values,
            long valuesOffset,
            long count,
            boolean adds) {
        CodecOperands.checkValues("values", values, valuesOffset, count, true);
        CodecOperands.checkHalves(halves, halvesOffset, count, false);
        long done = 0;
        if (halves.isNative() && byVectors(format)) {
            done = switch (format) {
                case BINARY16 ->
                    adds ? Binary16Vectors.widenAndAdd(halves, halvesOffset, values, valuesOffset, count) : 0;
                case BFLOAT16 ->
                    adds
                            ? Bfloat16Vectors.widenAndAdd(halves, halvesOffset, values, valuesOffset, count)
                            : Bfloat16Vectors.widen(halves, halvesOffset, values, valuesOffset, count);
            };
        }
        long at = halvesOffset + done * Short.BYTES;
        portable.widen(format, halves, at, values, valuesOffset + done * Float.BYTES, count - done, adds);
    }

    @Override
    public int select(MemorySegment values, long valuesOffset, int count, int leastBits, int[] indices) {
        if (!LevelVectors.PRESENT) {
            return portable.select(values, valuesOffset, count, leastBits, indices);
        }
        CodecOperands.checkSelect(values, valuesOffset, count, indices);
        int found = 0;
        int i = 0;
        for (; i <= count - LANES; i += LANES) {
            VectorMask<Integer> large = IntVector.fromMemorySegment(
                            INTS,
                            NativeMemory.of(values),
                            valuesOffset + (long) i * Float.BYTES,
                            ByteOrder.LITTLE_ENDIAN)
                    .and(MAGNITUDE)
                    .compare(VectorOperators.GE, leastBits);
            if (large.anyTrue() && !COMPRESSES) {
                found = PortableCodecKernels.select(values, valuesOffset, i, i + LANES, leastBits, indices, found);
            } else if (large.anyTrue()) {
                PLACES.add(i).compress(large).intoArray(indices, found);
                found += large.trueCount();
            }
        }
        return PortableCodecKernels.select(values, valuesOffset, i, count, leastBits, indices, found);
    }

    @Override
    public void histogram(MemorySegment values, long valuesOffset, long count, MagnitudeHistogram histogram) {
        CodecOperands.checkValues("values", values, valuesOffset, count, false);
        PortableCodecKernels.histogram(this, values, valuesOffset, 0, count, histogram);
    }

    @Override
    public MatrixKernels matrices() {
        return new VectorMatrixKernels();
    }

    @Override
    public int run(KernelKind kernel, long count) {
        return MagnitudeHistogram.RUN;
    }

    @Override
    public int run(BlockFormat format, long count) {
        return MagnitudeHistogram.RUN;
    }
}
