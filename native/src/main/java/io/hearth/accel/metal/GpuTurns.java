package io.hearth.accel.metal;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Gives the opened GPU to one call at a time; each call runs in pieces, and each piece is one submission. Faults are recorded in the
 * {@link MetalRecord} and never thrown.
 *
 * <p>Any thread.
 */
final class GpuTurns implements AutoCloseable {
    /** Added to the timeout of a submission for a call to Metal: a submission ends on its own before. */
    private static final Duration CALL_MORE = Duration.ofSeconds(1);

    private final MetalLimits limits;
    private Duration callLimit; // guarded by turn
    private final MetalRecord record;
    private final ReentrantLock turn = new ReentrantLock();
    private final @Nullable MetalThread thread;
    private final @Nullable Gpu gpu;
    private final Staging staging; // guarded by turn
    private final Dispatch dispatch = new Dispatch(); // guarded by turn
    private final MetalThread.Task<Dispatch> runDispatch = this::runDispatch; // made once, so that no piece allocates
    private long sharedBytes; // guarded by turn
    private boolean closed; // guarded by turn

    /** Owns the thread and the GPU of {@code opening}. */
    GpuTurns(MetalLimits limits, Opening opening, MetalRecord record) {
        this.limits = limits;
        callLimit = limits.submission().plus(CALL_MORE);
        this.record = record;
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

    /** Runs one submission over {@code count} elements from {@code first} on; false if the CPU must continue there. */
    interface Piece {
        boolean run(long first, int count) throws MetalException;
    }

    /** Takes the turn until {@link #end}; false if another thread has it. Then the CPU does the call: no thread waits for a GPU. */
    boolean begin() {
        boolean free = turn.tryLock();
        if (!free) {
            record.finishedByCpu();
        }
        return free;
    }

    void end() {
        turn.unlock();
    }

    /** Runs pieces of at most {@code countMax} elements; returns how many of {@code count} elements are done, from the first one on. */
    long inPieces(long count, int countMax, Piece piece) {
        if (!begin()) {
            return 0;
        }
        try {
            if (closed || countMax < 1 || !record.asks()) {
                return 0;
            }
            long done = 0;
            try {
                boolean goesOn = true;
                while (goesOn && done < count) {
                    int n = (int) Math.min(countMax, count - done);
                    goesOn = piece.run(done, n);
                    done += goesOn ? n : 0;
                }
                record.done(done == count);
            } catch (MetalException failed) {
                record.fault(failed);
                record.finishedByCpu();
            }
            return done;
        } finally {
            turn.unlock();
        }
    }

    /** Most elements of {@code elementBytes} in a piece, a multiple of {@code multiple}. */
    int countMax(int elementBytes, int multiple) {
        return limits.pieceBytesMax() / elementBytes / multiple * multiple;
    }

    /** The places of a piece's operands; only within a piece. */
    Staging staging() {
        return staging;
    }

    /** Begins the dispatch of a piece as {@link Dispatch#begin}; the piece fills it and then runs it by {@link #run}. Once in a piece. */
    Dispatch dispatch(Kernel kernel, long units) {
        return dispatch.begin(kernel, units);
    }

    /** Runs the dispatch of the piece. */
    void run() throws MetalException {
        onThread(runDispatch);
    }

    private Dispatch runDispatch() throws MetalException {
        opened().run(dispatch);
        return dispatch;
    }

    /** Sets the timeout of a submission to {@link MetalLimits#submission(long)}. */
    void expectAtMost(long nanos) {
        turn.lock();
        try {
            Duration limit = limits.submission(nanos);
            callLimit = limit.plus(CALL_MORE);
            if (gpu != null) {
                gpu.limitSubmissions(limit.toMillis());
            }
        } finally {
            turn.unlock();
        }
    }

    /** Allocates a buffer whose contents the GPU reads in place; empty if Metal is not usable, is busy or has no room. */
    Optional<Gpu.Buffer> share(long bytes) {
        if (!turn.tryLock()) {
            return Optional.empty();
        }
        try {
            if (closed || record.lost() || bytes > limits.sharedBytesMax() - sharedBytes) {
                return Optional.empty();
            }
            Gpu.Buffer buffer = onGpu(gpu -> gpu.newBuffer(bytes));
            staging.share(buffer);
            sharedBytes += bytes;
            return Optional.of(buffer);
        } catch (MetalException failed) {
            record.fault(failed);
            return Optional.empty();
        } finally {
            turn.unlock();
        }
    }

    /** Releases the buffer of closed memory, unless the GPU may still use it. */
    void unshare(MetalMemory memory) {
        turn.lock();
        try {
            if (memory.end()) {
                staging.unshare(memory.buffer());
                sharedBytes -= memory.buffer().contents().byteSize();
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

    private interface OnGpu<T> {
        T with(Gpu gpu) throws MetalException;
    }

    private <T> T onGpu(OnGpu<T> task) throws MetalException {
        Gpu gpu = opened();
        return onThread(() -> task.with(gpu));
    }

    private <T> T onThread(MetalThread.Task<T> task) throws MetalException {
        if (thread == null) {
            throw new AssertionError("there is no thread for a GPU");
        }
        return thread.call(task, callLimit);
    }

    private Gpu opened() {
        if (gpu == null) {
            throw new AssertionError("there is no GPU");
        }
        return gpu;
    }

    /** Releases everything, except after a GPU that did not answer; later calls do nothing. */
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
