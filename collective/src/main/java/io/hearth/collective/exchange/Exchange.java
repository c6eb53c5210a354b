package io.hearth.collective.exchange;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.ScheduleChoice;
import io.hearth.collective.Signature;
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
 * <p>The calling thread sends. Small schedules it plays alone, in turn, because handing over to another thread costs more than
 * they do; rings too, where the stream to the next position surely takes some segments unread; else the companion receives meanwhile.
 *
 * <p>What a rank sends first to another carries its signature, which the other compares with its own. A rank that sees a
 * difference, or that may not take part, refuses: {@link AbortRound}. No rank can have finished a number that another one refuses:
 * see {@link Schedule}.
 */
public final class Exchange {
    private static final int RECORD_OVERHEAD = 64; // head and tag
    private static final int AHEAD_MAX = 4; // enough to keep both ends busy, and few enough for a cache

    private final Mesh mesh;
    private final MeshDriver driver;
    private final Wire wire;
    private final AbortRound refusals;
    private final Signature signature;
    private final CallHandshake introductions;
    private final Combiner combiner;
    private final boolean isHeld;
    private final Transfer toSend = new Transfer(); // of the sender
    private final Transfer toReceive = new Transfer(); // of whoever receives
    private long number;
    private ExchangeWatch watch = ExchangeWatch.NONE;
    private volatile long received; // written by whoever receives, read by the sender
    private volatile @Nullable Thread sender; // written by the sender while it waits, unparked by the companion

    private Exchange(MeshDriver driver, Mesh mesh, long number, Signature signature, boolean isForward, boolean held) {
        this.driver = driver;
        this.mesh = mesh;
        this.number = number;
        this.wire = new Wire(mesh, driver.gate(), number);
        this.refusals = new AbortRound(driver, mesh, wire);
        this.signature = signature;
        var first = new First(signature, driver.terms());
        this.introductions = new CallHandshake(mesh, wire, first, isForward); // the view change said it
        this.combiner = new Combiner(driver.reducer(), signature, mesh.world());
        this.isHeld = held;
    }

    /** The exchange of a call; {@code doomed}: only to tell all ranks this. */
    public static Exchange ofCall(
            MeshDriver driver, Mesh mesh, long number, Signature signature, Optional<CallRejection> doomed) {
        Exchange spare = driver.takeSpare(mesh, signature);
        Exchange exchange = spare == null ? new Exchange(driver, mesh, number, signature, false, false) : spare;
        exchange.begin(number);
        if (doomed.isPresent()) {
            exchange.refusals.refuse(doomed.get());
        }
        return exchange;
    }

    private void begin(long next) {
        number = next;
        wire.begin(next);
        introductions.begin();
        watch = driver.watch(next, signature, mesh.world());
    }

    /** All that was to be played is: the next call of the same kind may have this exchange, unless it ended with a refusal. */
    public void end() {
        if (!refusals.isKnown()) {
            driver.keepSpare(mesh, this);
        }
    }

    /** Whether it is for calls that ask for this. */
    boolean isOf(Signature asked) {
        return signature.equals(asked);
    }

    /** The exchange that carries a result to those who lack it; where it {@code isHeld}, bytes are only compared. */
    public static Exchange ofForward(MeshDriver driver, Mesh mesh, long number, long bytes, boolean isHeld) {
        var signature = Signature.allReduce(ReduceOp.SUM, DataType.UINT8, bytes, Signature.PLAIN);
        return new Exchange(driver, mesh, number, signature, true, isHeld);
    }

    /**
     * Plays this rank's part of {@code schedule}; a number may take several schedules, one after the other.
     *
     * @param order what positions mean
     * @param input this rank's contribution; usable from any thread, not written
     * @param buffer where the result comes into being
     * @return the refusal with which the number ended on all ranks, if it did
     * @throws IOException a stream is broken or the mesh abandoned; {@code buffer} holds anything
     */
    public Optional<CallRejection> play(Schedule schedule, RankOrder order, Region input, Region buffer)
            throws IOException {
        return play(schedule, order, input, buffer, InPlaceBackup.NONE);
    }

