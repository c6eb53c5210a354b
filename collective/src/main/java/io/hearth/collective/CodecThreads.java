package io.hearth.collective;

import io.hearth.compression.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Threads that encode and decode large tensors together with the thread that sums them, where this machine has more processors than
 * ranks. Started when first needed, parked between jobs; one job at a time, and who comes meanwhile works alone.
 */
final class CodecThreads implements Workers, AutoCloseable {
    /** Passes over memory are not faster by more. */
    private static final int COUNT_MAX = 4;

    private static final Duration END_MAX = Duration.ofSeconds(10);

    private final String name;
    private final int processors;
    private final AtomicBoolean busy = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>(); // by whoever is busy, or closes
    private volatile int count = 1;
    private volatile @Nullable Job job;
    private volatile boolean closed;

    /** For a machine with so many processors. */
    CodecThreads(String name, int processors) {
        this.name = name;
        this.processors = processors;
    }

    /** So many ranks share this machine's processors from now on; 1 or more. */
    void share(int ranksHere) {
        count = Math.clamp(processors / ranksHere, 1, COUNT_MAX);
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public void run(int pieces, IntConsumer piece) {
        if (pieces == 1 || count == 1 || closed || !busy.compareAndSet(false, true)) {
            NONE.run(pieces, piece);
            return;
        }
        var next = new Job(pieces, piece, Thread.currentThread());
        try {
            int helpers = Math.min(pieces, count) - 1;
            while (threads.size() < helpers) {
                threads.add(Thread.ofPlatform()
                        .name(name + "-" + threads.size())
                        .daemon(true)
                        .start(this::loop));
            }
            job = next;
            threads.stream().limit(helpers).forEach(LockSupport::unpark);
            next.work();
            next.await();
        } finally {
            job = null;
            busy.set(false);
        }
        next.rethrow();
    }

    private void loop() {
        while (!closed) {
            Job given = job;
            if (given == null || !given.work()) {
                LockSupport.park(this);
            }
        }
    }

    /** Ends the threads; nobody may have a job under way. Whether they ended in time. */
    boolean end() {
        closed = true;
        boolean ended = true;
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
            try {
                ended &= thread.join(END_MAX);
            } catch (InterruptedException impatient) {
                Thread.currentThread().interrupt();
                ended &= !thread.isAlive();
            }
        }
        return ended;
    }

    @Override
    public void close() {
        end();
    }

    /** Pieces that are taken one after the other. */
    private static final class Job {
        private final int pieces;
        private final IntConsumer piece;
        private final Thread giver;
        private final AtomicInteger taken = new AtomicInteger();
        private final AtomicInteger done = new AtomicInteger();
        private final @Nullable Throwable[] failures; // each written by whoever does the piece, read when all are done

        Job(int pieces, IntConsumer piece, Thread giver) {
            this.pieces = pieces;
            this.piece = piece;
            this.giver = giver;
            failures = new @Nullable Throwable[pieces];
        }

        /** Does pieces until none is left; whether it did one. */
        boolean work() {
            boolean worked = false;
            for (int number = taken.getAndIncrement(); number < pieces; number = taken.getAndIncrement()) {
                worked = true;
                try {
                    piece.accept(number);
                } catch (RuntimeException | Error failed) {
                    failures[number] = failed;
                } finally {
                    if (done.incrementAndGet() == pieces) {
                        LockSupport.unpark(giver);
                    }
                }
            }
            return worked;
        }

        /** Waits for those that others do, whatever interrupts: they use memory of the caller. */
        void await() {
            boolean interrupted = false;
            while (done.get() < pieces) {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        void rethrow() {
            for (Throwable failure : failures) {
                if (failure instanceof RuntimeException broken) {
                    throw broken;
                }
                if (failure instanceof Error error) {
                    throw error;
                }
            }
        }
    }
}
