package io.hearth.collective.engine.queue;

import io.hearth.collective.CollectiveResult;
import io.hearth.collective.Work;
import io.hearth.core.CollectiveException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous collectives. They run one after the other, in the order in which they were begun, on a thread of the queue. One that is
 * begun while no other is open may run on the beginning thread first, and needs the queue's only if it does not end there. All ranks begin
 * them in the same order, so they have the same numbers on all ranks.
 */
public final class CallQueue implements AutoCloseable {
    /** Most open collectives; to begin one more waits until the first has ended. */
    static final int OPEN_MAX = 64;

    private final String name;
    private final BooleanSupplier isDataThread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Condition ready = lock.newCondition(); // for the queue's thread
    private final Deque<Queued> open = new ArrayDeque<>(); // the first one is running
    private @Nullable Thread thread;
    private @Nullable Thread beginner; // the thread that runs the first one, instead of the queue's
    private volatile @Nullable Thread inTurn; // the thread in a collective: set and read by that thread
    private boolean closed;

    /**
     * Starts no thread yet.
     *
     * @param name name of the thread
     * @param isDataThread whether the current thread is another one that collectives need, so that it must not wait for them
     */
    public CallQueue(String name, BooleanSupplier isDataThread) {
        this.name = name;
        this.isDataThread = isDataThread;
    }

    /** A collective, for the queue's thread. */
    public interface Body {
        CollectiveResult run() throws CollectiveException;

        /**
         * Runs the collective on the thread that begins it, if no other one is open, and only as far as it can without a wait for others.
         *
         * @return its result; empty if {@link #run} must follow
         */
        default Optional<CollectiveResult> runNow() throws CollectiveException {
            return Optional.empty();
        }

        /** Whether {@link #runNow} has begun it, so that {@link #run} must follow even after a close. */
        default boolean hasBegun() {
            return false;
        }
    }

    /**
     * Queues a collective behind those that began earlier.
     *
     * @throws CollectiveException if the queue is closed
     * @throws IllegalStateException if a thread of a collective calls this; it might wait for itself
     */
    public Work begin(Body body) throws CollectiveException, InterruptedException {
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
            if (open.size() > 1) {
                wakeThread();
                return queued;
            }
            beginner = Thread.currentThread();
        } finally {
            lock.unlock();
        }
        queued.playNow();
        lock.lock();
        try {
            beginner = null;
            if (queued.isDone()) {
                open.remove(queued);
                changed.signalAll();
            }
            if (!open.isEmpty()) {
                wakeThread();
            } else if (closed) {
                ready.signal();
            }
        } finally {
            lock.unlock();
        }
        return queued;
    }

    private void wakeThread() {
        if (thread == null) {
            thread = Thread.ofPlatform().name(name).daemon(true).start(this::run);
        }
        ready.signal();
    }

    /**
     * Rejects threads that collectives need, because they would wait for themselves.
     *
     * @throws IllegalStateException if this is such a thread
     */
    private void requireOutside() {
        if (isDataThread.getAsBoolean() || isCurrent()) {
            throw new IllegalStateException(
                    "a callback of a collective must not begin another one or wait for one; one call at a time");
        }
    }

    /** As {@link #awaitAll(LongSupplier)}, without a limit. */
    public void awaitAll() throws CollectiveException {
        awaitAll(() -> Long.MAX_VALUE);
    }

    /**
     * Waits until all collectives that were begun have ended.
     *
     * @param leftNanos time that is left for waiting
     * @return number of collectives that have not ended in that time
     * @throws CollectiveException if this thread was interrupted
     * @throws IllegalStateException if a thread of a collective calls this; it would wait for itself
     */
    public int awaitAll(LongSupplier leftNanos) throws CollectiveException {
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
            throw new CollectiveException("interrupted before earlier collectives had ended", stop);
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (true) {
            Queued next;
            lock.lock();
            try {
                while (beginner != null || (open.isEmpty() && !closed)) {
                    ready.awaitUninterruptibly();
                }
                if (open.isEmpty()) {
                    return;
                }
                next = open.getFirst();
            } finally {
                lock.unlock();
            }
            next.play();
            lock.lock();
            try {
                open.remove(next);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the current thread runs queued collectives, or is in a callback of one. */
    private boolean isCurrent() {
        Thread current = Thread.currentThread();
        lock.lock();
        try {
            return current.equals(thread) || current.equals(beginner);
        } finally {
            lock.unlock();
        }
    }

    /** Whether the current thread is in a queued collective, and not in a callback after its end. */
    public boolean isInTurn() {
        return Thread.currentThread().equals(inTurn);
    }

    private static CollectiveException closed() {
        return new CollectiveException("the backend was closed before this collective could run");
    }

    /** Ends the queue: queued collectives end with an error, a running one continues. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            ready.signal();
        } finally {
            lock.unlock();
        }
    }

    private interface Part {
        Optional<CollectiveResult> run() throws CollectiveException;
    }

    private final class Queued implements Work {
        private final Body body;
        private final CompletableFuture<CollectiveResult> end = new CompletableFuture<>();

        Queued(Body body) {
            this.body = body;
        }

        private void playNow() {
            end(body::runNow);
        }

        private void play() {
            end(() -> {
                if (isClosed() && !body.hasBegun()) {
                    throw closed();
                }
                return Optional.of(body.run());
            });
        }

        /** Runs the collective, or a part of it, and then its callbacks. */
        private void end(Part part) {
            Optional<CollectiveResult> result;
            inTurn = Thread.currentThread();
            try {
                result = part.run();
            } catch (Throwable thrown) { // other languages throw checked exceptions that no method declares
                inTurn = null;
                end.completeExceptionally(thrown);
                return;
            }
            inTurn = null;
            result.ifPresent(end::complete);
        }

        @Override
        public boolean isDone() {
            return end.isDone();
        }

        @Override
        public CollectiveResult await() throws CollectiveException, InterruptedException {
            requireNotOwn();
            try {
                return end.get();
            } catch (ExecutionException failed) {
                throw rethrown(failed.getCause());
            }
        }

        @Override
        public Optional<CollectiveResult> await(Duration longest) throws CollectiveException, InterruptedException {
            requireNotOwn();
            try {
                return Optional.of(end.get(TimeUnit.NANOSECONDS.convert(longest), TimeUnit.NANOSECONDS));
            } catch (ExecutionException failed) {
                throw rethrown(failed.getCause());
            } catch (TimeoutException early) {
                return Optional.empty();
            }
        }

        private void requireNotOwn() {
            if (!end.isDone()) {
                requireOutside();
            }
        }

        @Override
        public CompletionStage<CollectiveResult> completion() {
            return end.minimalCompletionStage();
        }
    }

    /** Throws the error with which a collective ended; returns nothing. */
    private static CollectiveException rethrown(@Nullable Throwable failure) throws CollectiveException {
        switch (failure) {
            case CollectiveException known -> throw known;
            case RuntimeException bug -> throw bug;
            case Error bug -> throw bug;
            case null, default -> throw new AssertionError(failure);
        }
    }
}
