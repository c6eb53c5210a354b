package io.hearth.accel.metal;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reductions on the GPU of this machine. No call fails: it returns how many elements it did, and the caller does the rest on the CPU,
 * which gives the same bits. The engine counts its faults, reports them in {@link #status} and logs each kind once.
 *
 * <p>One engine serves all threads, one call at a time: there is one GPU. A call that finds the GPU busy does nothing, so that the caller
 * uses the CPU and does not wait.
 */
public final class MetalEngine implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetalEngine.class);

    private final MetalLimits limits;
    private final MetalRecord record = new MetalRecord(LOG::warn);
    private final GpuTurns turns;
    private final MetalCodecs codecs;
    private final Combination combination; // guarded by the turn

    private MetalEngine(MetalLimits limits, Opening opening) {
        this.limits = limits;
        turns = new GpuTurns(limits, opening, record);
        codecs = new MetalCodecs(turns);
        combination = new Combination(turns);
    }

    /** Opens the engine of this machine, which takes up to a second if it has a GPU. The caller closes it. */
    public static MetalEngine open(MetalLimits limits) {
        return MetalLibraries.here()
                .map(libraries -> open(libraries, limits))
                .orElseGet(() -> new MetalEngine(
                        limits,
                        Opening.failed(new MetalException(
                                MetalFault.ABSENT, MetalLibraries.absence().orElseThrow()))));
    }

    /** Opens an engine on these libraries; the caller closes it. */
    public static MetalEngine open(MetalLibraries libraries, MetalLimits limits) {
        return open(libraries, limits, KernelSource.text());
    }

    static MetalEngine open(MetalLibraries libraries, MetalLimits limits, String kernels) {
        return new MetalEngine(limits, Opening.of(libraries, limits, kernels));
    }

    /** A checksum of the text of the kernels, 8 hexadecimal digits. */
    public static String kernelsVersion() {
        var crc = new CRC32();
        crc.update(KernelSource.text().getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    /** Sets the timeout of a submission by the longest that was measured: 2 s and a hundred times {@code nanos}. */
    public void expectAtMost(long nanos) {
        turns.expectAtMost(nanos);
    }

    /** The present status; never waits for a running call. */
    public MetalStatus status() {
        return record.status();
    }

    /** Whether a call for {@code count} elements of a type may go to the GPU. */
    public boolean takes(DataType type, long count) {
        return count * type.bytes() >= limits.bytesMin()
                && Kernel.combining(type).isPresent()
                && !record.lost();
    }

    /**
     * {@code target[i] = left[i] op right[i]}, each operand from its offset in bytes on, as {@link ReduceOp} defines it, with the bits of
     * the CPU engines. Operands are not checked.
     *
     * @param op not AVG
     * @param target written
     * @param left in any memory: the target's own elements or apart from it; borrowed
     * @param right in any memory, apart from the target; borrowed
     * @param count at least 0
     * @return how many elements are done, from the first one on; nothing else of the target was touched
     */
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
            return combination.run(type, op, target, targetOffset, left, leftOffset, right, rightOffset, count);
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

    void free(MetalMemory memory) {
        turns.unshare(memory);
    }

    /**
     * Reports the first fault of each kind from now on to {@code listener}, in place of an earlier one: one clause, in the thread of the
     * call in which it happened.
     */
    public void onFirstFaults(Consumer<String> listener) {
        record.onFirstFaults(listener);
    }

    /** Disables Metal because it gave wrong bits. */
    public void distrust(String why) {
        record.fault(new MetalException(MetalFault.WRONG_BITS, why));
    }

    /** Disables Metal because its bits could not be compared. */
    public void unproven(String why) {
        record.fault(new MetalException(MetalFault.UNPROVEN, why));
    }

    /** Ends the skipping of calls after a passing fault, so that each kernel is tried; has no effect after a lasting one. */
    public void askAgain() {
        record.askAgain();
    }

    /** The codecs' kernels of the same GPU. */
    public MetalCodecs codecs() {
        return codecs;
    }

    /**
     * Releases everything, except after a GPU that did not answer; later calls do nothing. Close memory from {@link #allocate} before:
     * afterwards it stays usable, and its pages are never released.
     */
    @Override
    public void close() {
        turns.close();
    }
}
