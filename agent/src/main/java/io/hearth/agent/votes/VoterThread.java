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
 * The one thread of a process that waits for the disk of the voting records, so that no other thread does. Carries out one task at a time.
 *
 * <p>Never interrupted: an interrupt would close the files in use, and with them the lock of the folder.
 */
public final class VoterThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(VoterThread.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final VoterDisk disk;
    private final BiConsumer<VoterTask, VoterAnswer> answered;
    private final Consumer<Throwable> failed;
    private final Thread thread;
    private final Duration timeout;
    private final AtomicReference<@Nullable VoterTask> waiting =
            new AtomicReference<>(); // owner sets, this thread takes
    private volatile boolean closing; // written by close(), read by the thread

    /**
     * A thread that has not started.
     *
     * @param name of the node, for the thread's name
     * @param answered gets each task with its answer, on this thread; must not block
     * @param failed gets the error that ended the thread, if {@link #close} did not end it
     */
    public VoterThread(
            String name, VoterDisk disk, BiConsumer<VoterTask, VoterAnswer> answered, Consumer<Throwable> failed) {
        this(name, disk, answered, failed, TIMEOUT);
    }

    VoterThread(
            String name,
            VoterDisk disk,
            BiConsumer<VoterTask, VoterAnswer> answered,
            Consumer<Throwable> failed,
            Duration timeout) {
        this.disk = disk;
        this.answered = answered;
        this.failed = failed;
        this.timeout = timeout;
        this.thread = Thread.ofPlatform().name("hearth-voter-" + name).daemon().unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /**
     * Submits a task without blocking.
     *
     * @throws AssertionError if a task waits already: the caller must wait for each answer before it submits the next task
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

    /** Whether the disk recently took more than 100 ms for a task, which should be reported to people. */
    public boolean isDiskSlow() {
        return slowestNanos() > DiskTimes.SLOW_NANOS;
    }

    /** Ends the thread after the running task, and waits at most 2 s for it. There are no answers from now on. Idempotent. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        try {
            if (thread.getState() != Thread.State.NEW && !thread.join(timeout)) {
                LOG.warn(
                        "the disk of the voting records has not answered for {} s; this node ends without it",
                        timeout.toSeconds());
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
