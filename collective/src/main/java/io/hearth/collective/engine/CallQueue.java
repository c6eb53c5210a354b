package io.hearth.collective.engine;

import io.hearth.collective.CollectiveResult;
import io.hearth.collective.Work;
import io.hearth.core.CollectiveException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Collectives that run on their own, one after the other in the order in which they were begun, on a thread that is started by
 * the first of them. All ranks begin them in the same order, so they have the same numbers everywhere.
 */
final class CallQueue implements AutoCloseable {
    /** Most collectives on their way; one more has to wait for the first to end. */
    static final int OPEN_MAX = 64;

    private final String name;
    private final BooleanSupplier isDataThread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Queued> open = new ArrayDeque<>(); // the first one is running
    private @Nullable Thread thread;
    private boolean closed;

    /**
     * Makes no thread yet.
     *
     * @param name of the thread to come
     * @param isDataThread whether the current thread is another one that works for collectives, which must not wait for them
     */
    CallQueue(String name, BooleanSupplier isDataThread) {
        this.name = name;
        this.isDataThread = isDataThread;
    }

    /** A collective as its thread runs it. */
    interface Body {
        CollectiveResult run() throws CollectiveException;
    }

    /**
     * Begins a collective after all that were begun before.
     *
     * @throws CollectiveException the queue is closed
     * @throws IllegalStateException called by a collective, which may wait for itself
     */
    Work begin(Body body) throws CollectiveException, InterruptedException {
        requireOutside();
        var queued = new Queued(body);
        lock.lockInterruptibly();
        try {
            while (open.size() >= OPEN_MAX && !closed) {
                changed.await();
            }
            if (closed) {
                throw closed();
            }
            open.add(queued);
            if (thread == null) {
                thread = Thread.ofPlatform().name(name).daemon(true).start(this::run);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        return queued;
    }

    /**
     * A collective that is called by a thread that a collective needs would wait for itself.
     *
     * @throws IllegalStateException this is such a thread
     */
    private void requireOutside() {
        if (isDataThread.getAsBoolean() || Thread.currentThread().equals(threadNow())) {
            throw new IllegalStateException(
                    "a callback of a collective calls another one or waits for one; one call at a time");
        }
    }

    private @Nullable Thread threadNow() {
        lock.lock();
        try {
            return thread;
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #awaitAll(LongSupplier)}, however long it takes. */
    void awaitAll() throws CollectiveException {
        awaitAll(() -> Long.MAX_VALUE);
    }

    /**
     * Waits until all that were begun have ended.
     *
     * @param leftNanos how long this thread still may wait
     * @return how many have not ended in that time
     * @throws CollectiveException this thread was interrupted
     * @throws IllegalStateException called by a collective, which would wait for itself
     */
    int awaitAll(LongSupplier leftNanos) throws CollectiveException {
        requireOutside();
        lock.lock();
        try {
            long left = open.isEmpty() ? 0 : leftNanos.getAsLong();
            while (!open.isEmpty() && left > 0) {
                changed.awaitNanos(left);
                left = leftNanos.getAsLong();
            }
            return open.size();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new CollectiveException("interrupted before collectives that were begun earlier had ended", stop);
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (true) {
            Queued next;
            lock.lock();
            try {
                while (open.isEmpty() && !closed) {
                    changed.awaitUninterruptibly();
                }
                if (open.isEmpty()) {
                    return;
                }
                next = open.getFirst();
            } finally {
                lock.unlock();
            }
            next.play(closed());
            lock.lock();
            try {
                open.remove(next);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private static CollectiveException closed() {
        return new CollectiveException("the backend was closed before this collective could run");
    }

    /** What was begun and does not run yet ends with an error; what runs ends by itself. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private final class Queued implements Work {
        private final Body body;
        private @Nullable CollectiveResult result; // under the lock, like the next two
        private @Nullable Throwable failure;
        private boolean done;

        Queued(Body body) {
            this.body = body;
        }

        private void play(CollectiveException tooLate) {
            CollectiveResult gotten = null;
            Throwable broken = null;
            boolean isOver;
            lock.lock();
            try {
                isOver = closed;
            } finally {
                lock.unlock();
            }
            try {
                gotten = isOver ? null : body.run();
                broken = isOver ? tooLate : null;
            } catch (CollectiveException | RuntimeException | Error thrown) {
                broken = thrown;
            }
            lock.lock();
            try {
                result = gotten;
                failure = broken;
                done = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean isDone() {
            lock.lock();
            try {
                return done;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public CollectiveResult await() throws CollectiveException, InterruptedException {
            if (!isDone()) {
                requireOutside();
            }
            lock.lockInterruptibly();
            try {
                while (!done) {
                    changed.await();
                }
                return switch (failure) {
                    case null -> Objects.requireNonNull(result);
                    case CollectiveException known -> throw known;
                    case RuntimeException bug -> throw bug;
                    case Error bug -> throw bug;
                    default -> throw new AssertionError(failure);
                };
            } finally {
                lock.unlock();
            }
        }
    }
}
