package io.hearth.accel.portable;

import io.hearth.accel.BlockFormat;
import io.hearth.accel.CodecKernels;
import io.hearth.accel.CodecOperands;
import io.hearth.accel.Engine;
import io.hearth.accel.HalfFloat;
import io.hearth.accel.KernelKind;
import io.hearth.accel.MagnitudeHistogram;
import io.hearth.accel.MatrixKernels;
import io.hearth.accel.Rounding;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Plain Java: each block is copied into arrays and worked on in loops that C2 turns into vector code. */
public final class PortableCodecKernels implements CodecKernels {
    public static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfInt BITS = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final int MAGNITUDE = 0x7fff_ffff;
    public static final int INFINITY = 0x7f80_0000;

    /** Adding and then subtracting this rounds a small value to nearest even, as Math.rint does, but in vector code. */
    public static final float ROUNDER = 0x1.8p23f;

    private static final int CHUNK = 1024;

    private final ScratchPool<Scratch> spares = new ScratchPool<>(Scratch::new);

    /** Scratch memory of one call. */
    private static final class Scratch {
        private final float[] lefts = new float[CHUNK];
        private final float[] rights = new float[CHUNK];
        private final LevelBlock levels = new LevelBlock();
        private final HalfBlock halves = new HalfBlock();

        private LevelBlock levels(BlockFormat format, long count) {
            levels.begin(format, count);
            return levels;
        }

        private HalfBlock halves(HalfFloat format) {
            halves.begin(format);
            return halves;
        }
    }

    @Override
    public String name() {
        return Engine.PORTABLE.label();
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
        Scratch scratch = spares.take();
        float[] lefts = scratch.lefts;
        float[] rights = scratch.rights;
        for (long done = 0; done < count; done += CHUNK) {
            int n = (int) Math.min(CHUNK, count - done);
            MemorySegment.copy(left, FLOAT, leftOffset + done * Float.BYTES, lefts, 0, n);
            MemorySegment.copy(right, FLOAT, rightOffset + done * Float.BYTES, rights, 0, n);
            for (int i = 0; i < n; i++) {
                lefts[i] += rights[i];
            }
            MemorySegment.copy(lefts, 0, target, FLOAT, targetOffset + done * Float.BYTES, n);
        }
        spares.giveBack(scratch);
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
        CodecOperands.checkValues("values", values, valuesOffset, count, leavesError);
        CodecOperands.checkBody(format, body, bodyOffset, count, true);
        Scratch scratch = spares.take();
        LevelBlock block = scratch.levels(format, count);
        long at = bodyOffset;
        long number = firstBlock;
        int n;
        for (long done = 0; done < count; done += n) {
            n = (int) Math.min(format.block(), count - done);
            int bad = block.load(values, valuesOffset + done * Float.BYTES, n);
            if (bad >= 0) {
                spares.giveBack(scratch);
                return done + bad;
            }
            block.quantise(rounding, number++, n);
            at += block.storeLevels(body, at, n);
            if (leavesError) {
                block.subtractLevels(n);
                block.store(values, valuesOffset + done * Float.BYTES, n);
            }
        }
        spares.giveBack(scratch);
        return NONE;
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
        CodecOperands.checkValues("values", values, valuesOffset, count, true);
        CodecOperands.checkBody(format, body, bodyOffset, count, false);
        Scratch scratch = spares.take();
        LevelBlock block = scratch.levels(format, count);
        long at = bodyOffset;
        int n;
        for (long done = 0; done < count; done += n) {
            n = (int) Math.min(format.block(), count - done);
            at += block.loadLevels(body, at, n);
            if (adds) {
                block.loadRaw(values, valuesOffset + done * Float.BYTES, n);
                block.addLevels(n);
            } else {
                block.multiplyOut(n);
            }
            block.store(values, valuesOffset + done * Float.BYTES, n);
        }
        spares.giveBack(scratch);
    }

