package io.hearth.accel;

import static io.hearth.accel.PortableCodecKernels.FLOAT;
import static io.hearth.accel.PortableCodecKernels.INFINITY;
import static io.hearth.accel.PortableCodecKernels.MAGNITUDE;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The Vector API straight on native memory.
 *
 * <p>Bodies in arrays go the portable way: a method that sees both kinds of memory has its vectors boxed. So does stochastic
 * rounding, which C2 vectorises there.
 *
 * <p>Loading this class needs the module {@code jdk.incubator.vector}; {@link Engines} looks for it first.
 */
final class VectorCodecKernels implements CodecKernels {
    private static final VectorSpecies<Integer> INTS =
            VectorSpecies.of(int.class, ByteVector.SPECIES_PREFERRED.vectorShape());
    private static final VectorSpecies<Float> FLOATS = INTS.withLanes(float.class);
    private static final int LANES = INTS.length();
    private static final IntVector PLACES = IntVector.zero(INTS).addIndex(1);

    /**
     * Values whose scales are found before the first of them is quantised, if a block has not more: within a block everything waits
     * for its largest value and for a division, and processors look few blocks ahead.
     */
    private static final int GROUP_VALUES = 1024;

    private final PortableCodecKernels portable = new PortableCodecKernels();

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
            long bodyOffset) {
        if (rounding.stochastic() || !body.isNative() || !LevelVectors.PRESENT) {
            return portable.quantise(format, rounding, firstBlock, values, valuesOffset, count, body, bodyOffset);
        }
        return quantise(format, values, valuesOffset, count, body, bodyOffset, false);
    }

    @Override
    public long quantiseLeavingError(
            BlockFormat format,
            Rounding rounding,
            long firstBlock,
            MemorySegment values,
            long valuesOffset,
            long count,
            MemorySegment body,
            long bodyOffset) {
        if (rounding.stochastic() || !body.isNative() || !LevelVectors.PRESENT) {
            return portable.quantiseLeavingError(
                    format, rounding, firstBlock, values, valuesOffset, count, body, bodyOffset);
        }
        return quantise(format, values, valuesOffset, count, body, bodyOffset, true);
    }

    private static long quantise(
            BlockFormat format,
            MemorySegment values,
            long valuesOffset,
            long count,
            MemorySegment body,
            long bodyOffset,
            boolean leaveError) {
        CodecOperands.checkValues("values", values, valuesOffset, count, leaveError);
        CodecOperands.checkBody(format, body, bodyOffset, count, true);
        MemorySegment memory = NativeMemory.of(body);
        int group = Math.max(GROUP_VALUES / format.block(), 1) * format.block();
        long at = bodyOffset;
        for (long done = 0; done < count; done += group) {
            int n = (int) Math.min(group, count - done);
            long place = valuesOffset + done * Float.BYTES;
            long bad = scales(format, values, place, n, memory, at);
            if (bad != NONE) {
                return done + bad;
            }
            at = levels(format, values, place, n, memory, at, leaveError);
        }
        return NONE;
    }

    /** Writes the scales of {@code n} values; returns the index of the first that has none, or {@link #NONE}. */
    private static long scales(
            BlockFormat format, MemorySegment values, long offset, int n, MemorySegment body, long bodyOffset) {
        long at = bodyOffset;
        for (int i = 0; i < n; i += format.block()) {
            int block = Math.min(format.block(), n - i);
            long place = offset + (long) i * Float.BYTES;
            int largest = LevelVectors.largest(values, place, block);
            if (largest >= INFINITY) {
                return (long) i + LevelVectors.firstNotFinite(values, place);
            }
            body.set(FLOAT, at, format.scale(Float.intBitsToFloat(largest)));
            at += format.blockBytes(block);
        }
        return NONE;
    }

    /** Writes the levels that belong to the scales; returns where the next block begins. */
    private static long levels(
            BlockFormat format,
            MemorySegment values,
            long offset,
            int n,
            MemorySegment body,
            long bodyOffset,
            boolean leaveError) {
        boolean eight = format.bits() == Byte.SIZE;
        long at = bodyOffset;
        for (int i = 0; i < n; i += format.block()) {
            int block = Math.min(format.block(), n - i);
            long place = offset + (long) i * Float.BYTES;
            float scale = body.get(FLOAT, at);
            float divisor = scale == 0 ? 1 : scale;
            long to = at + Float.BYTES;
            if (eight && leaveError) {
                LevelVectors.quantise8LeavingError(values, place, block, scale, divisor, body, to);
            } else if (eight) {
                LevelVectors.quantise8(values, place, block, divisor, body, to);
            } else if (leaveError) {
                LevelVectors.quantise4LeavingError(values, place, block, scale, divisor, body, to);
            } else {
                LevelVectors.quantise4(values, place, block, divisor, body, to);
            }
            at += format.blockBytes(block);
        }
        return at;
    }

    @Override
    public void dequantise(
            BlockFormat format,
            MemorySegment body,
            long bodyOffset,
            MemorySegment values,
            long valuesOffset,
            long count) {
        if (!body.isNative() || !LevelVectors.PRESENT) {
            portable.dequantise(format, body, bodyOffset, values, valuesOffset, count);
            return;
        }
        CodecOperands.checkValues("values", values, valuesOffset, count, true);
        CodecOperands.checkBody(format, body, bodyOffset, count, false);
        boolean eight = format.bits() == Byte.SIZE;
        long at = bodyOffset;
        int n;
        for (long done = 0; done < count; done += n) {
            n = (int) Math.min(format.block(), count - done);
            long place = valuesOffset + done * Float.BYTES;
            float scale = body.get(FLOAT, at);
            if (eight) {
                LevelVectors.dequantise8(body, at + Float.BYTES, values, place, n, scale);
            } else {
                LevelVectors.dequantise4(body, at + Float.BYTES, values, place, n, scale);
            }
            at += format.blockBytes(n);
        }
    }

    @Override
    public void dequantiseAndAdd(
            BlockFormat format,
            MemorySegment body,
            long bodyOffset,
            MemorySegment values,
            long valuesOffset,
            long count) {
        if (!body.isNative() || !LevelVectors.PRESENT) {
            portable.dequantiseAndAdd(format, body, bodyOffset, values, valuesOffset, count);
            return;
        }
        CodecOperands.checkValues("values", values, valuesOffset, count, true);
        CodecOperands.checkBody(format, body, bodyOffset, count, false);
        boolean eight = format.bits() == Byte.SIZE;
        boolean usual = eight && format.block() == Int8Vectors.BLOCK;
        long first = usual ? Int8Vectors.dequantiseAndAdd(body, bodyOffset, values, valuesOffset, count) : 0;
        long at = bodyOffset + format.bytes(first);
        int n;
        for (long done = first; done < count; done += n) {
            n = (int) Math.min(format.block(), count - done);
            long place = valuesOffset + done * Float.BYTES;
            float scale = body.get(FLOAT, at);
            if (eight) {
                LevelVectors.dequantise8AndAdd(body, at + Float.BYTES, values, place, n, scale);
            } else {
                LevelVectors.dequantise4AndAdd(body, at + Float.BYTES, values, place, n, scale);
            }
            at += format.blockBytes(n);
        }
    }

    @Override
    public long badBlock(BlockFormat format, MemorySegment body, long bodyOffset, long count) {
        if (!body.isNative() || !LevelVectors.PRESENT) {
            return portable.badBlock(format, body, bodyOffset, count);
        }
        CodecOperands.checkBody(format, body, bodyOffset, count, false);
        boolean eight = format.bits() == Byte.SIZE;
        float scaleMax = format.scaleMax();
        long at = bodyOffset;
        int n;
        for (long done = 0; done < count; done += n) {
            n = (int) Math.min(format.block(), count - done);
            int bytes = format.blockBytes(n);
            float scale = body.get(FLOAT, at);
            boolean sound = eight
                    ? LevelVectors.sound8(body, at + Float.BYTES, bytes - Float.BYTES)
                    : LevelVectors.sound4(body, at + Float.BYTES, bytes - Float.BYTES)
                            && LevelVectors.padded4(body, at + bytes - 1, n);
            if (!sound || !(scale >= 0 && scale <= scaleMax)) {
                return done;
            }
            at += bytes;
        }
        return NONE;
    }

    @Override
    public long narrow(
            HalfFloat format,
            MemorySegment values,
            long valuesOffset,
            long count,
            MemorySegment halves,
            long halvesOffset) {
        CodecOperands.checkValues("values", values, valuesOffset, count, false);
        return narrow(format, values, valuesOffset, count, halves, halvesOffset, false);
    }

    @Override
    public long narrowLeavingError(
            HalfFloat format,
            MemorySegment values,
            long valuesOffset,
            long count,
            MemorySegment halves,
            long halvesOffset) {
        CodecOperands.checkValues("values", values, valuesOffset, count, true);
        return narrow(format, values, valuesOffset, count, halves, halvesOffset, true);
    }

    private long narrow(
            HalfFloat format,
            MemorySegment values,
            long valuesOffset,
            long count,
            MemorySegment halves,
            long halvesOffset,
            boolean leaveError) {
        CodecOperands.checkHalves(halves, halvesOffset, count, true);
        boolean vectors = halves.isNative() && LevelVectors.PRESENT;
        for (long done = 0; done < count; done += HalfBlock.VALUES) {
            int n = (int) Math.min(HalfBlock.VALUES, count - done);
            long place = valuesOffset + done * Float.BYTES;
            long at = halvesOffset + done * Short.BYTES;
            // What is NaN or too large is rare, and left to who can tell.
            boolean plain = vectors && LevelVectors.largest(values, place, n) < format.overflowBits();
            int whole = plain ? narrowVectors(format, values, place, n, halves, at, leaveError) : 0;
            place += (long) whole * Float.BYTES;
            at += (long) whole * Short.BYTES;
            long beyond = leaveError
                    ? portable.narrowLeavingError(format, values, place, n - whole, halves, at)
                    : portable.narrow(format, values, place, n - whole, halves, at);
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
            boolean leaveError) {
        return switch (format) {
            case BINARY16 ->
                leaveError
                        ? Binary16Vectors.narrowLeavingError(values, place, n, halves, at)
                        : Binary16Vectors.narrow(values, place, n, halves, at);
            case BFLOAT16 ->
                leaveError
                        ? Bfloat16Vectors.narrowLeavingError(values, place, n, halves, at)
                        : Bfloat16Vectors.narrow(values, place, n, halves, at);
        };
    }

    @Override
    public void widen(
            HalfFloat format,
            MemorySegment halves,
            long halvesOffset,
            MemorySegment values,
            long valuesOffset,
            long count) {
        CodecOperands.checkValues("values", values, valuesOffset, count, true);
        CodecOperands.checkHalves(halves, halvesOffset, count, false);
        long done = 0;
        if (halves.isNative() && LevelVectors.PRESENT) {
            done = switch (format) {
                case BINARY16 -> Binary16Vectors.widen(halves, halvesOffset, values, valuesOffset, count);
                case BFLOAT16 -> Bfloat16Vectors.widen(halves, halvesOffset, values, valuesOffset, count);
            };
        }
        long at = halvesOffset + done * Short.BYTES;
        portable.widen(format, halves, at, values, valuesOffset + done * Float.BYTES, count - done);
    }

    @Override
    public void widenAndAdd(
            HalfFloat format,
            MemorySegment halves,
            long halvesOffset,
            MemorySegment values,
            long valuesOffset,
            long count) {
        CodecOperands.checkValues("values", values, valuesOffset, count, true);
        CodecOperands.checkHalves(halves, halvesOffset, count, false);
        long done = 0;
        if (halves.isNative() && LevelVectors.PRESENT) {
            done = switch (format) {
                case BINARY16 -> Binary16Vectors.widenAndAdd(halves, halvesOffset, values, valuesOffset, count);
                case BFLOAT16 -> Bfloat16Vectors.widenAndAdd(halves, halvesOffset, values, valuesOffset, count);
            };
        }
        long at = halvesOffset + done * Short.BYTES;
        portable.widenAndAdd(format, halves, at, values, valuesOffset + done * Float.BYTES, count - done);
    }

    @Override
    public int select(MemorySegment values, long valuesOffset, int count, int leastBits, int[] indices) {
        if (!LevelVectors.PRESENT) {
            // Where vectors have 128 bits, compress may have no instruction and be far slower than a plain loop.
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
            if (large.anyTrue()) {
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
