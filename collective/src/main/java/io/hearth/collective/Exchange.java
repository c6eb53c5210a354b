package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.collective.Schedule.Transfer;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.transport.DataStream;
import io.hearth.transport.RecordHeader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at one number on one ring: plays schedules over the two streams.
 *
 * <p>The calling thread sends. Small schedules it plays alone, in turn; for larger ones the companion receives meanwhile.
 *
 * <p>Every rank first sends CALL, its signature, and compares the one that comes. A rank that sees a difference, or that may
 * not take part, ends its side with REFUSED instead of data; who gets REFUSED passes it on, once. So each rank of a refused
 * number sends one REFUSED and receives one, as last record of that number in either direction, and the streams are ready for
 * the next number. No rank can have finished a number that another one refuses: to finish, a rank needs bytes that passed
 * through all others after their comparison.
 */
final class Exchange {
    /** Record kinds of collectives. */
    static final int CALL = RecordHeader.USER_MIN;

    static final int SEGMENT = CALL + 1;
    static final int REFUSED = CALL + 2;

    /** Up to this many bytes a socket takes without being read, so one thread may play both sides in turn. */
    private static final int IN_TURN_BYTES_MAX = 32 * 1024;

    private final Ring ring;
    private final Gate gate;
    private final Companion companion;
    private final Reducer reducer;
    private final long number;
    private final Signature signature;
    private final boolean isForward;
    private final boolean isHeld;

    private boolean announced;
    private boolean spread;
    private volatile @Nullable Refusal refusal; // written by whoever receives, or before the start; read by the sender
    private volatile long received; // written by whoever receives, read by the sender
    private volatile @Nullable Thread sender; // written by the sender while it waits, unparked by the companion

    private Exchange(Drive drive, long number, Signature signature, boolean isForward, boolean isHeld) {
        this.ring = drive.ring();
        this.gate = drive.gate();
        this.companion = drive.companion();
        this.reducer = drive.reducer();
        this.number = number;
        this.signature = signature;
        this.isForward = isForward;
        this.isHeld = isHeld;
    }

    /**
     * What an exchange works with; all borrowed.
     *
     * @param ring open
     */
    record Drive(Ring ring, Gate gate, Companion companion, Reducer reducer) {}

    /** The exchange of a call; {@code doomed}: only to tell all ranks this. */
    static Exchange ofCall(Drive drive, long number, Signature signature, Optional<Refusal> doomed) {
        var exchange = new Exchange(drive, number, signature, false, false);
        exchange.refusal = doomed.orElse(null);
        return exchange;
    }

    /** The exchange that carries a result to those who lack it; where it {@code isHeld}, bytes are only compared. */
    static Exchange ofForward(Drive drive, long number, long bytes, boolean isHeld) {
        var signature = Signature.allReduce(ReduceOp.SUM, DataType.UINT8, bytes, Signature.PLAIN);
        return new Exchange(drive, number, signature, true, isHeld);
    }

    /**
     * Plays this rank's part of {@code schedule} over {@code buffer}; a number may take several schedules, one after the other.
     *
     * @param buffer native
     * @return the refusal with which the number ended on all ranks, if it did
     * @throws IOException the ring is broken or abandoned; {@code buffer} holds anything
     */
    Optional<Refusal> play(Schedule schedule, MemorySegment buffer) throws IOException {
        if (ring.world() == 1) {
            return Optional.ofNullable(refusal);
        }
        received = 0;
        if (!announced && !isForward) {
            announced = true;
            byte[] bytes = CollectiveCodec.encode(signature);
            send(new RecordHeader(bytes.length, CALL, 0, number, 0), MemorySegment.ofArray(bytes));
        }
        if (refusal == null && schedule.inTurn(IN_TURN_BYTES_MAX)) {
            playInTurn(schedule, buffer);
        } else {
            playOverlapped(schedule, buffer);
        }
        return Optional.ofNullable(refusal);
    }

    /** This rank cannot take part: whatever is played from now on only tells all ranks so. */
    void refuse(Refusal why) {
        if (refusal == null) {
            refusal = why;
        }
    }

