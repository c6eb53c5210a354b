package io.hearth.transport.memory;

import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.transport.DataTransport;
import io.hearth.transport.MemoryFault;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.StreamException;
import io.hearth.transport.StreamId;
import io.hearth.transport.memory.SharedRing.CorruptException;
import io.hearth.transport.record.Deadlines;
import io.hearth.transport.record.OpenStream;
import io.hearth.transport.record.RecordBuffers;
import io.hearth.transport.record.StreamFailure;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A data stream to a process of the same user on the same machine: for each direction a ring in shared memory, and a unix socket that wakes
 * the sleeping end. Nothing is encrypted: a process that could read this memory could read the memory of both processes.
 *
 * <p>Received records are read in place in the ring. A waiting thread spins for a moment, then yields a few times, then sleeps in a read of
 * the socket, which also ends when the other process does.
 */
public final class SharedMemoryStream implements OpenStream, RecordBuffers.Lender {
    /** Time for which a close may wait to ring for its last record. */
    private static final long CLOSE_WAIT_NANOS = 200_000_000L;

    /** Time for which a waiting thread spins if each rank of this machine has a core. */
    public static final long SPIN_NANOS = 50_000L;

    /** The same if ranks share cores: a spinning rank keeps another one from writing. */
    public static final long SHORT_SPIN_NANOS = 1_500L;

    /**
     * The same for {@link #comesSoon()}, if each rank has a core: its caller would leave the wait to another thread, and each change of
     * threads takes up to 50 µs on each side.
     */
    private static final long LOOK_SPIN_NANOS = 200_000L;

    /** Checks of the ring between two readings of the clock. */
    private static final int SPINS = 32;

    /**
     * Number of yields after a spin in vain, before the thread sleeps. A sleep and a wake-up take several times as long, and if ranks share
     * a core, the awaited rank is often the next to run. The number is small, because with long yielding a whole time slice of the
     * scheduler would pass.
     */
    private static final int YIELDS = 16;

    private final NodeId peer;
    private final StreamId id;
    private final SharedMemory memory;
    private final SharedRing out;
    private final SharedRing in;
    private final Doorbell outBell;
    private final Doorbell inBell;
    private final SpinBudget outSpin; // under sending
    private final SpinBudget inSpin; // under receiving
    private final SpinBudget lookSpin; // likewise
    private final Clock clock;
    private final ThreadLocal<RecordBuffers> buffers;
    private final Deadlines deadlines;
    private final Consumer<OpenStream> closed;
    private final ReentrantLock sending = new ReentrantLock(); // held by the writing thread
    private final ReentrantLock receiving = new ReentrantLock(); // held by the reading thread
    private final StreamFailure broken;
    private final ReceivedRecord received = new ReceivedRecord(); // under receiving, then the receiver's
    private final Look record;
    private final Look room;
    private int roomWanted; // under sending
    private @Nullable Thread borrower; // the thread with a borrowed record; under receiving
    private boolean ended; // the peer sent END; under receiving
    private volatile long bytesSent; // written under sending, read by any thread

    /** A check of the awaited condition. */
    private interface Look {
        boolean isThere() throws CorruptException, StreamException;
    }

    /** The sockets of both directions: from the dialling side, and to it. */
    public record Bells(Doorbell fromDialer, Doorbell toDialer) {
        void close() {
            Deadlines.close(fromDialer.channel());
            Deadlines.close(toDialer.channel());
        }
    }

    /**
     * @param memory with one hold for this stream
     * @param spinNanos longest spin of a waiting thread before it sleeps
     * @param buffers of the calling thread; they hold the stream of its last received record
     * @param closed called once when the stream is closed
     */
    public SharedMemoryStream(
            NodeId peer,
            StreamId id,
            SharedMemory memory,
            Bells bells,
            boolean dialed,
            long spinNanos,
            Clock clock,
            ThreadLocal<RecordBuffers> buffers,
            Deadlines deadlines,
            Consumer<OpenStream> closed) {
        this.peer = peer;
        this.broken = new StreamFailure(peer);
        this.id = id;
        this.memory = memory;
        this.out = new SharedRing(memory.ring(dialed));
        this.in = new SharedRing(memory.ring(!dialed));
        this.outBell = dialed ? bells.fromDialer() : bells.toDialer();
        this.inBell = dialed ? bells.toDialer() : bells.fromDialer();
        this.outSpin = new SpinBudget(spinNanos, SHORT_SPIN_NANOS);
        this.inSpin = new SpinBudget(spinNanos, SHORT_SPIN_NANOS);
        this.lookSpin = new SpinBudget(spinNanos > SHORT_SPIN_NANOS ? LOOK_SPIN_NANOS : spinNanos, SHORT_SPIN_NANOS);
        this.clock = clock;
        this.buffers = buffers;
        this.deadlines = deadlines;
        this.closed = closed;
        this.record = () -> in.read(received);
        this.room = () -> out.hasRoom(roomWanted);
    }

