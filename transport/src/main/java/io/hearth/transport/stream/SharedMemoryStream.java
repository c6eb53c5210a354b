package io.hearth.transport.stream;

import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.transport.MemoryFault;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.StreamException;
import io.hearth.transport.StreamId;
import io.hearth.transport.stream.SharedRing.CorruptException;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A data stream to a process of the same user on the same machine: a ring in shared memory for each direction, and a unix socket
 * for each that wakes who sleeps. Nothing is encrypted: who could read this memory could read the processes themselves.
 *
 * <p>Received records are shown where they lie in the ring. Who waits spins for a moment, lets others run for another, then sleeps
 * in a read of the socket, which ends too when the other process does.
 */
public final class SharedMemoryStream implements OpenStream {
    /** How long a close may wait for its last knock. */
    private static final long LAST_WORD_NANOS = 200_000_000L;

    /** How long who waits spins where each rank of this machine has a core. */
    public static final long SPIN_NANOS = 50_000L;

    /** The same where they share cores: whoever spins keeps another one from writing. */
    public static final long SHORT_SPIN_NANOS = 1_500L;

    /** Looks at the ring between two looks at the clock. */
    private static final int SPINS = 32;

    /**
     * How often who spun in vain lets others run before it sleeps. To sleep and be woken takes several times as long, and where ranks
     * share a core, the one waited for is often the next to run. Few enough that nobody waits by turns for long: then a whole slice
     * of the scheduler would go by.
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
    private final Clock clock;
    private final ThreadLocal<RecordBuffers> buffers;
    private final Deadlines deadlines;
    private final Consumer<OpenStream> closed;
    private final ReentrantLock sending = new ReentrantLock(); // held by whoever writes
    private final ReentrantLock receiving = new ReentrantLock(); // held by whoever reads
    private final AtomicReference<@Nullable StreamException> broken =
            new AtomicReference<>(); // first writer wins, all read
    private final ReceivedRecord received = new ReceivedRecord(); // under receiving, then the receiver's
    private final Look record;
    private final Look room;
    private int roomWanted; // under sending
    private @Nullable Thread borrower; // who was shown a record; under receiving
    private boolean ended; // the peer said END; under receiving
    private volatile long bytesSent; // written under sending, read by anyone

    /** Whether what is waited for has come. */
    private interface Look {
        boolean isThere() throws CorruptException;
    }

    /** The sockets of both directions; from the dialling side, and to it. */
    public record Bells(Doorbell fromDialer, Doorbell toDialer) {
        void close() {
            Deadlines.close(fromDialer.channel());
            Deadlines.close(toDialer.channel());
        }
    }

