package io.hearth.accel.gpu;

import io.hearth.accel.BlockFormat;
import io.hearth.accel.CodecKernels;
import io.hearth.accel.CodecOperands;
import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.HalfFloat;
import io.hearth.accel.KernelKind;
import io.hearth.accel.MagnitudeHistogram;
import io.hearth.accel.MatrixKernels;
import io.hearth.accel.Rounding;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.Quantising;
import io.hearth.accel.portable.PortableCodecKernels;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * The codecs' kernels by the GPU where it has the kernel and {@link EngineChoice} gives it the call. Another engine does the rest: levels
 * of 4 bits, halves, checks of bodies, short runs, and the part of a call that the GPU left undone.
 */
public final class MetalCodecKernels implements CodecKernels {
    private static final int RUN_UNIT = 1024;

    private final MetalEngine metal;
    private final CodecKernels cpu;
    private final EngineChoice choice;
    private final long quantiseFrom;
    private final long addFrom;
    private final long selectFrom;
    private final long histogramFrom;
    private final long sumFrom;

    /** Both engines are shared with others. */
    public MetalCodecKernels(MetalEngine metal, CodecKernels cpu, EngineChoice choice) {
        this.metal = metal;
        this.cpu = cpu;
        this.choice = choice;
        quantiseFrom = choice.metalFrom(KernelKind.QUANTISE_INT8);
        addFrom = choice.metalFrom(KernelKind.ADD_INT8);
        selectFrom = choice.metalFrom(KernelKind.SELECT_FLOAT32);
        histogramFrom = choice.metalFrom(KernelKind.HISTOGRAM_FLOAT32);
        sumFrom = choice.metalFrom(KernelKind.SUM_FLOAT32);
    }

    @Override
    public String name() {
        return Engine.METAL.label();
    }

    private boolean takes(long from, long count) {
        return count * Float.BYTES >= from && metal.takes(DataType.FLOAT32, count);
    }

    private boolean takes(long from, BlockFormat format, long count) {
        return format.bits() == Byte.SIZE && takes(from, count);
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
        long done = 0;
        if (count <= Integer.MAX_VALUE && takes(sumFrom, count)) {
            int n = (int) count;
            done = metal.combine(
                    DataType.FLOAT32, ReduceOp.SUM, target, targetOffset, left, leftOffset, right, rightOffset, n);
        }
        long at = done * Float.BYTES;
        cpu.add(target, targetOffset + at, left, leftOffset + at, right, rightOffset + at, count - done);
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
        long done = quantised(format, rounding, firstBlock, values, valuesOffset, count, leavesError, body, bodyOffset);
        long found = cpu.quantise(
                format,
                rounding,
                firstBlock + done / format.block(),
                values,
                valuesOffset + done * Float.BYTES,
                count - done,
                body,
                bodyOffset + format.bytes(done),
                leavesError);
        return found == NONE ? NONE : done + found;
    }

    /** Returns how many values the GPU did: whole blocks, or all. */
    private long quantised(
            BlockFormat format,
            Rounding rounding,
            long firstBlock,
            MemorySegment values,
            long valuesOffset,
            long count,
            boolean leavesError,
            MemorySegment body,
            long bodyOffset) {
        if (!takes(quantiseFrom, format, count)) {
            return 0;
        }
        var how = new Quantising(format.block(), format.scaleMax(), rounding.stochastic(), rounding.seed(), firstBlock);
        return metal.codecs().quantise(how, values, valuesOffset, count, leavesError, body, bodyOffset);
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
        long done = takes(addFrom, format, count)
                ? metal.codecs().dequantise(format.block(), adds, body, bodyOffset, values, valuesOffset, count)
                : 0;
        long at = bodyOffset + format.bytes(done);
        cpu.dequantise(format, body, at, values, valuesOffset + done * Float.BYTES, count - done, adds);
    }

    @Override
    public long badBlock(BlockFormat format, MemorySegment body, long bodyOffset, long count) {
        return cpu.badBlock(format, body, bodyOffset, count);
    }

    @Override
    public int select(MemorySegment values, long valuesOffset, int count, int leastBits, int[] indices) {
        CodecOperands.checkSelect(values, valuesOffset, count, indices);
        if (!takes(selectFrom, count)) {
            return cpu.select(values, valuesOffset, count, leastBits, indices);
        }
        int[] found = {0};
        int done = (int)
                metal.codecs().select(values, valuesOffset, count, leastBits, place -> indices[found[0]++] = place);
        return PortableCodecKernels.select(values, valuesOffset, done, count, leastBits, indices, found[0]);
    }

    @Override
    public void histogram(MemorySegment values, long valuesOffset, long count, MagnitudeHistogram histogram) {
        CodecOperands.checkValues("values", values, valuesOffset, count, false);
        long done = 0;
        if (takes(histogramFrom, count)) {
            done = metal.codecs()
                    .histogram(
                            values,
                            valuesOffset,
                            count,
                            histogram.low(),
                            histogram.high(),
                            histogram.shift(),
                            MagnitudeHistogram.BUCKETS,
                            histogram::add,
                            histogram::largest);
        }
        PortableCodecKernels.histogram(cpu, values, valuesOffset, done, count, histogram);
    }

    /** The CPU's: memory limits thin products, not arithmetic. */
    @Override
    public MatrixKernels matrices() {
        return cpu.matrices();
    }

    /** The CPU's length, unless the GPU does the kernel for a longer run. */
    @Override
    public int run(KernelKind kernel, long count) {
        int most = runMax(count);
        return takes(choice.metalFrom(kernel), most) ? most : cpu.run(kernel, count);
    }

    @Override
    public int run(BlockFormat format, long count) {
        int most = runMax(count);
        return takes(quantiseFrom, format, most) ? most : cpu.run(format, count);
    }

    private static int runMax(long count) {
        return (int) Math.min(RUN_MAX, Math.ceilDiv(count, RUN_UNIT) * RUN_UNIT);
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
        return cpu.narrow(format, values, valuesOffset, count, halves, halvesOffset, leavesError);
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
        cpu.widen(format, halves, halvesOffset, values, valuesOffset, count, adds);
    }
}