    @Override
    public DataTransport transport() {
        return DataTransport.SHM;
    }

    @Override
    public NodeId peer() {
        return peer;
    }

    @Override
    public StreamId id() {
        return id;
    }

    @Override
    public long bytesSent() {
        return bytesSent;
    }

    @Override
    public int recordsUnread(int length) {
        return out.recordsUnread(length);
    }

    @Override
    public void send(
            int kind,
            int chunk,
            long collective,
            long offset,
            MemorySegment prefix,
            MemorySegment bytes,
            long from,
            int length)
            throws IOException {
        int whole = RecordHeader.checkSent(kind, chunk, prefix, bytes, from, length);
        sending.lock();
        try {
            enter();
            try {
                awaitRoom(whole);
                if (out.write(whole, kind, chunk, collective, offset, prefix, bytes, from)) {
                    outBell.ring();
                }
            } finally {
                memory.leave();
            }
            long sentBefore = bytesSent;
            bytesSent = sentBefore + RecordHeader.BYTES + whole;
        } catch (CorruptException scribbled) {
            throw forged(scribbled);
        } catch (StreamException known) {
            throw known;
        } catch (InternalError error) {
            throw cutOff(error);
        } catch (IOException gone) {
            throw fail(StreamException.Cause.CUT, "the other process was gone while this one sent", gone);
        } finally {
            sending.unlock();
        }
    }

    @Override
    public ReceivedRecord receive() throws IOException {
        RecordBuffers own = buffers.get();
        own.endLoan(this);
        receiving.lock();
        try {
            if (ended) {
                throw new EOFException("stream with " + peer.shortText() + " ended");
            }
            endLoan();
            enter();
            boolean lent = false;
            try {
                awaitRecord();
                if (received.kind() >= RecordHeader.USER_MIN) {
                    borrower = Thread.currentThread();
                    own.borrowed(this);
                    lent = true; // the hold on the memory continues with it
                    return received;
                }
            } finally {
                if (!lent) {
                    memory.leave();
                }
            }
            if (received.kind() != RecordHeader.END) {
                throw fail(
                        StreamException.Cause.FORGED, "a record of kind " + received.kind() + " is out of place", null);
            }
            ended = true;
        } catch (CorruptException scribbled) {
            throw forged(scribbled);
        } catch (StreamException known) {
            throw known;
        } catch (EOFException over) {
            throw ended ? over : fail(StreamException.Cause.CUT, "the stream ended without its last record", over);
        } catch (InternalError error) {
            throw cutOff(error);
        } catch (IOException gone) {
            throw fail(StreamException.Cause.CUT, "the connection broke while receiving", gone);
        } finally {
            receiving.unlock();
        }
        throw new EOFException("stream with " + peer.shortText() + " ended");
    }

    @Override
    public boolean isInMemory() {
        return true;
    }

    @Override
    public boolean comesSoon() {
        buffers.get().endLoan(this);
        return look(receiving, () -> {
            endLoan();
            return ended || in.read(received) || comesSoon(record, lookSpin);
        });
    }

    @Override
    public boolean hasRoom(int length) {
        return look(sending, () -> out.hasRoom(length));
    }

    /** Looks with the lock of one direction. Also true if a use of that direction would fail: it reports the failure. */
    private boolean look(ReentrantLock direction, Look look) {
        direction.lock();
        try {
            if (!memory.enter()) {
                return true;
            }
            try {
                return broken.isPresent() || look.isThere();
            } finally {
                memory.leave();
            }
        } catch (CorruptException | StreamException failure) {
            return true;
        } catch (InternalError error) {
            cutOff(error);
            return true;
        } finally {
            direction.unlock();
        }
    }