    @Override
    public long badBlock(BlockFormat format, MemorySegment body, long bodyOffset, long count) {
        CodecOperands.checkBody(format, body, bodyOffset, count, false);
        Scratch scratch = spares.take();
        LevelBlock block = scratch.levels(format, count);
        long at = bodyOffset;
        int n;
        for (long done = 0; done < count; done += n) {
            n = (int) Math.min(format.block(), count - done);
            if (!block.isSound(body, at, n)) {
                spares.giveBack(scratch);
                return done;
            }
            at += format.blockBytes(n);
        }
        spares.giveBack(scratch);
        return NONE;
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
        Scratch scratch = spares.take();
        HalfBlock block = scratch.halves(format);
        for (long done = 0; done < count; done += HalfBlock.VALUES) {
            int n = (int) Math.min(HalfBlock.VALUES, count - done);
            block.loadValues(values, valuesOffset + done * Float.BYTES, n);
            int beyond = block.firstBeyond(n);
            if (beyond >= 0) {
                spares.giveBack(scratch);
                return done + beyond;
            }
            block.narrow(n);
            block.storeHalves(halves, halvesOffset + done * Short.BYTES, n);
            if (leavesError) {
                block.subtractHalves(n);
                block.storeValues(values, valuesOffset + done * Float.BYTES, n);
            }
        }
        spares.giveBack(scratch);
        return NONE;
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
        Scratch scratch = spares.take();
        HalfBlock block = scratch.halves(format);
        for (long done = 0; done < count; done += HalfBlock.VALUES) {
            int n = (int) Math.min(HalfBlock.VALUES, count - done);
            block.loadHalves(halves, halvesOffset + done * Short.BYTES, n);
            if (adds) {
                block.loadValues(values, valuesOffset + done * Float.BYTES, n);
                block.widenAndAdd(n);
            } else {
                block.widen(n);
            }
            block.storeValues(values, valuesOffset + done * Float.BYTES, n);
        }
        spares.giveBack(scratch);
    }

    @Override
    public int select(MemorySegment values, long valuesOffset, int count, int leastBits, int[] indices) {
        CodecOperands.checkSelect(values, valuesOffset, count, indices);
        return select(values, valuesOffset, 0, count, leastBits, indices, 0);
    }

    @Override
    public void histogram(MemorySegment values, long valuesOffset, long count, MagnitudeHistogram histogram) {
        CodecOperands.checkValues("values", values, valuesOffset, count, false);
        histogram(this, values, valuesOffset, 0, count, histogram);
    }

    @Override
    public MatrixKernels matrices() {
        return new PortableMatrixKernels();
    }

    @Override
    public int run(KernelKind kernel, long count) {
        return MagnitudeHistogram.RUN;
    }

    @Override
    public int run(BlockFormat format, long count) {
        return MagnitudeHistogram.RUN;
    }

    /** Counts the values from {@code first} on. Usually few of them count, so {@code engine} selects those first. */
    public static void histogram(
            CodecKernels engine,
            MemorySegment values,
            long offset,
            long first,
            long count,
            MagnitudeHistogram histogram) {
        int[] places = histogram.places();
        for (long done = first; done < count; done += MagnitudeHistogram.RUN) {
            int n = (int) Math.min(MagnitudeHistogram.RUN, count - done);
            long at = offset + done * Float.BYTES;
            int found = engine.select(values, at, n, histogram.low(), places);
            for (int i = 0; i < found; i++) {
                histogram.add(values.get(BITS, at + (long) places[i] * Float.BYTES) & MAGNITUDE);
            }
        }
    }

    /**
     * Selects among the values from {@code first} on, and writes their places after the {@code found} places that {@code indices} has.
     */
    public static int select(
            MemorySegment values, long offset, int first, int count, int leastBits, int[] indices, int found) {
        int n = found;
        for (int i = first; i < count; i++) {
            // Always written, and kept only if counted: no branch that the processor could mispredict.
            indices[n] = i;
            n += (values.get(BITS, offset + (long) i * Float.BYTES) & MAGNITUDE) >= leastBits ? 1 : 0;
        }
        return n;
    }
}
