package io.hearth.collective;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.schedule.Schedule;
import io.hearth.collective.schedule.Transfer;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import io.hearth.transport.DataStream;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at one number in one mesh: plays schedules over the streams to the other members.
 *
 * <p>The calling thread sends. Small schedules it plays alone, in turn, because handing over to another thread costs more than
 * they do; for larger ones the companion receives meanwhile.
 *
 * <p>What a rank sends first to another carries its signature, which the other compares with its own. A rank that sees a
 * difference, or that may not take part, sends REFUSED to all others, and takes what comes from each of them until its REFUSED;
 * whoever gets a REFUSED does the same. So each rank of a refused number sends one REFUSED to each other and gets one from each,
 * as last record of that number on every stream, and the streams are ready for the next number. No rank can have finished a
 * number that another one refuses: see {@link Schedule}.
 */
final class Exchange {
    /** Kinds of records of collectives: the first to a rank under a number, with the signature before the bytes. */
    static final int CALL = RecordHeader.USER_MIN;

    static final int SEGMENT = CALL + 1;
    static final int REFUSED = CALL + 2;

    private static final int RECORD_OVERHEAD = 64; // head and tag

    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private final Mesh mesh;
    private final MeshDriver driver;
    private final long number;
    private final Signature signature;
    private final MemorySegment ownCall;
    private final Combiner combiner;
    private final boolean isHeld;
    private final ExchangeWatch watch;
    private final boolean[] called; // by rank, whom this one sent its signature; touched by whoever sends
    private final boolean[] heard; // by rank, whose signature came; touched by whoever receives
    private final boolean[] over; // by rank, whose REFUSED came; touched by whoever receives

    private boolean spread;
    private volatile @Nullable Refusal refusal; // written by whoever receives, or before the start; read by the sender
    private volatile long received; // written by whoever receives, read by the sender
    private volatile @Nullable Thread sender; // written by the sender while it waits, unparked by the companion

    private Exchange(MeshDriver driver, Mesh mesh, long number, Signature signature, boolean isForward, boolean held) {
        this.driver = driver;
        this.mesh = mesh;
        this.number = number;
        this.signature = signature;
        this.ownCall = MemorySegment.ofArray(CollectiveCodec.encodeFirst(signature));
        this.combiner = new Combiner(driver.reducer(), signature, mesh.world());
        this.isHeld = held;
        this.watch = isForward ? ExchangeWatch.NONE : driver.watch(number, signature, mesh.world());
        this.called = new boolean[mesh.world()];
        this.heard = new boolean[mesh.world()];
        this.over = new boolean[mesh.world()];
        if (isForward) { // all know from the view change what is carried
            Arrays.fill(called, true);
            Arrays.fill(heard, true);
        }
    }

    /** The exchange of a call; {@code doomed}: only to tell all ranks this. */
    static Exchange ofCall(MeshDriver driver, Mesh mesh, long number, Signature signature, Optional<Refusal> doomed) {
        var exchange = new Exchange(driver, mesh, number, signature, false, false);
        exchange.refusal = doomed.orElse(null);
        return exchange;
    }

    /** The exchange that carries a result to those who lack it; where it {@code isHeld}, bytes are only compared. */
    static Exchange ofForward(MeshDriver driver, Mesh mesh, long number, long bytes, boolean isHeld) {
        var signature = Signature.allReduce(ReduceOp.SUM, DataType.UINT8, bytes, Signature.PLAIN);
        return new Exchange(driver, mesh, number, signature, true, isHeld);
    }

    /**
     * What positions of a schedule are.
     *
     * @param ranks rank of each position
     */
    @SuppressWarnings("ArrayRecordComponent") // of the mesh, never changed
    record Order(int[] ranks) {
        /** Where a rank is; -1 for none of them. */
        int position(int rank) {
            for (int position = 0; position < ranks.length; position++) {
                if (ranks[position] == rank) {
                    return position;
                }
            }
            return -1;
        }
    }

    /**
     * Native memory that holds a part of what a schedule means by input or buffer.
     *
     * @param base where in the whole {@code memory} begins, in bytes
     */
    record Region(MemorySegment memory, long base) {
        /** The whole. */
        static Region of(MemorySegment memory) {
            return new Region(memory, 0);
        }
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
    Optional<Refusal> play(Schedule schedule, Order order, Region input, Region buffer) throws IOException {
        if (mesh.world() > 1) {
            if (refusal == null) {
                driver.open(mesh, order, schedule.isAround());
                received = 0;
                watch.plays(schedule);
                var part = new Part(schedule, order, input, buffer);
                if (schedule.bytesToOneMax() + RECORD_OVERHEAD * schedule.sends() <= driver.inTurnBytesMax()) {
                    playInTurn(part);
                } else {
                    playOverlapped(part);
                }
            }
            if (refusal != null) {
                spread();
            }
        }
        return Optional.ofNullable(refusal);
    }

    /** Sees where the time goes; to be ended by whoever made this exchange. */
    ExchangeWatch watch() {
        return watch;
    }

    /** What is played. */
    private record Part(Schedule schedule, Order order, Region input, Region buffer) {}

