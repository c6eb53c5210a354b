package io.hearth.collective.exchange;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.ScheduleChoice;
import io.hearth.collective.Signature;
import io.hearth.collective.exchange.watch.ExchangeWatch;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.CollectiveMessages.First;
import io.hearth.collective.group.StreamBrokenException;
import io.hearth.collective.schedule.Schedule;
import io.hearth.collective.schedule.Transfer;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.transport.DataStream;
import io.hearth.transport.ReceivedRecord;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at one number in one mesh: plays schedules over the streams to the other members.
 *
 * <p>The calling thread sends. It plays small schedules alone, in turn, because a hand-over to another thread would cost more than the
 * schedule. It also plays rings alone if the stream to the next position certainly buffers some segments. Otherwise the receiver thread
 * receives at the same time.
 *
 * <p>The first record from one rank to another carries the sender's signature, and the receiver compares it with its own. A rank that
 * detects a difference, or that cannot take part, rejects the number: {@link AbortRound}. No rank can have finished a number that another
 * rank rejects: see {@link Schedule}.
 */
public final class Exchange {
    private static final int RECORD_OVERHEAD = 64; // record header and cipher tag
    private static final int AHEAD_MAX = 4; // enough to keep both ends busy, and few enough for a cache

    private final Mesh mesh;
    private final MeshDriver driver;
    private final Wire wire;
    private final AbortRound abort;
    private final Signature signature;
    private final CallHandshake handshake;
    private final Combiner combiner;
    private final boolean isHeld;
    private final Transfer toSend = new Transfer(); // of the sender
    private final Transfer toReceive = new Transfer(); // of the receiving thread
    private long number;
    private boolean mayWait = true;
    private int played; // schedules of this number that have ended
    private int next; // the schedule to play, counted from the beginning of the attempt
    private boolean isBegun; // whether this schedule was
    private long sentInTurn; // segments of the schedule
    private long takenInTurn;
    private ExchangeWatch watch = ExchangeWatch.NONE;
    private volatile long received; // written by the receiving thread, read by the sender
    private volatile @Nullable Thread sender; // written by the sender while it waits, unparked by the receiver thread

    private Exchange(MeshDriver driver, Mesh mesh, long number, Signature signature, boolean isForward, boolean held) {
        this.driver = driver;
        this.mesh = mesh;
        this.number = number;
        this.wire = new Wire(mesh, driver.gate(), number);
        this.abort = new AbortRound(driver, mesh, wire);
        this.signature = signature;
        var first = new First(signature, driver.settings());
        this.handshake =
                new CallHandshake(mesh, wire, first, isForward); // all ranks know a forward from the view change
        this.combiner = new Combiner(driver.reducer(), signature, mesh.world());
        this.isHeld = held;
    }

    /** The exchange of a call; {@code doomed}: if present, it only distributes this rejection to all ranks. */
    public static Exchange ofCall(
            MeshDriver driver, Mesh mesh, long number, Signature signature, Optional<CallRejection> doomed) {
        Exchange spare = driver.takeSpare(mesh, signature);
        Exchange exchange = spare == null ? new Exchange(driver, mesh, number, signature, false, false) : spare;
        exchange.begin(number);
        if (doomed.isPresent()) {
            exchange.abort.refuse(doomed.get());
        }
        return exchange;
    }

    private void begin(long ofCall) {
        number = ofCall;
        played = 0;
        wire.begin(ofCall);
        handshake.begin();
        watch = driver.watch(ofCall, signature, mesh.world());
        this.next = 0;
        isBegun = false;
    }

    /**
     * Before the attempt, or before it goes on after a {@link PausedException}: the operation runs again from its beginning, and the
     * schedules that it has played already are skipped.
     *
     * @param wait whether it may wait for other ranks
     */
    public void go(boolean wait) {
        mayWait = wait;
        next = 0;
    }

    /** Ends this exchange after its last schedule; the next call of the same kind may reuse it, unless it ended with a rejection. */
    public void end() {
        if (!abort.isKnown()) {
            driver.keepSpare(mesh, this);
        }
    }

    /** Whether this exchange fits calls with that signature. */
    boolean isOf(Signature asked) {
        return signature.equals(asked);
    }

    /**
     * The exchange that forwards a result to the members that lack it; if this member has it ({@code isHeld}), it only compares the bytes.
     */
    public static Exchange ofForward(MeshDriver driver, Mesh mesh, long number, long bytes, boolean isHeld) {
        var signature = Signature.allReduce(ReduceOp.SUM, DataType.UINT8, bytes, Signature.PLAIN);
        return new Exchange(driver, mesh, number, signature, true, isHeld);
    }

