package io.hearth.replicated.disk;

import io.hearth.replicated.DiskTask;
import io.hearth.replicated.machine.ReplicaEffect;
import io.hearth.replicated.machine.ReplicaEvent;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that waits for the disk of a replica. Writes that came meanwhile take one sync together. After a failure it drops what
 * waits, until a whole write comes.
 */
public final class StoreThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StoreThread.class);
    private static final int BATCH_MAX = 256;
    private static final long CLOSE_MILLIS = 5_000;

    private final StoreFile file;
    private final Consumer<ReplicaEvent> events;
    private final LinkedBlockingQueue<ReplicaEffect.Write> queue = new LinkedBlockingQueue<>(); // the machine bounds it
    private final Thread thread;
    private boolean isBroken; // the thread's own

    /**
     * A thread that has not started; it owns the file.
     *
     * @param events takes {@link ReplicaEvent.Written} and {@link ReplicaEvent.WriteFailed}, on this thread
     * @param failed takes an error that ended the thread
     */
    public StoreThread(String name, StoreFile file, Consumer<ReplicaEvent> events, Consumer<Throwable> failed) {
        this.file = file;
        this.events = events;
        this.thread = Thread.ofPlatform().name("hearth-store-" + name).daemon().unstarted(() -> run(failed));
    }

    public void start() {
        thread.start();
    }

    public void write(ReplicaEffect.Write write) {
        queue.add(write);
    }

    private void run(Consumer<Throwable> failed) {
        try {
            while (true) {
                var batch = new ArrayList<ReplicaEffect.Write>();
                batch.add(queue.take());
                queue.drainTo(batch, BATCH_MAX - 1);
                write(batch);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (Throwable fatal) { // otherwise the replica would wait for ever without a word
            failed.accept(fatal);
        }
    }

    private void write(List<ReplicaEffect.Write> batch) {
        if (isBroken && batch.stream().noneMatch(write -> write.task() instanceof DiskTask.Whole)) {
            return;
        }
        try {
            file.write(batch.stream().map(ReplicaEffect.Write::task).toList());
            isBroken = false;
            events.accept(new ReplicaEvent.Written(batch.getLast().ticket()));
        } catch (ClosedByInterruptException closing) {
            isBroken = true; // this thread is to end; the flag of its interruption stays
        } catch (IOException broken) {
            isBroken = true;
            LOG.warn(
                    "the state of the services cannot be written, so this machine does not count: {}",
                    broken.getMessage());
            events.accept(new ReplicaEvent.WriteFailed(batch.getFirst().ticket(), String.valueOf(broken.getMessage())));
        }
    }

    /** Ends the thread and closes the file. What was not written is lost, as in a crash. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(CLOSE_MILLIS);
            file.close();
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        } catch (IOException late) {
            LOG.debug("closing the store's file: {}", late.getMessage());
        }
    }
}