    @Override
    public void close() {
        if (!broken.isPresent() && sending.tryLock()) {
            try (var _ = deadlines.closeAfter(outBell.channel(), CLOSE_WAIT_NANOS)) {
                if (memory.enter()) {
                    try {
                        if (out.writeLast(RecordHeader.END)) {
                            outBell.ring();
                        }
                    } finally {
                        memory.leave();
                    }
                }
            } catch (InternalError error) {
                var _ = MemoryFault.of(error); // then no peer needs the last record
            } catch (IOException peerGone) {
                // then no peer needs the last record
            } finally {
                sending.unlock();
            }
        }
        end(StreamException.Cause.CLOSED, "closed by this node", null);
        endLoanOf(Thread.currentThread()); // the closing thread no longer uses its record
    }

    @Override
    public void abort(StreamException.Cause cause, String why) {
        end(cause, why, null);
    }

    private void awaitRoom(int length) throws IOException, CorruptException {
        broken.requireNone();
        roomWanted = length;
        if (out.hasRoom(length) || comesSoon(room, outSpin)) {
            return;
        }
        while (true) {
            out.writerSleeps();
            if (out.hasRoom(length)) {
                if (!out.cancelWriterSleep()) {
                    outBell.await();
                }
                return;
            }
            outBell.await();
        }
    }

    private void awaitRecord() throws IOException, CorruptException {
        broken.requireNone();
        if (in.read(received) || comesSoon(record, inSpin)) {
            return;
        }
        while (true) {
            in.readerSleeps();
            if (in.read(received)) {
                if (!in.cancelReaderSleep()) {
                    inBell.awaitOrEnd();
                }
                return;
            }
            try {
                inBell.await();
            } catch (IOException gone) {
                if (in.read(received)) {
                    return; // written before the peer ended
                }
                throw gone;
            }
        }
    }

    /** Waits a moment without sleeping: spins, then yields. Returns true if the condition holds. */
    @SuppressWarnings("ThreadPriorityCheck") // a scheduler that ignores it costs time, nothing else
    private boolean comesSoon(Look look, SpinBudget spin) throws StreamException, CorruptException {
        long spinNanos = spin.nanos();
        long startNanos = clock.nanoTime();
        do {
            for (int i = 0; i < SPINS; i++) {
                Thread.onSpinWait();
                if (look.isThere()) {
                    spin.paid();
                    return true;
                }
            }
            broken.requireNone();
        } while (clock.nanoTime() - startNanos < spinNanos);
        spin.inVain(spinNanos);
        for (int i = 0; i < YIELDS; i++) {
            Thread.yield();
            if (look.isThere()) {
                return true;
            }
        }
        return false;
    }

    /** Gives back the last received record; under receiving. */
    private void endLoan() {
        if (borrower == null) {
            return;
        }
        borrower = null;
        try {
            if (in.release()) {
                inBell.ringOrEnd();
            }
        } catch (InternalError error) {
            cutOff(error); // the next call throws it
        } finally {
            memory.leave();
        }
    }

    @Override
    public void endLoanOf(Thread thread) {
        if (receiving.tryLock()) { // otherwise a thread receives, and has given it back
            try {
                if (thread.equals(borrower)) {
                    endLoan();
                }
            } finally {
                receiving.unlock();
            }
        }
    }

    private void enter() throws StreamException {
        if (!memory.enter()) {
            broken.requireNone();
            throw new AssertionError("unmapped while it is whole");
        }
    }

    /** Ends the stream and returns the exception to throw: the first one, if another thread ended it meanwhile. */
    private StreamException fail(StreamException.Cause cause, String why, @Nullable Throwable thrown) {
        end(cause, why, thrown);
        return broken.get();
    }

    private StreamException forged(CorruptException scribbled) {
        return fail(
                StreamException.Cause.FORGED,
                "invalid data in its shared memory: " + scribbled.getMessage(),
                scribbled);
    }

    private StreamException cutOff(InternalError error) {
        MemoryFault fault = MemoryFault.of(error);
        return fail(StreamException.Cause.CUT, String.valueOf(fault.getMessage()), fault);
    }

    private void end(StreamException.Cause cause, String why, @Nullable Throwable thrown) {
        if (!broken.set(cause, why, thrown)) {
            return;
        }
        Deadlines.close(outBell.channel());
        Deadlines.close(inBell.channel());
        memory.leave();
        closed.accept(this);
    }
}
