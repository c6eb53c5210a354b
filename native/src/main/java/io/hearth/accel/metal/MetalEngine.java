package io.hearth.accel.metal;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
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
        String system = System.getProperty("os.name");
        String architecture = System.getProperty("os.arch");
        return MetalLibraries.of(system, architecture)
                .map(libraries -> open(libraries, limits))
                .orElseGet(() -> new MetalEngine(
                        limits,
                        Opening.failed(new MetalException(
                                MetalFault.ABSENT,
                                "this machine has " + system + " on " + architecture
                                        + ", Metal needs macOS on Apple silicon"))));
    }

    /** An engine on these libraries; the caller closes it. */
    public static MetalEngine open(MetalLibraries libraries, MetalLimits limits) {
        return open(libraries, limits, KernelSource.text());
    }

    static MetalEngine open(MetalLibraries libraries, MetalLimits limits, String kernels) {
        return new MetalEngine(limits, Opening.of(libraries, limits, kernels));
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
                        operands.add(staging.operand(i, inputs[i].asSlice(at, bytes), bytes));
                    }
                    var result = new Dispatch.Place(staging.result(bytes), 0);
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
                    Dispatch.Place operand = staging.operand(0, values.asSlice(offset + at, bytes), bytes);
                    var result = new Dispatch.Place(staging.result(bytes), 0);
                    run(List.of(new Dispatch(kernel, List.of(result, operand), new Dispatch.Job(n, 0, 1, divisor))));
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

    /** What one piece needs: its first byte, elements and bytes; returns where the results are. */
    private interface Piece {
        MemorySegment run(long at, int count, long bytes) throws MetalException;
    }

    private long inPieces(DataType type, long count, MemorySegment target, long targetOffset, Piece piece) {
        turn.lock();
        try {
            if (closed || !record.asks()) {
                return 0;
            }
            long done = 0;
            try {
                while (done < count) {
                    int n = (int) Math.min(limits.pieceBytesMax() / type.bytes(), count - done);
                    long at = done * type.bytes();
                    long bytes = (long) n * type.bytes();
                    MemorySegment.copy(piece.run(at, n, bytes), 0, target, targetOffset + at, bytes);
                    done += n;
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