    /** This rank cannot take part: whatever is played from now on only tells all ranks so. */
    void refuse(Refusal why) {
        if (refusal == null) {
            refusal = why;
        }
    }

    private void playInTurn(Part part) throws IOException {
        var transfer = new Transfer();
        long taken = 0;
        for (long index = 0; index < part.schedule.sends(); index++) {
            part.schedule.send(index, transfer);
            long needed = transfer.after();
            if (taken < needed) {
                for (; taken < needed; taken++) {
                    part.schedule.receive(taken, transfer);
                    if (!receive(part, transfer)) {
                        return;
                    }
                }
                part.schedule.send(index, transfer);
            }
            send(part, transfer);
        }
        for (; taken < part.schedule.receives(); taken++) {
            part.schedule.receive(taken, transfer);
            if (!receive(part, transfer)) {
                return;
            }
        }
    }

    private void playOverlapped(Part part) throws IOException {
        Companion companion = driver.companion();
        companion.start(() -> {
            try {
                receiveAll(part);
            } finally {
                LockSupport.unpark(sender);
            }
        });
        try {
            var transfer = new Transfer();
            long sends = part.schedule.sends();
            for (long index = 0; index < sends && refusal == null; index++) {
                part.schedule.send(index, transfer);
                if (awaitReceived(transfer.after(), companion)) {
                    send(part, transfer);
                }
            }
            awaitReceived(part.schedule.receives(), companion);
        } catch (IOException | RuntimeException | Error broken) {
            mesh.abandon(); // or the companion would receive for ever
            companion.awaitIdle();
            throw first(companion.failure(), broken);
        }
        companion.awaitIdle();
        Throwable failure = companion.failure();
        if (failure != null) {
            throw first(failure, failure);
        }
    }

    /** What broke first is what the companion saw, unless it only saw the mesh being abandoned. */
    private static IOException first(@Nullable Throwable received, Throwable sent) {
        if (received instanceof StreamBrokenException broken) {
            return broken;
        }
        if (received instanceof RuntimeException || received instanceof Error) {
            return Companion.rethrown("receiving failed", received);
        }
        return Companion.rethrown("sending failed", sent);
    }

    /** Waits until that many segments are in; false if there is a refusal instead. */
    private boolean awaitReceived(long count, Companion companion) throws IOException {
        if (received >= count) {
            return refusal == null;
        }
        long since = watch.now();
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
        watch.did(Phase.WAIT, -1, 0, since);
        return refusal == null;
    }

