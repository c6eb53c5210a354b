package io.hearth.collective.pair;

import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Gate;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.pair.machine.TransferSpec;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveExceptions;
import io.hearth.core.DeadlineExceededException;
import io.hearth.core.HearthException;
import io.hearth.identity.NodeId;
import io.hearth.transport.DataStream;
import io.hearth.transport.MemoryFault;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.StreamId;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One end of one ordered pair of members, for as long as both stay members. It has the stream of the current group epoch, and the
 * thread that opens it, receives its records and reconnects. The application's thread waits in {@link #await}.
 *
 * <p>Everything below is guarded by {@link #lock}, except a sender's bytes. All other records have a few bytes, and the other end
 * reads them at once. So no thread blocks while it holds the lock.
 */
public abstract sealed class PeerChannel permits PairSender, PairReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(PeerChannel.class);
    private static final Duration OPEN_AT_ONCE_MAX = Duration.ofSeconds(2);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** For this time a receiver reconnects to repeat its acknowledgement; a sender that lacks it keeps trying to connect. */
    private static final long REPEAT_NANOS = TimeUnit.SECONDS.toNanos(15);

    final ReentrantLock lock = new ReentrantLock();
    final Condition changed = lock.newCondition();
    final NodeId peer;
    final Clock clock;

    private final Means means;
    private final Alarm alarm;
    private final List<Thread> threads = new ArrayList<>();
    private @Nullable Mesh mesh;
    private @Nullable DataStream stream;
    private @Nullable Thread opener;
    private @Nullable Transfer transfer;
    private @Nullable HearthException over;
    private String problem = "";
    private long aloneNanos;

    /**
     * The resources of a channel; borrowed.
     *
     * @param onFatal gets an error that ended one of the channel's threads and that no caller can handle
     */
    public record Means(
            String group,
            NodeId self,
            StreamSource streams,
            Gate gate,
            Buffers buffers,
            Clock clock,
            Consumer<Throwable> onFatal) {}

    /** Arranges a call of {@link #expire} at a time of the clock. It may come early; then another one follows. */
    interface Alarm {
        void at(long nanos);
    }

    /** One call of the application. */
    static final class Transfer {
        final TransferSpec spec;
        final long dueNanos;
        final String what;
        boolean ended;

        @Nullable
        CallRejection refusal;

        @Nullable
        CollectiveException error;

        /** Creates an open transfer; {@code what} is a phrase for messages. */
        Transfer(TransferSpec spec, long dueNanos, String what) {
            this.spec = spec;
            this.dueNanos = dueNanos;
            this.what = what;
        }

        boolean isOpen() {
            return !ended && error == null;
        }
    }

    PeerChannel(Means means, Alarm alarm, NodeId peer) {
        this.means = means;
        this.alarm = alarm;
        this.peer = peer;
        this.clock = means.clock();
    }

    /** Index of this pair's stream between the two members in a mesh. */
    abstract int index(Mesh on);

    /** Tells the machine that the stream is open. */
    abstract void connected();

    /** Tells the machine that the stream is lost. */
    abstract void lost();

    /** Tells the machine that the application gave up. Returns false if the call can no longer be undone, and so will complete. */
    abstract boolean giveUp();

    /** Whether the other end may need an acknowledgement although no call is open here. */
    abstract boolean needsAck();

    /**
     * Handles one record of the current stream.
     *
     * @throws IOException if the record is invalid; the stream is then closed
     */
    abstract void take(ReceivedRecord record) throws IOException;

    /** What the open call waits for, as a phrase for messages. */
    abstract String waitedFor(String name);

    /** Begins a call, with the lock held; the caller must end it with {@link #leave}. */
    void begin(Transfer asked) throws CollectiveException {
        if (over != null) {
            throw CollectiveExceptions.again(over);
        }
        if (transfer != null) {
            throw new IllegalStateException("another thread is inside " + transfer.what
                    + "; one send and one receive at a time between two ranks");
        }
        transfer = asked;
        alarm.at(asked.dueNanos);
    }

    void leave() {
        transfer = null;
    }

    /** Waits until the call is over or {@code ready}. */
    void await(Transfer asked, BooleanSupplier ready) {
        try {
            while (asked.isOpen() && !ready.getAsBoolean()) {
                changed.await();
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            fail(asked, new CollectiveException(asked.what + " was interrupted", stop));
        }
    }

    /** Ends the call, as the machine decided. */
    void end(@Nullable CallRejection refusal) {
        if (transfer != null) {
            transfer.refusal = refusal;
            transfer.ended = true;
        }
        changed.signalAll();
    }

    private void fail(Transfer asked, CollectiveException error) {
        if (asked.isOpen() && giveUp()) {
            asked.error = error;
        }
        changed.signalAll();
    }

    /**
     * Ends the open call if its deadline has passed. Returns the nanoseconds until its deadline, or {@link Long#MAX_VALUE} if no
     * call is open.
     */
    long expire(long nowNanos) {
        lock.lock();
        try {
            Transfer late = transfer;
            if (late == null || !late.isOpen()) {
                return Long.MAX_VALUE;
            }
            if (late.dueNanos - nowNanos > 0) {
                return late.dueNanos - nowNanos;
            }
            String more = problem.isEmpty() ? "" : "; last problem: " + problem;
            fail(
                    late,
                    new DeadlineExceededException(late.what + " did not complete before its deadline; waited for "
                            + waitedFor(name()) + more));
            return Long.MAX_VALUE;
        } finally {
            lock.unlock();
        }
    }

    /** Name of the other end, for messages. */
    String name() {
        return mesh == null ? peer.shortText() : mesh.name(peer);
    }

    /** As {@link #name}, for callers without the lock. */
    String nameNow() {
        lock.lock();
        try {
            return name();
        } finally {
            lock.unlock();
        }
    }

    /** Name of this rank, for messages. */
    String ownName() {
        return mesh == null ? means.self().shortText() : mesh.name(means.self());
    }

    Buffers buffers() {
        return means.buffers();
    }

    /** The stream in use; null while there is none. */
    @Nullable
    DataStream stream() {
        return stream;
    }

    /** Continues in another group epoch. */
    void renew(Mesh now) {
        lock.lock();
        try {
            if (over == null && now != mesh) {
                disconnect();
                mesh = now;
                aloneNanos = clock.nanoTime();
                open();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends all calls with this error, now and later. */
    void over(HearthException why) {
        lock.lock();
        try {
            if (over == null) {
                over = why;
                if (transfer != null) {
                    fail(transfer, CollectiveExceptions.again(why));
                }
                disconnect();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Closes the stream and stops the thread that opens one; both end soon. */
    private void disconnect() {
        reset("");
        lost();
        if (opener != null) {
            opener.interrupt();
            opener = null;
        }
        changed.signalAll();
    }

    /** Closes the stream. Its thread notices, and reconnects if a stream is needed. */
    void reset(String why) {
        if (!why.isEmpty()) {
            problem = why;
            LOG.debug("closing the stream with peer={}, reconnecting if needed: {}", peer.shortText(), why);
        }
        if (stream != null) {
            stream.close();
            stream = null;
            aloneNanos = clock.nanoTime();
        }
    }

    /** Starts a thread that opens a stream, if there is none and one is needed. */
    void open() {
        Mesh on = mesh;
        if (opener == null && on != null && over == null && isNeeded()) {
            Thread thread = Thread.ofPlatform()
                    .name("hearth-pair-" + peer.shortText())
                    .daemon(true)
                    .unstarted(() -> run(on));
            opener = thread;
            threads.removeIf(old -> !old.isAlive());
            threads.add(thread);
            thread.start();
        }
    }

    private boolean isNeeded() {
        return (transfer != null && transfer.isOpen()) || (needsAck() && clock.nanoTime() - aloneNanos < REPEAT_NANOS);
    }

    private void run(Mesh on) {
        try {
            while (mayOpen(on)) {
                try {
                    receiveAll(
                            on,
                            means.streams()
                                    .open(peer, new StreamId(means.group(), on.fence(), index(on)), OPEN_AT_ONCE_MAX));
                } catch (IOException notYet) {
                    rest(on);
                }
            }
        } catch (InterruptedException renewed) {
            // the next group epoch has another thread
        } catch (RuntimeException | AssertionError bug) {
            LOG.error("sending from rank to rank stopped by a bug: report this", bug);
            over(new CollectiveException("the stream with " + peer.shortText() + " failed: " + bug, bug));
        } catch (Throwable fatal) {
            means.onFatal().accept(fatal);
        }
    }

    private boolean mayOpen(Mesh on) {
        lock.lock();
        try {
            boolean isMine = Thread.currentThread().equals(opener);
            if (isMine && mesh == on && isNeeded()) {
                return true;
            }
            if (isMine) {
                opener = null;
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void rest(Mesh on) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = RETRY_NANOS;
            while (left > 0 && mesh == on && Thread.currentThread().equals(opener)) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private void receiveAll(Mesh on, DataStream opened) throws IOException, InterruptedException {
        try (opened) {
            lock.lockInterruptibly();
            try {
                require(Thread.currentThread().equals(opener) && mesh == on);
                stream = opened;
                connected();
            } finally {
                lock.unlock();
            }
            while (true) {
                ReceivedRecord record = opened.receive();
                means.gate().enter(on);
                try {
                    lock.lock();
                    try {
                        require(opened.equals(stream));
                        take(record);
                    } catch (InternalError error) {
                        throw MemoryFault.of(error);
                    } finally {
                        lock.unlock();
                    }
                } finally {
                    means.gate().leave();
                }
            }
        } catch (IOException broken) {
            lock.lock();
            try {
                if (opened.equals(stream)) {
                    reset(name() + ": " + broken.getMessage());
                    lost();
                }
            } finally {
                lock.unlock();
            }
            throw broken;
        }
    }

    private static void require(boolean isCurrent) throws IOException {
        if (!isCurrent) {
            throw new IOException("this stream is no longer in use");
        }
    }

    /** Sends a record of a few bytes. If the stream breaks, its thread notices. */
    void sendSmall(int kind, int chunk, long number, long offset, MemorySegment payload) {
        DataStream on = stream;
        if (on != null) {
            try {
                on.send(
                        kind,
                        chunk,
                        number,
                        offset,
                        PairRecords.NOTHING,
                        payload,
                        0,
                        Math.toIntExact(payload.byteSize()));
            } catch (IOException broken) {
                on.close();
            }
        }
    }

    void sendSmall(int kind, long number) {
        sendSmall(kind, 0, number, 0, PairRecords.NOTHING);
    }

    /** Waits for the threads of a channel that has ended. Returns whether all ended in time. */
    boolean join(Duration longest) {
        List<Thread> running;
        lock.lock();
        try {
            running = List.copyOf(threads);
        } finally {
            lock.unlock();
        }
        boolean ended = true;
        for (Thread thread : running) {
            try {
                ended &= thread.join(longest);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return ended;
    }
}