    /** The same where {@code input} and {@code buffer} may be one memory; {@code undo} saves what is overwritten. */
    public Optional<CallRejection> play(
            Schedule schedule, RankOrder order, Region input, Region buffer, InPlaceBackup undo) throws IOException {
        SegmentWork work = isHeld
                ? new HeldSegments(mesh, number, buffer.memory())
                : new PlainSegments(combiner, input, buffer, undo);
        return play(schedule, order, input, buffer, work);
    }

    /** The same with segments that are more than elements; {@code work} makes what is sent and uses what comes. */
    public Optional<CallRejection> play(
            Schedule schedule, RankOrder order, Region input, Region buffer, SegmentWork work) throws IOException {
        if (mesh.world() > 1) {
            if (!refusals.isKnown()) {
                driver.open(mesh, order, schedule.isAround());
                received = 0;
                introductions.tell(schedule.lag());
                watch.plays(schedule);
                mesh.timeCiphers(watch.isOn());
                var part = new Part(schedule, order, input, buffer, work);
                if (schedule.bytesToOneMax() + RECORD_OVERHEAD * schedule.sends() <= driver.inTurnBytesMax()) {
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
            refusals.spread();
        }
        return refusals.refusal();
    }

    /** What is played where the call leaves it open. */
    public ScheduleChoice choice() {
        return driver.choice(mesh.isOnOneMachine());
    }

    /** Of the receiving thread. */
    public Combiner combiner() {
        return combiner;
    }

    /** Sees where the time goes; to be ended by whoever made this exchange. */
    public ExchangeWatch watch() {
        return watch;
    }

    /** What is played. */
    private record Part(Schedule schedule, RankOrder order, Region input, Region buffer, SegmentWork work) {}

    /** What is exchanged here. */
    public long number() {
        return number;
    }

    /** This rank cannot take part: whatever is played from now on only tells all ranks so. */
    public void refuse(CallRejection why) {
        refusals.refuse(why);
    }

    private void playInTurn(Part part) throws IOException {
        long taken = 0;
        for (long index = 0; index < part.schedule.sends(); index++) {
            part.schedule.send(index, toSend);
            long needed = toSend.after();
            if (taken < needed) {
                for (; taken < needed; taken++) {
                    part.schedule.receive(taken, toReceive);
                    if (!receive(part, toReceive)) {
                        return;
                    }
                }
                part.schedule.send(index, toSend); // by what all ranks agreed on meanwhile
            }
            if (!send(part, toSend)) {
                return;
            }
        }
        for (; taken < part.schedule.receives(); taken++) {
            part.schedule.receive(taken, toReceive);
            if (!receive(part, toReceive)) {
                return;
            }
        }
    }

    /** How many segments this rank may send before it receives the first without ever waiting in vain; 0 if that is not known. */
    private int ahead(Schedule schedule, RankOrder order) throws IOException {
        if (!schedule.isAround() || schedule.sends() != schedule.receives()) {
            return 0;
        }
        int next = order.ranks()[(order.position(mesh.rank()) + 1) % order.ranks().length];
        int unread = mesh.stream(next).recordsUnread(driver.segmentBytes() + introductions.bytes());
        return Math.min(AHEAD_MAX, unread - 2); // and a refusal
    }

    /**
     * Sends up to {@code ahead} segments more than were received. Not all members can wait for room at once: added up round the ring,
     * the segments on the streams are what was sent and not received, so one stream has at most {@code ahead}, and takes another one.
     * A member that plays with a companion always receives.
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
                refusals.drain();
                refusals.announce();
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
                if (toSend.after() > 0) {
                    part.schedule.send(index, toSend); // by what all ranks agreed on meanwhile
                }
                if (!send(part, toSend)) {
                    break;
                }
            }
            refusals.announce(); // or those from whom the companion receives would wait for this rank
            awaitReceived(part.schedule.receives(), receiverThread);
        } catch (IOException | RuntimeException | Error broken) {
            mesh.abandon(); // or the companion would receive for ever
            receiverThread.awaitIdle();
            throw first(receiverThread.failure(), refusals.end(broken));
        } finally {
            mesh.release(wake);
        }
        receiverThread.awaitIdle();
        Throwable failure = receiverThread.failure();
        if (failure != null) {
            throw first(failure, refusals.end(failure));
        }
    }

    /** What broke first is what the companion saw, unless it only saw the mesh being abandoned. */
    private static IOException first(@Nullable Throwable received, Throwable sent) {
        if (received instanceof StreamBrokenException broken) {
            return broken;
        }
        if (received instanceof RuntimeException || received instanceof Error) {
            return ReceiverThread.rethrown("receiving failed", received);
        }
        return ReceiverThread.rethrown("sending failed", sent);
    }

    /** Waits until that many segments are in; false if there is a refusal instead. */
    private boolean awaitReceived(long count, ReceiverThread receiverThread) throws IOException {
        if (received >= count) {
            return !refusals.isKnown();
        }
        long since = watch.now();
        sender = Thread.currentThread();
        while (received < count && !refusals.isKnown()) {
            if (receiverThread.isIdle() && received < count && !refusals.isKnown()) {
                Throwable failure = receiverThread.failure();
                throw failure == null ? new IOException("the companion stopped") : first(failure, failure);
            }
            mesh.check(); // the companion may be in a codec or a listener, which does not see that
            LockSupport.park(this);
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted");
            }
        }
        sender = null;
        watch.did(Phase.WAIT, -1, 0, since);
        return !refusals.isKnown();
    }

    private void receiveAll(Part part) throws IOException {
        long receives = part.schedule.receives();
        for (long index = 0; index < receives && !refusals.isKnown(); index++) {
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

    /** Takes the expected segment (true), or learns that the number is refused (false). */
    private boolean receive(Part part, Transfer expected) throws IOException {
        int rank = part.order.ranks()[expected.peer()];
        long since = watch.now();
        DataStream stream = mesh.stream(rank);
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
                refusals.heard(rank, arrived);
                return false;
            }
            case Wire.CALL -> {
                Optional<CallRejection> different = introductions.hear(rank, arrived);
                if (different.isPresent()) {
                    refusals.refuse(different.get());
                }
                if (refusals.isKnown()) {
                    return false;
                }
                prefix = introductions.bytes();
                if (introductions.isComplete()) {
                    part.schedule.agree(introductions.lag());
                }
            }
            case Wire.SEGMENT -> introductions.requireHeard(rank, arrived);
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
        } catch (NonFiniteException notCarried) {
            refusals.refuse(notCarried(notCarried));
            return false;
        } catch (MalformedMessageException malformed) {
            refusals.refuse(malformed(rank, malformed));
            return false;
        }
        if (!part.work.tells()) {
            Phase phase = expected.action() == Transfer.Action.COPY ? Phase.COPY : Phase.COMBINE;
            watch.did(phase, rank, expected.length(), since);
        }
        return true;
    }

    /** What ends a number on all ranks because this one's values cannot be carried. */
    public CallRejection notCarried(NonFiniteException values) {
        return new CallRejection(CallRejection.Cause.NON_FINITE, wire.name(mesh.rank()) + ": " + values.getMessage());
    }

    /** What ends a number on all ranks because a rank sent something else than agreed. */
    CallRejection malformed(int rank, MalformedMessageException bytes) {
        return new CallRejection(
                CallRejection.Cause.MALFORMED,
                wire.name(rank) + " sent no encoding of '" + signature.codec() + "': " + bytes.getMessage());
    }

    /** False if there is a refusal, which may be that this rank's values cannot be carried. */
    private boolean send(Part part, Transfer transfer) throws IOException {
        int rank = part.order.ranks()[transfer.peer()];
        Region source = transfer.fromInput() ? part.input : part.buffer;
        long since = watch.now();
        try {
            part.work.sending(transfer);
        } catch (NonFiniteException notCarried) {
            refusals.refuse(notCarried(notCarried));
            return false;
        }
        if (part.work.tells()) {
            since = watch.now();
        }
        if (!refusals.mayNowSend(rank)) {
            return false;
        }
        MemorySegment introduction = introductions.next(rank);
        DataStream stream = mesh.stream(rank);
        long sealedBefore = stream.sealNanos();
        wire.send(
                rank,
                introduction.byteSize() > 0 ? Wire.CALL : Wire.SEGMENT,
                transfer.chunk(),
                transfer.offset(),
                introduction,
                source.memory(),
                transfer.length() == 0 ? 0 : transfer.offset() - source.base(),
                transfer.length());
        refusals.sent();
        watch.sent(rank, transfer.length(), since, stream.sealNanos() - sealedBefore);
        return true;
    }
}
