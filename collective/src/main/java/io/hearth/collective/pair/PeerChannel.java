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
 * One end of one ordered pair of members, for as long as both stay members: the stream of the present group epoch, and the thread
 * that opens it, takes what comes, and opens it again. The application's thread waits in {@link #await}.
 *
 * <p>All below is under {@link #lock}, but for a sender's bytes. Everything else that is sent is a few bytes that the other end
 * asked for and reads at once, so nobody blocks with the lock.
 */
public abstract sealed class PeerChannel permits PairSender, PairReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(PeerChannel.class);
    private static final Duration OPEN_AT_ONCE_MAX = Duration.ofSeconds(2);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How long a receiver offers its acknowledgement anew; a sender that lacks it asks all the time. */
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
    private String trouble = "";
    private long aloneNanos;

    /**
     * What a line works with; borrowed.
     *
     * @param onFatal told of an error that ended one of its threads and that no caller can handle
     */
    public record Means(
            String group,
            NodeId self,
            StreamSource streams,
            Gate gate,
            Buffers buffers,
            Clock clock,
            Consumer<Throwable> onFatal) {}

    /** Sees to it that {@link #expire} is called at that time of the clock, or earlier and again. */
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

        /** {@code what} is for people: one phrase. */
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

    /** Which of the two streams between these members in that mesh. */
    abstract int index(Mesh on);

    /** The machine learns that there is a stream. */
    abstract void connected();

    /** The machine learns that there is none. */
    abstract void lost();

    /** The machine learns that the call is over; what cannot be undone any more is finished first: false. */
    abstract boolean giveUp();

    /** Whether the other end may need to hear something without a call here. */
    abstract boolean needsAck();

    /**
     * Takes one record of the present stream.
     *
     * @throws IOException the stream ends
     */
    abstract void take(ReceivedRecord record) throws IOException;

    /** What the open call waits for. */
    abstract String waitedFor(String name);

    /** Begins a call, with the lock held; it must be ended by {@link #leave}. */
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

    /** The end of a call, as the machine says it. */
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

    /** Ends a call whose time is up; when the next one is due, {@link Long#MAX_VALUE} if none is open. */
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
            String more = trouble.isEmpty() ? "" : "; last trouble: " + trouble;
            fail(
                    late,
                    new DeadlineExceededException(late.what + " did not complete before its deadline; waited for "
                            + waitedFor(name()) + more));
            return Long.MAX_VALUE;
        } finally {
            lock.unlock();
        }
    }

    /** The other end is called. */
    String name() {
        return mesh == null ? peer.shortText() : mesh.name(peer);
    }

    /** The same, without the lock. */
    String nameNow() {
        lock.lock();
        try {
            return name();
        } finally {
            lock.unlock();
        }
    }

    /** This rank is called. */
    String ownName() {
        return mesh == null ? means.self().shortText() : mesh.name(means.self());
    }

    Buffers buffers() {
        return means.buffers();
    }

    /** The stream that is in use; none between two. */
    @Nullable
    DataStream stream() {
        return stream;
    }

    /** Goes on in another group epoch. */
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

    /** Ends everything with this error, for good. */
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

    /** No stream, and no thread that opens one; those that there were end soon. */
    private void disconnect() {
        reset("");
        lost();
        if (opener != null) {
            opener.interrupt();
            opener = null;
        }
        changed.signalAll();
    }

    /** Closes the stream; its thread sees that and opens another one if it is wanted. */
    void reset(String why) {
        if (!why.isEmpty()) {
            trouble = why;
            LOG.debug("stream with peer={} begins anew: {}", peer.shortText(), why);
        }
        if (stream != null) {
            stream.close();
            stream = null;
            aloneNanos = clock.nanoTime();
        }
    }

    /** Sees to it that a thread opens a stream, if there is none and one is wanted. */
    void open() {
        Mesh on = mesh;
        if (opener == null && on != null && over == null && isWanted()) {
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

    private boolean isWanted() {
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
            // another epoch has another thread
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
            if (isMine && mesh == on && isWanted()) {
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
            throw new IOException("this stream is not in use any more");
        }
    }

    /** Says something of a few bytes; a stream that breaks is seen by its thread. */
    void say(int kind, int chunk, long number, long offset, MemorySegment payload) {
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

    void say(int kind, long number) {
        say(kind, 0, number, 0, PairRecords.NOTHING);
    }

    /** Waits for the threads of a line that is over; whether all ended in time. */
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
            } catch (InterruptedException impatient) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return ended;
    }
}
