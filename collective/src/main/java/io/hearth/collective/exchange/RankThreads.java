package io.hearth.collective.exchange;

import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Threads that each do something with one other rank, beside those that play. One that fails abandons the mesh, or another one would wait
 * for ever. Started by any thread, awaited by the one that owns the attempt once nobody else starts any.
 */
public final class RankThreads {
    private final Mesh mesh;
    private final Runnable afterEach;
    private final Queue<Thread> running = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    /** {@code afterEach} is the last that each thread does. */
    RankThreads(Mesh mesh, Runnable afterEach) {
        this.mesh = mesh;
        this.afterEach = afterEach;
    }

    /** What is done with a rank. */
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

    /** What went wrong first, if anything did. */
    @Nullable
    Throwable failure() {
        return failures.peek();
    }

    /**
     * Waits until all have ended by themselves.
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
            throw ReceiverThread.rethrown("ending a refused number failed", failure);
        }
    }

    /** Ends them, and with them every use of the mesh; does nothing where none was started. */
    void end() {
        if (!running.isEmpty()) {
            mesh.abandon();
            joinAll(List.copyOf(running));
            running.clear();
        }
    }

    /** Waits for the end of threads that end soon; an interrupt is kept for later. */
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