    /**
     * Plays this rank's part of {@code schedule}; a number may take several schedules, one after the other.
     *
     * @param order maps positions to ranks
     * @param input this rank's contribution; usable from any thread, not written
     * @param buffer receives the result
     * @return the rejection with which the number ended on all ranks, if any
     * @throws IOException a stream is broken or the mesh abandoned; the content of {@code buffer} is undefined
     */
    public Optional<CallRejection> play(Schedule schedule, RankOrder order, Region input, Region buffer)
            throws IOException {
        return play(schedule, order, input, buffer, InPlaceBackup.NONE);
    }

    /** The same, but {@code input} and {@code buffer} may be the same memory; {@code undo} saves overwritten bytes. */
    public Optional<CallRejection> play(
            Schedule schedule, RankOrder order, Region input, Region buffer, InPlaceBackup undo) throws IOException {
        SegmentWork work = isHeld
                ? new HeldSegments(mesh, number, buffer.memory())
                : new PlainSegments(combiner, input, buffer, undo);
        return play(schedule, order, input, buffer, work);
    }

    /** The same for segments that are not plain elements; {@code work} produces and consumes their bytes. */
    public Optional<CallRejection> play(
            Schedule schedule, RankOrder order, Region input, Region buffer, SegmentWork work) throws IOException {
        if (mesh.world() > 1) {
            boolean isNext = next++ == played;
            if (isNext && !abort.isKnown()) {
                var part = new Part(schedule, order, input, buffer, work);
                boolean isInTurn =
                        schedule.bytesToOneMax() + RECORD_OVERHEAD * schedule.sends() <= driver.inTurnBytesMax();
                if (!isBegun) {
                    begin(part, isInTurn);
                }
                if (isInTurn) {
                    playInTurn(part);
                } else {
                    int ahead = ahead(schedule, order);
                    if (ahead > 0) {
                        playAhead(part, ahead);
                    } else {
                        playOverlapped(part);
                    }
                }
            }
            if (!mayWait && abort.isKnown()) {
                throw new PausedException();
            }
            abort.spread();
            if (isNext) {
                played++;
                isBegun = false;
            }
        }
        return abort.refusal();
    }

    private void begin(Part part, boolean isInTurn) throws IOException {
        if (!mayWait && !(isInTurn && driver.isOpen(mesh, part.order, part.schedule.isAround()))) {
            throw new PausedException();
        }
        driver.open(mesh, part.order, part.schedule.isAround());
        received = 0;
        sentInTurn = 0;
        takenInTurn = 0;
        watch.plays(part.schedule);
        mesh.timeCiphers(watch.isOn());
        isBegun = true;
    }

    /** Chooses the schedules of calls with {@code AUTO}. */
    public ScheduleChoice choice() {
        return driver.choice(mesh);
    }

    /** The combiner of the receiving thread. */
    public Combiner combiner() {
        return combiner;
    }

    /** Watches the time of this attempt; the creator of this exchange must end it. */
    public ExchangeWatch watch() {
        return watch;
    }

    /** A schedule with its memory. */
    private record Part(Schedule schedule, RankOrder order, Region input, Region buffer, SegmentWork work) {}

    /** The number of the call. */
    public long number() {
        return number;
    }

    /** Rejects the number, because this rank cannot take part: from now on, playing only distributes this rejection. */
    public void refuse(CallRejection why) {
        abort.refuse(why);
    }

    private void playInTurn(Part part) throws IOException {
        for (; sentInTurn < part.schedule.sends(); sentInTurn++) {
            part.schedule.send(sentInTurn, toSend);
            if (!receiveInTurn(part, toSend.after()) || !send(part, toSend)) {
                return;
            }
        }
        receiveInTurn(part, part.schedule.receives());
    }

    /** Whether a thread that may not wait can send or receive now. An interrupt would end a stream, so the other thread goes on. */
    private boolean goesOn() {
        return driver.gate().isOpen() && !Thread.currentThread().isInterrupted();
    }

    /** Receives until {@code count} segments of this schedule have come; returns false if the number is rejected. */
    private boolean receiveInTurn(Part part, long count) throws IOException {
        for (; takenInTurn < count; takenInTurn++) {
            part.schedule.receive(takenInTurn, toReceive);
            if (!receive(part, toReceive)) {
                return false;
            }
        }
        return true;
    }

