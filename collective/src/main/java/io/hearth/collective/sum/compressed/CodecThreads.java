package io.hearth.collective.sum.compressed;

import io.hearth.compression.Workers;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Threads that encode and decode large tensors together with the calling thread, where this machine has more processors than ranks.
 * They start when first needed and end after 30 idle seconds. The caller processes a piece itself when no thread is free.
 */
public final class CodecThreads implements Workers, AutoCloseable {
    /** With more threads, memory bandwidth is the limit. */
    private static final int COUNT_MAX = 4;

    private static final int IDLE_SECONDS_MAX = 30;
    private static final int END_SECONDS_MAX = 10;

    private final int processors;
    private final ThreadPoolExecutor helpers;
    private volatile int count = 1;

    /**
     * Starts no thread; until {@link #share}, {@link #run} uses the calling thread alone.
     *
     * @param name prefix of the thread names
     * @param processors of this machine, 1 or more
     */
    public CodecThreads(String name, int processors) {
        this.processors = processors;
        helpers = new ThreadPoolExecutor(
                0,
                Math.clamp(processors - 1L, 1, COUNT_MAX - 1),
                IDLE_SECONDS_MAX,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                Thread.ofPlatform().name(name + "-", 0).daemon(true).factory(),
                (piece, _) -> piece.run());
    }

    /** Sets the number of ranks that share the processors of this machine; 1 or more. */
    void share(int ranksHere) {
        count = Math.clamp(processors / ranksHere, 1, COUNT_MAX);
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public void run(int pieces, IntConsumer piece) {
        if (count == 1) {
            NONE.run(pieces, piece);
            return;
        }
        var others = new ArrayList<CompletableFuture<Void>>();
        Throwable failure = null;
        try {
            for (int i = 1; i < pieces; i++) {
                int number = i;
                others.add(CompletableFuture.runAsync(() -> piece.accept(number), helpers));
            }
            piece.accept(0);
        } catch (RuntimeException | Error first) {
            failure = first;
        }
        rethrow(await(others, failure));
    }

    /**
     * Waits for all pieces, even if the thread is interrupted, because they use the caller's memory. Returns the first failure, if
     * there is one.
     */
    private static @Nullable Throwable await(List<CompletableFuture<Void>> others, @Nullable Throwable failure) {
        Throwable first = failure;
        for (CompletableFuture<Void> other : others) {
            try {
                other.join();
            } catch (CompletionException failed) {
                first = first == null ? failed.getCause() : first;
            }
        }
        return first;
    }

    private static void rethrow(@Nullable Throwable failure) {
        switch (failure) {
            case null -> {}
            case RuntimeException broken -> throw broken;
            case Error error -> throw error;
            default -> throw new AssertionError(failure);
        }
    }

    @Override
    public Workers over(MemorySegment memory) {
        Thread other = Thread.ofPlatform().unstarted(() -> {});
        return memory.isAccessibleBy(other) ? this : NONE;
    }

    /** Ends the threads; no call of {@link #run} may be in progress. Returns false if a thread does not end in time. */
    public boolean end() {
        helpers.shutdown();
        try {
            return helpers.awaitTermination(END_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return helpers.isTerminated();
        }
    }

    @Override
    public void close() {
        end();
    }
}
