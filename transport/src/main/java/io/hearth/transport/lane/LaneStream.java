package io.hearth.transport.lane;

import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.transport.DataTransport;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.StreamException;
import io.hearth.transport.StreamException.Cause;
import io.hearth.transport.StreamId;
import io.hearth.transport.machine.LaneChange;
import io.hearth.transport.machine.LaneLimits;
import io.hearth.transport.machine.LaneReceiver;
import io.hearth.transport.machine.LaneSender;
import io.hearth.transport.record.Deadlines;
import io.hearth.transport.record.OpenStream;
import io.hearth.transport.record.RecordBuffers;
import io.hearth.transport.record.RecordStream;
import io.hearth.transport.record.StreamFailure;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A data stream over several connections between the same two nodes, each over another pair of addresses. {@link LaneSender} and {@link
 * LaneReceiver} decide; this class locks, waits and moves bytes.
 *
 * <p>The caller copies a record into the window and leaves. A thread of the lane seals and writes it, so lanes work at the same time. If a
 * lane is idle and the record is small, the caller writes it itself, which saves a hand-over between threads. A thread of each lane reads.
 * It never waits for the user of the stream, because a window bounds what arrives. So acknowledgements always come through.
 */
public final class LaneStream implements OpenStream {
    private static final Logger LOG = LoggerFactory.getLogger(LaneStream.class);

    /** Time for which a close waits until the peer has everything. */
    private static final long CLOSE_WAIT_NANOS = 200_000_000L;

    private static final long JOIN_MILLIS = 1_000;

    /** So few bytes under way fit into the buffer of any socket, so the caller may write without waiting for the network. */
    private static final int DIRECT_BYTES = 16 * 1024;

    private final NodeId peer;
    private final StreamId id;
    private final ThreadLocal<RecordBuffers> buffers;
    private final Deadlines deadlines;
    private final Clock clock;
    private final Consumer<OpenStream> closed;
    private final StreamFailure broken;
    private final ReentrantLock sending = new ReentrantLock(); // held by the thread that sends; taken before the other
    private final ReentrantLock lock = new ReentrantLock(); // guards all below
    private final Condition room = lock.newCondition(); // for the sender, and for a close
    private final Condition arrival = lock.newCondition(); // for the receiver
    private final LaneSender sender = new LaneSender();
    private final LaneReceiver receiver = new LaneReceiver();
    private final LaneRecords out = new LaneRecords();
    private final LaneRecords in = new LaneRecords();
    private final @Nullable LaneConnection[] lanes = new @Nullable LaneConnection[LaneLimits.LANES_MAX];
    private final List<LaneConnection> former = new ArrayList<>(); // their threads end; bounded by forget()
    private final ArrayDeque<byte[]> empty = new ArrayDeque<>(); // at most as many as there are places and lanes
    private final ReceivedRecord received = new ReceivedRecord();
    private byte @Nullable [] borrowed; // of the record that the receiver has
    private @Nullable IOException cut; // why the last lane ended
    private boolean ended; // the peer's last record was taken
    private boolean closing;
    private boolean ticking;
    private boolean timed;
    private long formerSent;
    private long formerSealNanos;
    private long formerOpenNanos;

    /**
     * A stream without lanes, which {@link #join} adds.
     *
     * @param buffers record buffers of the calling thread
     * @param closed called once when the stream is closed
     */
    public LaneStream(
            NodeId peer,
            StreamId id,
            ThreadLocal<RecordBuffers> buffers,
            Deadlines deadlines,
            Clock clock,
            Consumer<OpenStream> closed) {
        this.peer = peer;
        this.id = id;
        this.buffers = buffers;
        this.deadlines = deadlines;
        this.clock = clock;
        this.closed = closed;
        this.broken = new StreamFailure(peer);
    }