    /** Number of segments that this rank can send before it receives the first one, without any risk of deadlock; 0 if unknown. */
    private int ahead(Schedule schedule, RankOrder order) throws IOException {
        if (!schedule.isAround() || schedule.sends() != schedule.receives()) {
            return 0;
        }
        int next = order.ranks()[(order.position(mesh.rank()) + 1) % order.ranks().length];
        int unread = mesh.stream(next).recordsUnread(driver.segmentBytes() + handshake.bytes());
        return Math.min(AHEAD_MAX, unread - 2); // room for a rejection too
    }

    /**
     * Sends up to {@code ahead} segments more than it has received. Not all members can wait for buffer space at once: each member has sent
     * at most {@code ahead} segments more than it received, so around the ring one stream holds at most {@code ahead} segments, and takes
     * another one. A member with a receiver thread always receives.
     */
    private void playAhead(Part part, int ahead) throws IOException {
        long sends = part.schedule.sends();
        long sent = 0;
        for (long taken = 0; taken < part.schedule.receives(); taken++) {
            while (sent < sends && sent - taken < ahead) {
                part.schedule.send(sent, toSend);
                if (toSend.after() > taken) {
                    break;
                }
                if (!send(part, toSend)) {
                    return;
                }
                sent++;
            }
            part.schedule.receive(taken, toReceive);
            if (!receive(part, toReceive)) {
                return;
            }
        }
        for (; sent < sends; sent++) {
            part.schedule.send(sent, toSend);
            if (!send(part, toSend)) {
                return;
            }
        }
    }

    private void playOverlapped(Part part) throws IOException {
        ReceiverThread receiverThread = driver.receiverThread();
        receiverThread.start(() -> {
            try {
                receiveAll(part);
                abort.drain();
                abort.announce();
            } finally {
                driver.endLoan();
                LockSupport.unpark(sender);
            }
        });
        Runnable wake = () -> LockSupport.unpark(sender);
        mesh.adopt(wake);
        try {
            long sends = part.schedule.sends();
            for (long index = 0; index < sends; index++) {
                part.schedule.send(index, toSend);
                if (!awaitReceived(toSend.after(), receiverThread)) {
                    break;
                }
                if (!send(part, toSend)) {
                    break;
                }
            }
            abort.announce(); // otherwise the ranks from which the receiver thread receives would wait for this rank
            awaitReceived(part.schedule.receives(), receiverThread);
        } catch (IOException | RuntimeException | Error broken) {
            mesh.abandon(); // otherwise the receiver thread would receive forever
            receiverThread.awaitIdle();
            throw first(receiverThread.failure(), abort.end(broken));
        } finally {
            mesh.release(wake);
        }
        receiverThread.awaitIdle();
        Throwable failure = receiverThread.failure();
        if (failure != null) {
            throw first(failure, abort.end(failure));
        }
    }

    /** The first failure: that of the receiver thread, unless it only reports that the mesh was abandoned. */
    private static IOException first(@Nullable Throwable received, Throwable sent) {
        if (received instanceof StreamBrokenException broken) {
            return broken;
        }
        if (received instanceof RuntimeException || received instanceof Error) {
            return ReceiverThread.rethrown("receiving failed", received);
        }
        return ReceiverThread.rethrown("sending failed", sent);
    }