    private void receiveAll(Part part) throws IOException {
        var transfer = new Transfer();
        long receives = part.schedule.receives();
        for (long index = 0; index < receives; index++) {
            part.schedule.receive(index, transfer);
            if (!receive(part, transfer)) {
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
        int rank = part.order.ranks[expected.peer()];
        long since = watch.now();
        ReceivedRecord arrived = receive(rank);
        watch.did(Phase.RECEIVE, rank, expected.length(), since);
        gate().enter(mesh);
        try {
            if (arrived.collective() != number) {
                throw misfit(rank, arrived, "number " + number);
            }
            int prefix = 0;
            switch (arrived.kind()) {
                case REFUSED -> {
                    refused(rank, arrived);
                    return false;
                }
                case CALL -> {
                    prefix = compare(rank, arrived);
                    if (refusal != null) {
                        return false;
                    }
                }
                case SEGMENT -> {
                    if (!heard[rank]) {
                        throw misfit(rank, arrived, "a call");
                    }
                }
                default -> throw misfit(rank, arrived, "a segment");
            }
            if (arrived.chunk() != expected.chunk()
                    || arrived.offset() != expected.offset()
                    || arrived.length() - prefix != expected.length()) {
                throw misfit(
                        rank,
                        arrived,
                        "chunk " + expected.chunk() + " offset " + expected.offset() + " length " + expected.length());
            }
            if (isHeld) {
                demandEqual(rank, arrived, part.buffer.memory, expected);
            } else {
                since = watch.now();
                combiner.apply(expected, arrived, prefix, part.input, part.buffer);
                Phase phase = expected.action() == Transfer.Action.COPY ? Phase.COPY : Phase.COMBINE;
                watch.did(phase, rank, expected.length(), since);
            }
            return true;
        } finally {
            gate().leave();
        }
    }

    private void refused(int rank, ReceivedRecord arrived) throws IOException {
        over[rank] = true;
        Refusal passedOn = decodeRefusal(rank, arrived);
        if (refusal == null) {
            refusal = passedOn;
        }
    }

    /** Compares the signature that a record begins with, and says how long it is. */
    private int compare(int rank, ReceivedRecord arrived) throws IOException {
        if (heard[rank]) {
            throw misfit(rank, arrived, "a segment");
        }
        heard[rank] = true;
        int size = Math.toIntExact(ownCall.byteSize());
        if (isOwn(arrived)) {
            return size;
        }
        byte[] bytes = arrived.toBytes();
        Signature theirs;
        try {
            theirs = CollectiveCodec.first(bytes);
        } catch (MalformedMessageException malformed) {
            throw new StreamBrokenException(
                    mesh.members().get(rank), name(rank) + " sent no call: " + malformed.getMessage(), malformed);
        }
        if (refusal == null) {
            refusal = new Refusal(
                    Refusal.Cause.MISMATCH,
                    "number " + number + ": " + name(rank) + " asked for " + theirs.text() + ", "
                            + name(mesh.rank()) + " for " + signature.text()
                            + "; all ranks must make the same calls in the same order");
        }
        return size;
    }

    private boolean isOwn(ReceivedRecord arrived) {
        long size = ownCall.byteSize();
        return arrived.length() >= size
                && Combiner.payload(arrived).asSlice(0, size).mismatch(ownCall) == -1;
    }

    private void demandEqual(int rank, ReceivedRecord arrived, MemorySegment buffer, Transfer expected)
            throws IOException {
        if (Combiner.payload(arrived).mismatch(buffer.asSlice(expected.offset(), expected.length())) != -1) {
            throw new StreamBrokenException(
                    mesh.members().get(rank),
                    "the forwarded result of number " + number + " differs from the one held here; report this");
        }
    }

    /** Tells all ranks how the number ends, once, and clears the streams of what they sent meanwhile. */
    private void spread() throws IOException {
        Refusal known = refusal;
        if (spread || known == null) {
            return;
        }
        spread = true;
        MemorySegment bytes = MemorySegment.ofArray(CollectiveCodec.encode(known));
        var told = new boolean[mesh.world()];
        told[mesh.rank()] = true;
        for (int rank = 0; rank < mesh.world(); rank++) { // those whose streams are not open yet hear it from these
            if (mesh.isOpen(rank)) {
                told[rank] = true;
                tell(rank, bytes);
            }
        }
        driver.open(mesh, mesh.byRank(), false);
        for (int rank = 0; rank < mesh.world(); rank++) {
            if (!told[rank]) {
                tell(rank, bytes);
            }
        }
        driver.forEachOther(mesh, this::drain);
    }

    private void tell(int rank, MemorySegment refusalBytes) throws IOException {
        send(rank, REFUSED, 0, 0, NOTHING, refusalBytes, 0, Math.toIntExact(refusalBytes.byteSize()));
    }

    /** Takes what a rank sends until its REFUSED. */
    private void drain(int rank) throws IOException {
        while (!over[rank]) {
            ReceivedRecord arrived = receive(rank);
            gate().enter(mesh);
            try {
                if (arrived.collective() != number) {
                    throw misfit(rank, arrived, "number " + number);
                }
                if (arrived.kind() == REFUSED) {
                    over[rank] = true;
                }
            } finally {
                gate().leave();
            }
        }
    }

    private void send(Part part, Transfer transfer) throws IOException {
        int rank = part.order.ranks[transfer.peer()];
        Region source = transfer.fromInput() ? part.input : part.buffer;
        boolean isFirst = !called[rank];
        called[rank] = true;
        long since = watch.now();
        send(
                rank,
                isFirst ? CALL : SEGMENT,
                transfer.chunk(),
                transfer.offset(),
                isFirst ? ownCall : NOTHING,
                source.memory,
                transfer.length() == 0 ? 0 : transfer.offset() - source.base,
                transfer.length());
        watch.did(Phase.SEND, rank, transfer.length(), since);
    }

    private void send(
            int rank,
            int kind,
            int chunk,
            long offset,
            MemorySegment prefix,
            MemorySegment bytes,
            long from,
            int length)
            throws IOException {
        gate().pass(mesh);
        DataStream stream = mesh.stream(rank);
        try {
            stream.send(kind, chunk, number, offset, prefix, bytes, from, length);
        } catch (IOException broken) {
            mesh.check();
            throw new StreamBrokenException(
                    mesh.members().get(rank), "sending to " + name(rank) + " failed: " + broken.getMessage(), broken);
        }
    }

    private ReceivedRecord receive(int rank) throws IOException {
        NodeId from = mesh.members().get(rank);
        mesh.waitsFor(from);
        DataStream stream = mesh.stream(rank);
        try {
            return stream.receive();
        } catch (IOException broken) {
            mesh.check();
            throw new StreamBrokenException(
                    from, "receiving from " + name(rank) + " failed: " + broken.getMessage(), broken);
        }
    }

    private Refusal decodeRefusal(int rank, ReceivedRecord arrived) throws IOException {
        try {
            return CollectiveCodec.refusal(arrived.toBytes());
        } catch (MalformedMessageException malformed) {
            throw new StreamBrokenException(
                    mesh.members().get(rank), name(rank) + " sent no refusal: " + malformed.getMessage(), malformed);
        }
    }

    private Gate gate() {
        return driver.gate();
    }

    private String name(int rank) {
        return mesh.name(mesh.members().get(rank));
    }

    private StreamBrokenException misfit(int rank, ReceivedRecord arrived, String expected) {
        return new StreamBrokenException(
                mesh.members().get(rank),
                name(rank) + " sent kind " + arrived.kind() + " number " + arrived.collective() + " chunk "
                        + arrived.chunk() + " offset " + arrived.offset() + " length " + arrived.length() + " where "
                        + expected + " was due");
    }
}
