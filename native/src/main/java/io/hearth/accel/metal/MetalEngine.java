package io.hearth.accel.metal;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reductions on the GPU of this machine. Never fails: it says how many elements it did, and the caller does the rest on the CPU,
 * which gives the same bits. Why not all, it counts, tells in {@link #status} and logs once for each kind of fault.
 *
 * <p>One engine serves all threads, one call at a time: there is one GPU.
 */
public final class MetalEngine implements AutoCloseable {
    /** The largest number of inputs of one call: three dispatches, of which the second and third go on from a result. */
    public static final int INPUTS_MAX = 3 * Kernel.INPUTS_MAX - 2;

    private static final Logger LOG = LoggerFactory.getLogger(MetalEngine.class);

    private final MetalLimits limits;
    private final MetalRecord record = new MetalRecord(LOG::warn);
    private final ReentrantLock turn = new ReentrantLock();
    private final @Nullable MetalThread thread;
    private final @Nullable Gpu gpu;
    private final Staging staging;
    private boolean closed; // guarded by turn

    private MetalEngine(MetalLimits limits, Opening opening) {
        this.limits = limits;
        thread = opening.thread();
        gpu = opening.gpu();
        if (opening.failure() != null) {
            record.notOpened(opening.failure());
        } else if (gpu != null) {
            record.opened(gpu.name());
        }
        staging = new Staging(
                new Staging.Allocator() {
                    @Override
                    public Gpu.Buffer allocate(long bytes) throws MetalException {
                        return onGpu(gpu -> gpu.newBuffer(bytes));
                    }

                    @Override
                    public void release(Gpu.Buffer buffer) throws MetalException {
                        onGpu(gpu -> {
                            gpu.release(buffer);
                            return buffer;
                        });
                    }
                },
                limits.pieceBytesMax());
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
        int operation = operation(op);
        return (int) Kernel.combining(type)
                .map(kernel -> inPieces(type, count, target, targetOffset, (at, n, bytes) -> {
                    var operands = new ArrayList<Dispatch.Place>();
                    for (int i = 0; i < inputs.length; i++) {
                        operands.add(staging.operand(1 + i, inputs[i].asSlice(at, bytes), bytes));
                    }
                    var result = new Dispatch.Place(staging.result(0, bytes), 0);
                    run(Chain.of(kernel, operation, result, operands, n));
                    return result.buffer().contents();
                }))
                .orElse(0L)
                .longValue();
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
        return Kernel.dividing(type)
                .map(kernel -> inPieces(type, count, values, offset, (at, n, bytes) -> {
                    Dispatch.Place operand = staging.operand(1, values.asSlice(offset + at, bytes), bytes);
                    var result = new Dispatch.Place(staging.result(0, bytes), 0);
                    run(List.of(Dispatch.reducing(kernel, List.of(result, operand), n, 0, 1, divisor)));
                    return result.buffer().contents();
                }))
                .orElse(0L);
    }

    /** Zeroed memory that the GPU reads without a copy; empty if Metal is not usable or has no room. */
    public Optional<MetalMemory> allocate(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("need at least 1 byte, got " + bytes);
        }
        turn.lock();
        try {
            if (closed || record.lost()) {
                return Optional.empty();
            }
            Gpu.Buffer buffer = onGpu(gpu -> gpu.newBuffer(bytes));
            staging.share(buffer);
            return Optional.of(new MetalMemory(this, buffer));
        } catch (MetalException failed) {
            record.fault(failed);
            return Optional.empty();
        } finally {
            turn.unlock();
        }
    }

    void free(MetalMemory memory) {
        turn.lock();
        try {
            if (memory.end()) {
                staging.unshare(memory.buffer());
                if (!closed && !record.hung()) {
                    onGpu(gpu -> {
                        gpu.release(memory.buffer());
                        return memory;
                    });
                }
            }
        } catch (MetalException failed) {
            record.fault(failed);
        } finally {
            turn.unlock();
        }
    }

    /** Metal gave other bits than it should: it is not asked again. */
    public void distrust(String why) {
        record.fault(new MetalException(MetalFault.WRONG_BITS, why));
    }

    /**
     * Quantises whole blocks to int8, as io.hearth.accel.CodecKernels has it. Operands are not checked. Stops before a piece with a
     * value that is not finite, which the CPU finds.
     *
     * @param values from {@code valuesOffset} bytes on; the error is left there if {@code leavesError}
     * @param count at least 0
     * @param body written from {@code bodyOffset} bytes on
     * @return how many values are done, from the first one on: whole blocks, or all
     */
    public long quantise(
            Quantising how,
            MemorySegment values,
            long valuesOffset,
            long count,
            boolean leavesError,
            MemorySegment body,
            long bodyOffset) {
        int block = how.block();
        return inParts(count, valuesMax(block), (first, n) -> {
            int blocks = Math.ceilDiv(n, block);
            long bytes = (long) n * Float.BYTES;
            long bodyBytes = n + (long) blocks * Float.BYTES;
            Gpu.Buffer packed = staging.result(0, bodyBytes);
            Gpu.Buffer left = staging.result(1, bytes);
            Gpu.Buffer bad = staging.result(2, (long) blocks * Integer.BYTES);
            long at = valuesOffset + first * Float.BYTES;
            Dispatch.Place operand = staging.operand(3, values.asSlice(at, bytes), bytes);
            run(List.of(new Dispatch(
                    Kernel.QUANTISE_INT8,
                    List.of(start(packed), start(left), start(bad), operand),
                    how.parameters(n, first / block),
                    blocks)));
            for (int i = 0; i < blocks; i++) {
                if (bad.contents().getAtIndex(ValueLayout.JAVA_INT, i) != 0) {
                    return false;
                }
            }
            long bodyAt = bodyOffset + first + first / block * Float.BYTES;
            MemorySegment.copy(packed.contents(), 0, body, bodyAt, bodyBytes);
            if (leavesError) {
                MemorySegment.copy(left.contents(), 0, values, at, bytes);
            }
            return true;
        });
    }

    /**
     * {@code values[i] = values[i] + level[i] * scale}, or without the sum, of int8 levels. Operands are not checked.
     *
     * @param block values per scale
     * @param body from {@code bodyOffset} bytes on
     * @param values written from {@code valuesOffset} bytes on
     * @param count at least 0
     * @return how many values are done, from the first one on: whole blocks, or all
     */
    public long dequantise(
            int block,
            boolean adds,
            MemorySegment body,
            long bodyOffset,
            MemorySegment values,
            long valuesOffset,
            long count) {
        return inParts(count, valuesMax(block), (first, n) -> {
            long bytes = (long) n * Float.BYTES;
            long bodyBytes = n + (long) Math.ceilDiv(n, block) * Float.BYTES;
            long at = valuesOffset + first * Float.BYTES;
            long bodyAt = bodyOffset + first + first / block * Float.BYTES;
            Gpu.Buffer sums = staging.result(0, bytes);
            Dispatch.Place operand = adds ? staging.operand(1, values.asSlice(at, bytes), bytes) : start(sums);
            Dispatch.Place packed = staging.operand(2, body.asSlice(bodyAt, bodyBytes), bodyBytes);
            run(List.of(new Dispatch(
                    Kernel.ADD_INT8, List.of(start(sums), operand, packed), List.of(n, block, adds ? 1 : 0), n)));
            MemorySegment.copy(sums.contents(), 0, values, at, bytes);
            return true;
        });
    }

    /**
     * Finds the values whose magnitude, as 31 bits, is at least {@code leastBits}. Operands are not checked.
     *
     * @param count at least 0
     * @param places takes their places, rising
     * @return how many values were looked at, from the first one on
     */
    public long select(MemorySegment values, long valuesOffset, int count, int leastBits, IntConsumer places) {
        return inParts(count, valuesMax(Kernel.LANES), (first, n) -> {
            int words = Math.ceilDiv(n, Kernel.LANES);
            long bytes = (long) n * Float.BYTES;
            Gpu.Buffer masks = staging.result(0, (long) words * Integer.BYTES);
            Dispatch.Place operand =
                    staging.operand(1, values.asSlice(valuesOffset + first * Float.BYTES, bytes), bytes);
            run(List.of(
                    new Dispatch(Kernel.SELECT_FLOAT32, List.of(start(masks), operand), List.of(n, leastBits), words)));
            for (int i = 0; i < words; i++) {
                int place = (int) first + i * Kernel.LANES;
                for (int left = masks.contents().getAtIndex(ValueLayout.JAVA_INT, i); left != 0; left &= left - 1) {
                    places.accept(place + Integer.numberOfTrailingZeros(left));
                }
            }
            return true;
        });
    }

    private static Dispatch.Place start(Gpu.Buffer buffer) {
        return new Dispatch.Place(buffer, 0);
    }

    /** Float32 values of a piece whose packed form and whose masks fit into a piece, too; blocks have 8 values at least. */
    private int valuesMax(int multiple) {
        return limits.pieceBytesMax() / Float.BYTES / multiple * multiple;
    }

    /** What one piece needs: its first byte, elements and bytes; returns where the results are. */
    private interface Piece {
        MemorySegment run(long at, int count, long bytes) throws MetalException;
    }

    private long inPieces(DataType type, long count, MemorySegment target, long targetOffset, Piece piece) {
        return inParts(count, limits.pieceBytesMax() / type.bytes(), (first, n) -> {
            long at = first * type.bytes();
            long bytes = (long) n * type.bytes();
            MemorySegment.copy(piece.run(at, n, bytes), 0, target, targetOffset + at, bytes);
            return true;
        });
    }

    /** One submission over {@code count} elements from {@code first} on; false if the CPU has to go on there. */
    private interface Part {
        boolean run(long first, int count) throws MetalException;
    }

    private long inParts(long count, int countMax, Part part) {
        turn.lock();
        try {
            if (closed || countMax < 1 || !record.asks()) {
                return 0;
            }
            long done = 0;
            try {
                boolean goesOn = true;
                while (goesOn && done < count) {
                    int n = (int) Math.min(countMax, count - done);
                    goesOn = part.run(done, n);
                    done += goesOn ? n : 0;
                }
                record.done();
            } catch (MetalException failed) {
                record.fault(failed);
                record.finishedByCpu();
            }
            return done;
        } finally {
            turn.unlock();
        }
    }

    private static int operation(ReduceOp op) {
        return switch (op) {
            case SUM -> 0;
            case MIN -> 1;
            case MAX -> 2;
            case PROD -> 3;
            case AVG -> throw new IllegalArgumentException("AVG is SUM of all contributions and then divide()");
        };
    }

    private void run(List<Dispatch> dispatches) throws MetalException {
        onGpu(gpu -> {
            gpu.run(dispatches);
            return dispatches;
        });
    }

    private interface OnGpu<T> {
        T with(Gpu gpu) throws MetalException;
    }

    private <T> T onGpu(OnGpu<T> task) throws MetalException {
        if (thread == null || gpu == null) {
            throw new AssertionError("asked although there is no GPU");
        }
        Gpu opened = gpu;
        Duration limit = limits.submission().multipliedBy(2).plusSeconds(1); // a submission ends itself before that
        return thread.call(() -> task.with(opened), limit);
    }

    /**
     * Gives all back, except after a GPU that did not answer; calls after that do nothing. Memory from {@link #allocate} should be
     * closed before: afterwards it stays usable, and its pages are never given back.
     */
    @Override
    public void close() {
        turn.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            if (thread != null && gpu != null && !record.hung()) {
                staging.close();
                onGpu(gpu -> {
                    gpu.close();
                    return gpu;
                });
            }
        } catch (MetalException failed) {
            record.fault(failed);
        } finally {
            if (thread != null) {
                thread.close();
            }
            turn.unlock();
        }
    }
}