    /** Waits until {@code count} segments were received; false if the number was rejected instead. */
    private boolean awaitReceived(long count, ReceiverThread receiverThread) throws IOException {
        if (received >= count) {
            return !abort.isKnown();
        }
        long since = watch.now();
        sender = Thread.currentThread();
        while (received < count && !abort.isKnown()) {
            if (receiverThread.isIdle() && received < count && !abort.isKnown()) {
                Throwable failure = receiverThread.failure();
                throw failure == null ? new IOException("the receiver thread stopped") : first(failure, failure);
            }
            mesh.check(); // the receiver thread may be in a codec or a listener, which does not check this
            LockSupport.park(this);
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted");
            }
        }
        sender = null;
        watch.did(Phase.WAIT, -1, 0, since);
        return !abort.isKnown();
    }

    private void receiveAll(Part part) throws IOException {
        long receives = part.schedule.receives();
        for (long index = 0; index < receives && !abort.isKnown(); index++) {
            part.schedule.receive(index, toReceive);
            if (!receive(part, toReceive)) {
                return;
            }
            received = index + 1;
            Thread waiting = sender;
            if (waiting != null) {
                LockSupport.unpark(waiting);
            }
        }
    }

    /** Receives the expected segment (true), or learns that the number is rejected (false). */
    private boolean receive(Part part, Transfer expected) throws IOException {
        int rank = part.order.ranks()[expected.peer()];
        long since = watch.now();
        DataStream stream = mesh.stream(rank);
        if (!mayWait && !(stream.comesSoon() && goesOn())) {
            throw new PausedException();
        }
        long openedBefore = stream.openNanos();
        ReceivedRecord arrived = wire.receive(rank);
        watch.received(rank, expected.length(), since, stream.openNanos() - openedBefore);
        wire.enter(rank, arrived);
        watch.inside();
        try {
            return take(part, expected, rank, arrived);
        } catch (InternalError error) {
            throw wire.fault(rank, arrived, error);
        } finally {
            wire.leave();
            watch.outside();
        }
    }

    private boolean take(Part part, Transfer expected, int rank, ReceivedRecord arrived) throws IOException {
        int prefix = 0;
        switch (arrived.kind()) {
            case Wire.REFUSED -> {
                abort.received(rank, arrived);
                return false;
            }
            case Wire.CALL -> {
                Optional<CallRejection> different = handshake.receive(rank, arrived);
                if (different.isPresent()) {
                    abort.refuse(different.get());
                }
                if (abort.isKnown()) {
                    return false;
                }
                prefix = handshake.bytes();
            }
            case Wire.SEGMENT -> handshake.requireSignature(rank, arrived);
            default -> throw wire.misfit(rank, arrived, "a segment");
        }
        if (arrived.chunk() != expected.chunk()
                || arrived.offset() != expected.offset()
                || arrived.length() - prefix != expected.length()) {
            throw wire.misfit(
                    rank,
                    arrived,
                    "chunk " + expected.chunk() + " offset " + expected.offset() + " length " + expected.length());
        }
        return use(part, expected, rank, arrived, prefix);
    }

    /** Whether the number goes on. */
    private boolean use(Part part, Transfer expected, int rank, ReceivedRecord arrived, int prefix) throws IOException {
        long since = watch.now();
        try {
            part.work.take(expected, arrived, prefix, rank);
        } catch (NonFiniteException nonFinite) {
            abort.refuse(notCarried(nonFinite));
            return false;
        } catch (MalformedMessageException malformed) {
            abort.refuse(malformed(rank, malformed));
            return false;
        }
        if (!part.work.reportsPhases()) {
            Phase phase = expected.action() == Transfer.Action.COPY ? Phase.COPY : Phase.COMBINE;
            watch.did(phase, rank, expected.length(), since);
        }
        return true;
    }

    /** The rejection that ends a number because the codec cannot encode this rank's values. */
    public CallRejection notCarried(NonFiniteException values) {
        return new CallRejection(CallRejection.Cause.NON_FINITE, wire.name(mesh.rank()) + ": " + values.getMessage());
    }

    /** The rejection that ends a number because a rank sent a malformed encoding. */
    CallRejection malformed(int rank, MalformedMessageException bytes) {
        return new CallRejection(
                CallRejection.Cause.MALFORMED,
                wire.name(rank) + " sent a malformed encoding of '" + signature.codec() + "': " + bytes.getMessage());
    }

    /** False if the number is rejected, perhaps because the codec cannot encode this rank's values. */
    private boolean send(Part part, Transfer transfer) throws IOException {
        int rank = part.order.ranks()[transfer.peer()];
        Region source = transfer.fromInput() ? part.input : part.buffer;
        if (!mayWait && !(mesh.stream(rank).hasRoom(handshake.bytes() + transfer.length()) && goesOn())) {
            throw new PausedException();
        }
        long since = watch.now();
        try {
            part.work.sending(transfer);
        } catch (NonFiniteException nonFinite) {
            abort.refuse(notCarried(nonFinite));
            return false;
        }
        if (part.work.reportsPhases()) {
            since = watch.now();
        }
        if (!abort.mayNowSend(rank)) {
            return false;
        }
        MemorySegment prefix = handshake.next(rank);
        DataStream stream = mesh.stream(rank);
        long sealedBefore = stream.sealNanos();
        wire.send(
                rank,
                prefix.byteSize() > 0 ? Wire.CALL : Wire.SEGMENT,
                transfer.chunk(),
                transfer.offset(),
                prefix,
                source.memory(),
                transfer.length() == 0 ? 0 : transfer.offset() - source.base(),
                transfer.length());
        abort.sent();
        watch.sent(rank, transfer.length(), since, stream.sealNanos() - sealedBefore);
        return true;
    }
}
