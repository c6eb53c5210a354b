package io.hearth.accel.metal;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The opened GPU, if there is one, for one call at a time, each in pieces of which every one is a submission. What goes wrong is
 * written into the {@link MetalRecord} and never thrown.
 *
 * <p>Any thread.
 */
final class GpuTurns implements AutoCloseable {
    /** Of a call to Metal behind that of a submission, which ends itself. */
    private static final Duration CALL_MORE = Duration.ofSeconds(1);

    private final MetalLimits limits;
    private Duration callLimit; // guarded by turn
    private final MetalRecord record;
    private final ReentrantLock turn = new ReentrantLock();
    private final @Nullable MetalThread thread;
    private final @Nullable Gpu gpu;
    private final Staging staging; // guarded by turn
    private final Commands commands = new Commands(); // guarded by turn
    private final MetalThread.Task<Commands> runCommands = this::runCommands; // made once, not by each piece
    private long sharedBytes; // guarded by turn
    private boolean closed; // guarded by turn

    /** Owns what was opened. */
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

    /** One submission over {@code count} elements from {@code first} on; false if the CPU has to go on there. */
    interface Piece {
        boolean run(long first, int count) throws MetalException;
    }

    /** Keeps the turn until {@link #end}; false if another thread has it, and then the CPU does the call: nobody waits for a GPU. */
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

    /** How many of {@code count} elements were done, from the first one on, in pieces of at most {@code countMax}. */
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
                    commands.clear(); // and not behind a piece: after a hang its thread may still read them
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

    /** Most elements of so many bytes in a piece, a multiple of {@code multiple}. */
    int countMax(int elementBytes, int multiple) {
        return limits.pieceBytesMax() / elementBytes / multiple * multiple;
    }

    /** Where the operands of a piece lie; within a piece only. */
    Staging staging() {
        return staging;
    }

    /** As {@link Staging#bytesCopied}; any thread. */
    long bytesStaged() {
        return staging.bytesCopied();
    }

    /** The dispatches of a piece, to be filled and then {@link #run}; within a piece only. */
    Commands commands() {
        return commands;
    }

    /** All dispatches of {@link #commands} in one command buffer, one after the other; once in a piece. */
    void run() throws MetalException {
        onThread(runCommands);
    }

    private Commands runCommands() throws MetalException {
        opened().run(commands);
        return commands;
    }

    /** From now on a submission is given up as {@link MetalLimits#submission(long)} says. */
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

    /** A buffer whose contents are read in place from now on; empty if Metal is not usable, is busy or has no room. */
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

    /** Gives the buffer of ended memory back, unless the GPU may still be at work on it. */
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
            throw new AssertionError("asked although there is no thread for a GPU");
        }
        return thread.call(task, callLimit);
    }

    private Gpu opened() {
        if (gpu == null) {
            throw new AssertionError("asked although there is no GPU");
        }
        return gpu;
    }

    /** Gives all back, except after a GPU that did not answer; calls after that do nothing. */
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