    /**
     * @param memory held once, for this stream
     * @param spinNanos how long who waits spins at most before it sleeps
     * @param buffers of the calling thread: they know whose record it was shown last
     * @param closed told once when the stream is closed
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
        this.id = id;
        this.memory = memory;
        this.out = new SharedRing(memory.ring(dialed));
        this.in = new SharedRing(memory.ring(!dialed));
        this.outBell = dialed ? bells.fromDialer() : bells.toDialer();
        this.inBell = dialed ? bells.toDialer() : bells.fromDialer();
        this.outSpin = new SpinBudget(spinNanos, SHORT_SPIN_NANOS);
        this.inSpin = new SpinBudget(spinNanos, SHORT_SPIN_NANOS);
        this.clock = clock;
        this.buffers = buffers;
        this.deadlines = deadlines;
        this.closed = closed;
        this.record = () -> in.read(received);
        this.room = () -> out.hasRoom(roomWanted);
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
            throw fail(
                    StreamException.Cause.FORGED,
                    "its shared memory is nonsense: " + scribbled.getMessage(),
                    scribbled);
        } catch (StreamException told) {
            throw told;
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
        endLoan(own, this);
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
                    own.lender = this;
                    lent = true; // and with it the hold
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
            throw fail(
                    StreamException.Cause.FORGED,
                    "its shared memory is nonsense: " + scribbled.getMessage(),
                    scribbled);
        } catch (StreamException told) {
            throw told;
        } catch (EOFException over) {
            throw ended ? over : fail(StreamException.Cause.CUT, "it was cut off before its end", over);
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
    public void close() {
        if (broken.get() == null && sending.tryLock()) {
            try (var _ = deadlines.closeAfter(outBell.channel(), LAST_WORD_NANOS)) {
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
                var _ = MemoryFault.of(error); // nobody is there to hear that this is the end
            } catch (IOException peerGone) {
                // the same
            } finally {
                sending.unlock();
            }
        }
        end(StreamException.Cause.CLOSED, "closed by this node", null);
        endLoanOf(Thread.currentThread()); // who closes it has no more interest in what it was shown
    }

    @Override
    public void abort(StreamException.Cause cause, String why) {
        end(cause, why, null);
    }

    private void awaitRoom(int length) throws IOException, CorruptException {
        requireWhole();
        roomWanted = length;
        if (out.hasRoom(length) || comesSoon(room, outSpin)) {
            return;
        }
        while (true) {
            out.writerSleeps();
            if (out.hasRoom(length)) {
                if (!out.writerStays()) {
                    outBell.await();
                }
                return;
            }
            outBell.await();
        }
    }

    private void awaitRecord() throws IOException, CorruptException {
        requireWhole();
        if (in.read(received) || comesSoon(record, inSpin)) {
            return;
        }
        while (true) {
            in.readerSleeps();
            if (in.read(received)) {
                if (!in.readerStays()) {
                    inBell.awaitOrEnd();
                }
                return;
            }
            try {
                inBell.await();
            } catch (IOException gone) {
                if (in.read(received)) {
                    return; // it wrote that before it went
                }
                throw gone;
            }
        }
    }

    /** Waits a moment without sleeping: spins, then lets others run. */
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
            requireWhole();
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

    /** Gives back what was shown last; under receiving. */
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

    /** Ends that thread's loan, if it has one. */
    private void endLoanOf(Thread thread) {
        if (receiving.tryLock()) { // else somebody receives, and has ended it
            try {
                if (thread.equals(borrower)) {
                    endLoan();
                }
            } finally {
                receiving.unlock();
            }
        }
    }

    /** The calling thread receives again, or {@code null} for no more: what another stream showed it goes back. */
    public static void endLoan(RecordBuffers own, @Nullable OpenStream receiver) {
        SharedMemoryStream lender = own.lender;
        if (lender != null && lender != receiver) {
            own.lender = null;
            lender.endLoanOf(Thread.currentThread());
        }
    }

    private void enter() throws StreamException {
        if (!memory.enter()) {
            requireWhole();
            throw new AssertionError("unmapped while it is whole");
        }
    }

    private void requireWhole() throws StreamException {
        StreamException before = broken.get();
        if (before != null) {
            throw new StreamException(peer, before.kind(), "no longer usable", before);
        }
    }

    /** Ends the stream and gives the reason to throw: the first one, if somebody else ended it meanwhile. */
    private StreamException fail(StreamException.Cause cause, String why, @Nullable Throwable thrown) {
        end(cause, why, thrown);
        StreamException first = broken.get();
        return first == null ? new StreamException(peer, cause, why, thrown) : first;
    }

    private StreamException cutOff(InternalError error) {
        MemoryFault fault = MemoryFault.of(error);
        return fail(StreamException.Cause.CUT, String.valueOf(fault.getMessage()), fault);
    }

    private void end(StreamException.Cause cause, String why, @Nullable Throwable thrown) {
        if (!broken.compareAndSet(null, new StreamException(peer, cause, why, thrown))) {
            return;
        }
        Deadlines.close(outBell.channel());
        Deadlines.close(inBell.channel());
        memory.leave();
        closed.accept(this);
    }
}
