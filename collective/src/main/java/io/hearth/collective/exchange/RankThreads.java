package io.hearth.collective.exchange;

import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Threads that each exchange records with one other rank, beside the threads that play. If one fails, it abandons the mesh; otherwise
 * another one would wait forever. Any thread may start them; the thread that owns the attempt joins them once no other thread starts any.
 */
public final class RankThreads {
    private final Mesh mesh;
    private final Runnable afterEach;
    private final Queue<Thread> running = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    /** {@code afterEach} is the last action of each thread. */
    RankThreads(Mesh mesh, Runnable afterEach) {
        this.mesh = mesh;
        this.afterEach = afterEach;
    }

    /** The work of a thread with its rank. */
    interface Job {
        void run(int rank) throws IOException;
    }

    void start(String name, int rank, Job job) {
        running.add(Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                job.run(rank);
            } catch (IOException | RuntimeException | Error failed) {
                failures.add(failed);
                mesh.abandon();
            } finally {
                afterEach.run();
            }
        }));
    }

    /** The first failure, if any. */
    @Nullable
    Throwable failure() {
        return failures.peek();
    }

    /**
     * Waits until all threads have ended.
     *
     * @throws IOException one failed, or this thread was interrupted; the mesh is abandoned
     */
    void join() throws IOException {
        try {
            for (Thread thread : running) {
                thread.join();
            }
        } catch (InterruptedException stop) {
            end();
            throw MeshDriver.interrupted(stop);
        }
        running.clear();
        Throwable failure = failure();
        if (failure != null) {
            throw ReceiverThread.rethrown("ending a rejected number failed", failure);
        }
    }

    /** Abandons the mesh and waits for the threads; does nothing if none was started. */
    void end() {
        if (!running.isEmpty()) {
            mesh.abandon();
            joinAll(List.copyOf(running));
            running.clear();
        }
    }

    /** Waits for threads that end soon; keeps an interrupt for later. */
    public static void joinAll(List<Thread> threads) {
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