    /**
     * Adds an open connection as lane {@code lane}, in place of a former one.
     *
     * @param stream has begun and was not used; owned from now on
     * @param path its addresses, for the log
     * @return false if this stream ended; the connection is closed then
     */
    public boolean join(int lane, RecordStream stream, String path) {
        lock.lock();
        try {
            if (broken.isPresent() || closing || cut != null) {
                stream.abort(Cause.CLOSED, "its stream ended");
                return false;
            }
            LaneConnection before = lanes[lane];
            if (before != null) {
                forget(before, "a new connection replaces it");
            }
            former.removeIf(LaneConnection::isOver);
            var connection = new LaneConnection(this, lane, stream, path, lock.newCondition());
            lanes[lane] = connection;
            stream.timeCipher(timed);
            stream.limitSendBuffer(LaneLimits.SEND_BUFFER_BYTES);
            receiver.joined(lane);
            sender.joined(lane, clock.nanoTime());
            connection.start();
            changed();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether that lane has a connection. */
    boolean hasLane(int lane) {
        lock.lock();
        try {
            return lanes[lane] != null;
        } finally {
            lock.unlock();
        }
    }

    /** Whether it has more than one lane now. */
    public boolean isOfSeveralLanes() {
        lock.lock();
        try {
            return sender.count() > 1;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the connection of a lane, as a fault would. */
    void breakLane(int lane) {
        lock.lock();
        try {
            LaneConnection connection = lanes[lane];
            if (connection != null) {
                connection.stream.abort(Cause.CUT, "broken on purpose");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether the stream can still take lanes. */
    public boolean isOpen() {
        lock.lock();
        try {
            return !broken.isPresent() && !closing && cut == null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public DataTransport transport() {
        return DataTransport.TCP;
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
            byte[] record = awaitPlace(whole);
            int before = (int) prefix.byteSize();
            MemorySegment.copy(prefix, ValueLayout.JAVA_BYTE, 0, record, 0, before);
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, from, record, before, length);
            LaneConnection direct = queue(kind, chunk, collective, offset, whole);
            if (direct != null) {
                writeOne(direct);
            }
        } finally {
            sending.unlock();
        }
    }

    /** Waits until the window and a lane have room; returns the array for the record. */
    private byte[] awaitPlace(int length) throws StreamException {
        lock.lock();
        try {
            awaitLane(length);
            return out.room(LaneSender.place(sender.next()), length);
        } finally {
            lock.unlock();
        }
    }

    private int awaitLane(int length) throws StreamException {
        while (true) {
            requireLanes();
            int lane = sender.choose(length, clock.nanoTime());
            if (lane >= 0) {
                return lane;
            }
            try {
                room.await();
            } catch (InterruptedException interrupted) {
                throw interrupted("sending", interrupted);
            }
        }
    }

    private void requireLanes() throws StreamException {
        broken.requireNone();
        if (closing) {
            throw new StreamException(peer, Cause.CLOSED, "closed by this node");
        }
        if (sender.count() == 0) {
            throw new StreamException(peer, Cause.CUT, "no lane is left", cut);
        }
    }

    /** Queues the record that was copied to its place. Returns the lane if the caller should write it. */
    private @Nullable LaneConnection queue(int kind, int chunk, long collective, long offset, int length)
            throws StreamException {
        lock.lock();
        try {
            int lane = awaitLane(length); // lanes may have changed meanwhile
            boolean isIdle = !sender.hasQueued(lane) && sender.load(lane) + length <= DIRECT_BYTES;
            out.describe(LaneSender.place(sender.next()), kind, chunk, collective, offset, length);
            sender.queue(lane, length);
            startTicking();
            LaneConnection connection = lanes[lane];
            if (connection == null || connection.writing) {
                return null; // its writer goes on by itself
            }
            if (isIdle) {
                connection.writing = true;
                return connection;
            }
            connection.work.signal();
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is something to write on a lane, and reserves the lane for the caller; false if the lane ended. */
    boolean awaitWork(LaneConnection lane) {
        lock.lock();
        try {
            while (!lane.gone && (lane.unwritable || lane.writing || !hasWork(lane))) {
                lane.work.awaitUninterruptibly();
            }
            lane.writing = !lane.gone;
            return lane.writing;
        } finally {
            lock.unlock();
        }
    }

    private boolean hasWork(LaneConnection lane) {
        return sender.hasQueued(lane.lane) || receiver.isDue(lane.lane, clock.nanoTime());
    }

    /** Writes the next record or acknowledgement of a lane that the caller has reserved. */
    void writeOne(LaneConnection lane) {
        int kind = RecordHeader.ACKNOWLEDGEMENT;
        int chunk = 0;
        long collective = 0;
        long offset = 0;
        byte[] bytes = LanePrefix.NOTHING;
        int length = 0;
        lock.lock();
        try {
            if (lane.gone) {
                return;
            }
            long sequence = sender.take(lane.lane, clock.nanoTime());
            if (sequence >= 0) {
                int place = LaneSender.place(sequence);
                kind = out.kinds[place];
                chunk = out.chunks[place];
                collective = out.collectives[place];
                offset = out.offsets[place];
                bytes = out.bytes[place];
                length = out.lengths[place];
            }
            LanePrefix.write(lane.prefix, sequence, receiver.taken(), receiver.count(lane.lane));
            receiver.told(lane.lane);
        } finally {
            lock.unlock();
        }
        @Nullable IOException failure = null;
        try {
            lane.stream.sendLane(kind, chunk, collective, offset, lane.prefix, bytes, length);
        } catch (IOException failed) {
            failure = failed;
        }
        lock.lock();
        try {
            lane.writing = false;
            if (failure != null && !lane.gone && !lane.unwritable) {
                // What came before the failure can still be read.
                lane.unwritable = true;
                receiver.lost(lane.lane);
                sender.lost(lane.lane, "writing failed: " + failure.getMessage(), clock.nanoTime());
                changed();
            } else if (lane.gone || hasWork(lane)) {
                lane.work.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** An unused array for a record with its prefix. */
    byte[] emptyRecord() {
        lock.lock();
        try {
            return takeEmpty();
        } finally {
            lock.unlock();
        }
    }

    private byte[] takeEmpty() {
        byte[] unused = empty.pollFirst();
        return unused == null ? new byte[RecordHeader.LANE_BYTES + RecordHeader.RECORD_BYTES_MAX] : unused;
    }

    /**
     * Handles a record of a lane.
     *
     * @param bytes the record's plaintext, with the prefix
     * @return array for the next record
     * @throws IllegalArgumentException an honest peer does not send it
     */
    byte[] arrived(LaneConnection lane, ReceivedRecord record, byte[] bytes) {
        int length = record.length() - RecordHeader.LANE_BYTES;
        boolean isLast = record.kind() == RecordHeader.END;
        boolean isData = record.kind() >= RecordHeader.USER_MIN || (isLast && length == 0);
        if (length < 0 || (!isData && (record.kind() != RecordHeader.ACKNOWLEDGEMENT || length > 0))) {
            throw new IllegalArgumentException("a record of kind " + record.kind() + " and " + record.length()
                    + " bytes is out of place on a lane");
        }
        lock.lock();
        try {
            if (lane.gone) {
                return bytes;
            }
            long now = clock.nanoTime();
            if (!lane.unwritable) {
                sender.acknowledged(lane.lane, LanePrefix.arrived(bytes), LanePrefix.taken(bytes), now);
            }
            byte[] next = bytes;
            long sequence = LanePrefix.sequence(bytes);
            if (isData && receiver.arrived(lane.lane, sequence, length, isLast, now)) {
                int place = LaneSender.place(sequence);
                in.describe(place, record.kind(), record.chunk(), record.collective(), record.offset(), length);
                in.bytes[place] = bytes;
                next = takeEmpty();
                arrival.signalAll();
            }
            changed();
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Wakes whoever may go on after a change, and logs it. */
    private void changed() {
        for (LaneChange change : sender.changes()) {
            LaneConnection lane = lanes[change.lane()];
            LOG.info(
                    "lane {} peer={} stream={} lane={} path={}: {}",
                    change.what(),
                    peer.shortText(),
                    id.index(),
                    change.lane(),
                    lane == null ? "" : lane.path,
                    change.why());
        }
        room.signalAll();
        for (LaneConnection lane : lanes) {
            if (lane != null && !lane.writing && hasWork(lane)) {
                lane.work.signal();
            }
        }
        startTicking();
    }

    private void startTicking() {
        if (!ticking && !broken.isPresent() && (sender.isWaiting() || receiver.isWaiting())) {
            ticking = true;
            deadlines.after(LaneLimits.TICK_NANOS, this::tick);
        }
    }

    private void tick() {
        lock.lock();
        try {
            ticking = false;
            if (broken.isPresent()) {
                return;
            }
            long now = clock.nanoTime();
            sender.tick(now);
            int hopeless = sender.hopeless(now);
            LaneConnection lane = hopeless < 0 ? null : lanes[hopeless];
            if (lane != null) {
                lose(lane, "silent for too long", new StreamException(peer, Cause.CUT, "its lanes are silent"));
            }
            changed();
        } finally {
            lock.unlock();
        }
    }

    /** Handles the end of a lane's connection. */
    void ended(LaneConnection lane, IOException why) {
        lock.lock();
        try {
            if (!lane.gone) {
                lose(lane, String.valueOf(why.getMessage()), why);
                changed();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Handles what an honest peer does not send. */
    void lied(String how, IllegalArgumentException lie) {
        end(Cause.FORGED, "it " + how, lie);
    }

    private void lose(LaneConnection lane, String why, IOException thrown) {
        forget(lane, why);
        boolean noneLeft = true;
        for (LaneConnection other : lanes) {
            noneLeft &= other == null;
        }
        if (noneLeft) {
            cut = thrown;
            arrival.signalAll();
        }
    }

    private void forget(LaneConnection lane, String why) {
        receiver.lost(lane.lane);
        sender.lost(lane.lane, why, clock.nanoTime());
        changed(); // while its path is known
        forgetQuietly(lane);
    }

    private void forgetQuietly(LaneConnection lane) {
        lane.gone = true;
        lane.work.signalAll();
        lane.stream.abort(Cause.CUT, "the lane ended");
        lanes[lane.lane] = null;
        former.add(lane);
        formerSent += lane.stream.bytesSent();
        formerSealNanos += lane.stream.sealNanos();
        formerOpenNanos += lane.stream.openNanos();
    }

    @Override
    public ReceivedRecord receive() throws IOException {
        buffers.get().endLoan(this);
        lock.lock();
        try {
            if (borrowed != null) {
                empty.addFirst(borrowed);
                borrowed = null;
            }
            while (true) {
                if (ended) {
                    throw new EOFException("stream with " + peer.shortText() + " ended");
                }
                broken.requireNone();
                if (receiver.hasNext()) {
                    return take();
                }
                if (cut != null) {
                    Cause cause = cut instanceof StreamException typed ? typed.kind() : Cause.CUT;
                    throw new StreamException(peer, cause, "its last lane ended: " + cut.getMessage(), cut);
                }
                try {
                    arrival.await();
                } catch (InterruptedException interrupted) {
                    throw interrupted("receiving", interrupted);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private ReceivedRecord take() throws EOFException {
        int place = LaneSender.place(receiver.take(clock.nanoTime()));
        byte[] bytes = in.bytes[place];
        borrowed = bytes;
        in.bytes[place] = LanePrefix.NOTHING;
        changed();
        if (in.kinds[place] == RecordHeader.END) {
            ended = true;
            throw new EOFException("stream with " + peer.shortText() + " ended");
        }
        return received.show(
                in.kinds[place],
                in.chunks[place],
                in.collectives[place],
                in.offsets[place],
                bytes,
                RecordHeader.LANE_BYTES,
                in.lengths[place]);
    }

    private StreamException interrupted(String doing, InterruptedException thrown) {
        Thread.currentThread().interrupt(); // passed to the caller
        end(Cause.CUT, "interrupted while " + doing, thrown);
        return broken.get();
    }

    @Override
    public void timeCipher(boolean wanted) {
        lock.lock();
        try {
            timed = wanted;
            for (LaneConnection lane : lanes) {
                if (lane != null) {
                    lane.stream.timeCipher(wanted);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long sealNanos() {
        return sum(() -> formerSealNanos, RecordStream::sealNanos);
    }

    @Override
    public long openNanos() {
        return sum(() -> formerOpenNanos, RecordStream::openNanos);
    }

    @Override
    public long bytesSent() {
        return sum(() -> formerSent, RecordStream::bytesSent);
    }

    private long sum(LongSupplier formerLanes, ToLongFunction<RecordStream> each) {
        lock.lock();
        try {
            long sum = formerLanes.getAsLong();
            for (LaneConnection lane : lanes) {
                sum += lane == null ? 0 : each.applyAsLong(lane.stream);
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        finish();
        end(Cause.CLOSED, "closed by this node", null);
        List<LaneConnection> all;
        lock.lock();
        try {
            all = List.copyOf(former);
        } finally {
            lock.unlock();
        }
        try {
            for (LaneConnection lane : all) {
                lane.join(JOIN_MILLIS);
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt(); // passed to the caller; the threads end by themselves
        }
    }

    /** Sends the last record and waits for a short time until the peer has all records. */
    private void finish() {
        lock.lock();
        try {
            if (broken.isPresent() || closing) {
                return;
            }
            closing = true; // no record follows the last one
            room.signalAll();
            int lane = sender.chooseLast(clock.nanoTime());
            if (lane < 0) {
                return;
            }
            out.describe(LaneSender.place(sender.next()), RecordHeader.END, 0, 0, 0, 0);
            sender.queue(lane, 0);
            changed();
            long leftNanos = CLOSE_WAIT_NANOS;
            while (leftNanos > 0 && !broken.isPresent() && sender.count() > 0 && !sender.isDelivered()) {
                leftNanos = room.awaitNanos(leftNanos);
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt(); // passed to the caller; the close goes on without a wait
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void abort(Cause cause, String why) {
        end(cause, why, null);
    }

    private void end(Cause cause, String why, @Nullable Throwable thrown) {
        if (!broken.set(cause, why, thrown)) {
            return;
        }
        lock.lock();
        try {
            for (int lane = 0; lane < lanes.length; lane++) {
                LaneConnection connection = lanes[lane];
                if (connection != null) {
                    forgetQuietly(connection);
                }
            }
            room.signalAll();
            arrival.signalAll();
        } finally {
            lock.unlock();
        }
        closed.accept(this);
    }
}