    private void playInTurn(Schedule schedule, MemorySegment buffer) throws IOException {
        for (long index = 0; index < schedule.sends(); index++) {
            send(schedule.send(index), buffer);
            if (!receive(schedule.receive(index), buffer, true)) {
                spread();
                return;
            }
        }
    }

    private void playOverlapped(Schedule schedule, MemorySegment buffer) throws IOException {
        companion.start(() -> {
            try {
                receiveAll(schedule, buffer);
            } finally {
                LockSupport.unpark(sender);
            }
        });
        try {
            for (long index = 0; index < schedule.sends() && refusal == null; index++) {
                Transfer transfer = schedule.send(index);
                if (awaitReceived(transfer.after())) {
                    send(transfer, buffer);
                }
            }
            awaitReceived(schedule.receives());
            if (refusal != null) {
                spread();
            }
        } catch (IOException | RuntimeException | Error broken) {
            ring.abandon(); // or the companion would receive for ever
            companion.awaitIdle();
            throw first(companion.failure(), broken);
        }
        companion.awaitIdle();
        Throwable failure = companion.failure();
        if (failure != null) {
            throw first(failure, failure);
        }
    }

    /** What broke first is what the companion saw, unless it only saw the ring being abandoned. */
    private static IOException first(@Nullable Throwable received, Throwable sent) {
        if (received instanceof RingBrokenException broken) {
            return broken;
        }
        if (received instanceof RuntimeException || received instanceof Error) {
            return Companion.rethrown("receiving failed", received);
        }
        return Companion.rethrown("sending failed", sent);
    }

