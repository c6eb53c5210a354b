package io.hearth.agent.votes;

import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread of a process that waits for the disk of the voting records, so that nothing else does. Carries out one task at a time.
 *
 * <p>Never interrupted: an interrupt would close the files in use, and with them the lock of the folder.
 */
public final class VoterThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(VoterThread.class);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final VoterDisk disk;
    private final BiConsumer<VoterTask, VoterAnswer> answered;
    private final Consumer<Throwable> failed;
    private final Thread thread;
    private final Duration patience;
    private final AtomicReference<@Nullable VoterTask> waiting = new AtomicReference<>(); // owner sets, thread takes
    private volatile boolean closing; // written by close(), read by the thread

    /**
     * A thread that has not started.
     *
     * @param name of the node, for people who look at threads
     * @param answered told each task with its answer, on this thread; must not block
     * @param failed told what ended the thread, if it was not {@link #close}
     */
    public VoterThread(
            String name, VoterDisk disk, BiConsumer<VoterTask, VoterAnswer> answered, Consumer<Throwable> failed) {
        this(name, disk, answered, failed, PATIENCE);
    }

    VoterThread(
            String name,
            VoterDisk disk,
            BiConsumer<VoterTask, VoterAnswer> answered,
            Consumer<Throwable> failed,
            Duration patience) {
        this.disk = disk;
        this.answered = answered;
        this.failed = failed;
        this.patience = patience;
        this.thread = Thread.ofPlatform().name("hearth-voter-" + name).daemon().unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /**
     * Hands in a task. Never blocks.
     *
     * @throws AssertionError a task waits already: the caller must wait for each answer before it hands in the next task
     */
    public void submit(VoterTask task) {
        if (!waiting.compareAndSet(null, task)) {
            throw new AssertionError("a task of the voter waits already, and there came " + task);
        }
        LockSupport.unpark(thread);
    }

    /** As {@link VoterDisk#slowestNanos}. */
    public long slowestNanos() {
        return disk.slowestNanos();
    }

    /** Whether the disk took more than 100 ms for a task of late, so that people should be told. */
    public boolean isDiskSlow() {
        return slowestNanos() > DiskTimes.SLOW_NANOS;
    }

    /** Ends the thread after the task that runs, if the disk lets it end within 2 s. There are no answers from now on. Idempotent. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        try {
            if (thread.getState() != Thread.State.NEW && !thread.join(patience)) {
                LOG.warn(
                        "the disk of the voting records has not answered for {} s; this node ends without it",
                        patience.toSeconds());
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!closing) {
                VoterTask task = waiting.getAndSet(null);
                if (task == null) {
                    LockSupport.park(this);
                } else {
                    VoterAnswer answer = disk.carryOut(task);
                    LOG.debug("{} -> {}", task, answer);
                    if (!closing) {
                        answered.accept(task, answer);
                    }
                }
            }
        } catch (Throwable bug) {
            LOG.error("the voter stopped: {}", bug.getMessage(), bug);
            failed.accept(bug);
        }
    }
}
