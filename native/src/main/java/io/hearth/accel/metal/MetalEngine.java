package io.hearth.accel.metal;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reductions on the GPU of this machine. Never fails: it says how many elements it did, and the caller does the rest on the CPU,
 * which gives the same bits. Why not all, it counts, tells in {@link #status} and logs once for each kind of fault.
 *
 * <p>One engine serves all threads, one call at a time: there is one GPU. A call that finds it busy does nothing, so that the caller
 * goes on with the CPU instead of waiting.
 */
public final class MetalEngine implements AutoCloseable {
    /** The largest number of inputs of one call: three dispatches, of which the second and third go on from a result. */
    public static final int INPUTS_MAX = 3 * Kernel.INPUTS_MAX - 2;

    private static final Logger LOG = LoggerFactory.getLogger(MetalEngine.class);

    private final MetalLimits limits;
    private final MetalRecord record = new MetalRecord(LOG::warn);
    private final GpuTurns turns;
    private final MetalCodecs codecs;
    private final Combination combination; // guarded by the turn
    private final Division division; // guarded by the turn

    private MetalEngine(MetalLimits limits, Opening opening) {
        this.limits = limits;
        turns = new GpuTurns(limits, opening, record);
        codecs = new MetalCodecs(turns);
        combination = new Combination(turns);
        division = new Division(turns);
    }

    /** The engine of this machine; takes up to a second if there is a GPU. The caller closes it. */
    public static MetalEngine open(MetalLimits limits) {
        return MetalLibraries.here()
                .map(libraries -> open(libraries, limits))
                .orElseGet(() -> new MetalEngine(
                        limits,
                        Opening.failed(new MetalException(
                                MetalFault.ABSENT, MetalLibraries.absence().orElseThrow()))));
    }

    /** An engine on these libraries; the caller closes it. */
    public static MetalEngine open(MetalLibraries libraries, MetalLimits limits) {
        return open(libraries, limits, KernelSource.text());
    }

    static MetalEngine open(MetalLibraries libraries, MetalLimits limits, String kernels) {
        return new MetalEngine(limits, Opening.of(libraries, limits, kernels));
    }

    /** Changes whenever the text of the kernels does, 8 hexadecimal digits. */
    public static String kernelsVersion() {
        var crc = new CRC32();
        crc.update(KernelSource.text().getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    /** No submission took longer than that when they were measured: one that takes a hundred times as long, and 2 s, is given up. */
    public void expectAtMost(long nanos) {
        turns.expectAtMost(nanos);
    }

    /** How it stands now; never waits for a running call. */
    public MetalStatus status() {
        return record.status();
    }

    /** Whether a call for so many elements of a type is worth a try. */
    public boolean takes(DataType type, long count) {
        return count * type.bytes() >= limits.bytesMin()
                && Kernel.combining(type).isPresent()
                && !record.lost();
    }

    /**
     * {@code target[i] = ((inputs[0][i] op inputs[1][i]) op inputs[2][i]) …}, as {@link io.hearth.core.ReduceOp} and the bits of
     * the CPU engines have it. Operands are not checked.
     *
     * @param op not AVG
     * @param target written from {@code targetOffset} bytes on
     * @param inputs from 2 to {@link #INPUTS_MAX}, each from its first byte on, in any memory; the first may be the target's
     *     own elements, all others lie apart from it; borrowed
     * @param count at least 0
     * @return how many elements are done, from the first one on; nothing else of the target was touched
     */
    public int combine(
            DataType type, ReduceOp op, MemorySegment target, long targetOffset, MemorySegment[] inputs, int count) {
        if (inputs.length < 2 || inputs.length > INPUTS_MAX) {
            throw new IllegalArgumentException("need 2 to " + INPUTS_MAX + " inputs, got " + inputs.length);
        }
        if (!turns.begin()) {
            return 0;
        }
        try {
            combination.begin(type, op, target, targetOffset);
            for (MemorySegment input : inputs) {
                combination.add(input, 0);
            }
            return combination.run(count);
        } finally {
            turns.end();
        }
    }

    /** The same of two operands from their offsets in bytes on: {@code target[i] = left[i] op right[i]}. */
    public int combine(
            DataType type,
            ReduceOp op,
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            int count) {
        if (!turns.begin()) {
            return 0;
        }
        try {
            combination.begin(type, op, target, targetOffset);
            combination.add(left, leftOffset);
            combination.add(right, rightOffset);
            return combination.run(count);
        } finally {
            turns.end();
        }
    }

    /** The same, the right operand in an array. */
    public int combine(
            DataType type,
            ReduceOp op,
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            byte[] right,
            int rightOffset,
            int count) {
        if (!turns.begin()) {
            return 0;
        }
        try {
            combination.begin(type, op, target, targetOffset);
            combination.add(left, leftOffset);
            combination.add(right, rightOffset);
            return combination.run(count);
        } finally {
            turns.end();
        }
    }

    /**
     * {@code values[i] = values[i] / divisor}. Operands are not checked.
     *
     * @param values from {@code offset} bytes on
     * @param count at least 0
     * @param divisor at least 1
     * @return how many elements are done, from the first one on; nothing else was touched
     */
    public long divide(DataType type, MemorySegment values, long offset, long count, int divisor) {
        if (!turns.begin()) {
            return 0;
        }
        try {
            return division.run(type, values, offset, count, divisor);
        } finally {
            turns.end();
        }
    }

    /**
     * Zeroed memory that the GPU reads without a copy; empty if Metal is not usable, is busy or has no room, and beyond {@link
     * MetalLimits#sharedBytesMax}, which is no fault.
     */
    public Optional<MetalMemory> allocate(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("need at least 1 byte, got " + bytes);
        }
        return turns.share(bytes).map(buffer -> new MetalMemory(this, buffer));
    }

    /** Bytes of operands that were copied so far to where the GPU reads them, because they lay elsewhere. */
    public long bytesStaged() {
        return turns.bytesStaged();
    }

    void free(MetalMemory memory) {
        turns.unshare(memory);
    }

    /** Is told of faults. */
    public interface FaultListener {
        /**
         * One more; in the thread of the call that it happened in.
         *
         * @param count of this kind so far
         * @param callsOnGpu calls that the GPU had done by then
         * @param why one clause
         */
        void failed(MetalFault fault, long count, long callsOnGpu, String why);
    }

    /** Tells the faults so far, each kind once, and from now on each; whoever was told before is told no more. */
    public void tellFaults(FaultListener listener) {
        record.tell(listener);
    }

    /** Metal gave other bits than it should: it is not asked again. */
    public void distrust(String why) {
        record.fault(new MetalException(MetalFault.WRONG_BITS, why));
    }

    /** It could not be seen what bits Metal gives: it is not asked again. */
    public void unproven(String why) {
        record.fault(new MetalException(MetalFault.UNPROVEN, why));
    }

    /** Forgets that calls would be skipped after a fault that may pass, so that each kernel is tried; not after a lasting one. */
    public void askAgain() {
        record.askAgain();
    }

    /** The codecs' kernels of the same GPU. */
    public MetalCodecs codecs() {
        return codecs;
    }

    /**
     * Gives all back, except after a GPU that did not answer; calls after that do nothing. Memory from {@link #allocate} should be
     * closed before: afterwards it stays usable, and its pages are never given back.
     */
    @Override
    public void close() {
        turns.close();
    }
}