    /** Waits until that many segments are in; false if there is a refusal instead. */
    private boolean awaitReceived(long count) throws IOException {
        if (received >= count) {
            return refusal == null;
        }
        ring.waitsFor(ring.name(ring.previous()) + " to send");
        sender = Thread.currentThread();
        while (received < count && refusal == null) {
            if (companion.isIdle() && received < count && refusal == null) {
                Throwable failure = companion.failure();
                throw failure == null ? new IOException("the companion stopped") : first(failure, failure);
            }
            LockSupport.park(this);
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted");
            }
        }
        sender = null;
        return refusal == null;
    }

    private void receiveAll(Schedule schedule, MemorySegment buffer) throws IOException {
        for (long index = 0; index < schedule.receives(); index++) {
            if (!receive(schedule.receive(index), buffer, false)) {
                return;
            }
            received = index + 1;
            LockSupport.unpark(sender);
        }
    }

    /** Takes records until the expected segment is in (true) or REFUSED is (false). */
    private boolean receive(Transfer expected, MemorySegment buffer, boolean alone) throws IOException {
        while (true) {
            DataStream.Received arrived = receive();
            RecordHeader header = arrived.header();
            gate.enter(ring);
            try {
                if (header.collective() != number) {
                    throw misfit(header, "number " + number);
                }
                if (header.kind() == REFUSED) {
                    Refusal passedOn = decodeRefusal(arrived);
                    if (refusal == null) {
                        refusal = passedOn;
                    }
                    return false;
                } else if (header.kind() == CALL) {
                    compare(decodeCall(arrived));
                } else if (header.kind() != SEGMENT) {
                    throw misfit(header, "a segment");
                } else if (refusal == null) {
                    apply(expected, arrived, buffer);
                    return true;
                }
            } finally {
                gate.leave();
            }
            if (refusal != null) {
                if (alone) {
                    spread();
                } else {
                    LockSupport.unpark(sender);
                }
            }
        }
    }

    private void compare(Signature theirs) {
        if (refusal == null && !theirs.equals(signature)) {
            refusal = new Refusal(
                    Refusal.Cause.MISMATCH,
                    "number " + number + ": " + ring.name(ring.previous()) + " asked for " + theirs.text() + ", "
                            + ring.name(ring.self()) + " for " + signature.text()
                            + "; all ranks must make the same calls in the same order");
        }
    }

    private void apply(Transfer expected, DataStream.Received arrived, MemorySegment buffer) throws IOException {
        RecordHeader header = arrived.header();
        if (header.chunk() != expected.chunk()
                || header.offset() != expected.offset()
                || header.length() != expected.length()) {
            throw misfit(
                    header,
                    "chunk " + expected.chunk() + " offset " + expected.offset() + " length " + expected.length());
        }
        MemorySegment target = buffer.asSlice(expected.offset(), expected.length());
        if (isHeld) {
            if (target.mismatch(MemorySegment.ofArray(arrived.bytes()).asSlice(arrived.offset(), header.length()))
                    != -1) {
                throw new RingBrokenException(
                        ring.previous(),
                        "the forwarded result of number " + number + " differs from the one held here; report this");
            }
            return;
        }
        switch (expected.action()) {
            case COPY ->
                MemorySegment.copy(
                        arrived.bytes(), arrived.offset(), target, ValueLayout.JAVA_BYTE, 0, header.length());
            case REDUCE -> reduce(target, arrived);
            case REDUCE_LAST -> {
                reduce(target, arrived);
                if (signature.op() == ReduceOp.AVG) {
                    int count = expected.length() / signature.type().bytes();
                    reducer.divide(signature.type(), target, 0, count, ring.world());
                }
            }
        }
    }

    private void reduce(MemorySegment target, DataStream.Received arrived) {
        ReduceOp op = signature.op() == ReduceOp.AVG ? ReduceOp.SUM : signature.op();
        int count = arrived.header().length() / signature.type().bytes();
        reducer.combine(signature.type(), op, target, 0, target, 0, arrived.bytes(), arrived.offset(), count);
    }

    /** Tells the next rank how the number ends, once. */
    private void spread() throws IOException {
        Refusal known = refusal;
        if (!spread && known != null) {
            spread = true;
            byte[] bytes = CollectiveCodec.encode(known);
            send(new RecordHeader(bytes.length, REFUSED, 0, number, 0), MemorySegment.ofArray(bytes));
        }
    }

    private void send(Transfer transfer, MemorySegment buffer) throws IOException {
        send(
                new RecordHeader(transfer.length(), SEGMENT, transfer.chunk(), number, transfer.offset()),
                buffer.asSlice(transfer.offset(), transfer.length()));
    }

    private void send(RecordHeader header, MemorySegment bytes) throws IOException {
        gate.pass(ring);
        DataStream stream = ring.toNext();
        try {
            stream.send(header, bytes);
        } catch (IOException broken) {
            ring.check();
            throw new RingBrokenException(
                    ring.next(), "sending to " + ring.name(ring.next()) + " failed: " + broken.getMessage(), broken);
        }
    }

    private DataStream.Received receive() throws IOException {
        DataStream stream = ring.fromPrevious();
        try {
            return stream.receive();
        } catch (IOException broken) {
            ring.check();
            throw new RingBrokenException(
                    ring.previous(),
                    "receiving from " + ring.name(ring.previous()) + " failed: " + broken.getMessage(),
                    broken);
        }
    }

    private Signature decodeCall(DataStream.Received arrived) throws IOException {
        try {
            return CollectiveCodec.signature(payload(arrived));
        } catch (MalformedMessageException malformed) {
            throw new RingBrokenException(
                    ring.previous(),
                    ring.name(ring.previous()) + " sent no call: " + malformed.getMessage(),
                    malformed);
        }
    }

    private Refusal decodeRefusal(DataStream.Received arrived) throws IOException {
        try {
            return CollectiveCodec.refusal(payload(arrived));
        } catch (MalformedMessageException malformed) {
            throw new RingBrokenException(
                    ring.previous(),
                    ring.name(ring.previous()) + " sent no refusal: " + malformed.getMessage(),
                    malformed);
        }
    }

    private static byte[] payload(DataStream.Received arrived) {
        return Arrays.copyOfRange(
                arrived.bytes(),
                arrived.offset(),
                arrived.offset() + arrived.header().length());
    }

    private RingBrokenException misfit(RecordHeader header, String expected) {
        return new RingBrokenException(
                ring.previous(),
                ring.name(ring.previous()) + " sent kind " + header.kind() + " number " + header.collective()
                        + " chunk " + header.chunk() + " offset " + header.offset() + " length " + header.length()
                        + " where " + expected + " was due");
    }
}
