package io.hearth.transport.record;

import io.hearth.identity.NodeId;
import io.hearth.transport.Arrivals;
import io.hearth.transport.DataTransport;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.StreamException;
import io.hearth.transport.StreamId;
import io.hearth.transport.cipher.RecordCipher;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import javax.crypto.AEADBadTagException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A data stream over a blocking socket: a sequence of sealed records in each direction. */
public final class RecordStream implements OpenStream {
    /** Time for which a close may wait to send its last record. */
    private static final long CLOSE_WAIT_NANOS = 200_000_000L;

    /** Bytes to read at once when the next record's length is unknown, so that a small record takes one system call. */
    private static final int AHEAD_BYTES = 16 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(RecordStream.class);

    private final NodeId peer;
    private final StreamId id;
    private final SocketChannel channel;
    private final RecordCipher sealer;
    private final RecordCipher opener;
    private final ThreadLocal<RecordBuffers> buffers;
    private final Deadlines deadlines;
    private final Consumer<OpenStream> closed;
    private final ReentrantLock sending = new ReentrantLock(); // held by the thread that uses the sealer
    private final ReentrantLock receiving = new ReentrantLock(); // held by the thread that uses the opener
    private final StreamFailure broken;
    private final byte[] ahead = new byte[AHEAD_BYTES]; // bytes read together with the previous record; under receiving
    private final ReceivedRecord received = new ReceivedRecord(); // under receiving, then the receiver's
    private int aheadFrom; // start of the bytes in it that were not used yet
    private int aheadTo;
    private final ArrivalMeter meter = new ArrivalMeter(); // written under receiving
    private boolean ended; // the peer sent END; under receiving
    private volatile boolean isLane; // set before its threads start, read by them
    private volatile long bytesSent; // written under sending, read by any thread
    private volatile boolean timed; // set by any thread, read by the sending and the receiving thread
    private volatile long sealNanos; // written under sending, read by any thread
    private volatile long openNanos; // written under receiving, read by any thread

    /**
     * @param buffers record buffers of the calling thread
     * @param closed called once when the stream is closed
     */
    public RecordStream(
            NodeId peer,
            StreamId id,
            SocketChannel channel,
            RecordCipher sealer,
            RecordCipher opener,
            ThreadLocal<RecordBuffers> buffers,
            Deadlines deadlines,
            Consumer<OpenStream> closed) {
        this.peer = peer;
        this.broken = new StreamFailure(peer);
        this.id = id;
        this.channel = channel;
        this.sealer = sealer;
        this.opener = opener;
        this.buffers = buffers;
        this.deadlines = deadlines;
        this.closed = closed;
    }

    /** Proves to the peer that this end has the right keys, and verifies the peer's. */
    public void begin() throws IOException {
        sending.lock();
        try {
            write(0, RecordHeader.OPEN, 0, 0, 0, MemorySegment.NULL, MemorySegment.NULL, 0);
        } finally {
            release(sending, sealer);
        }
        receiving.lock();
        try {
            if (read(buffers.get().opened()).kind() != RecordHeader.OPEN) {
                throw fail(StreamException.Cause.FORGED, "it does not begin with an opening record", null);
            }
        } finally {
            release(receiving, opener);
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
    public long bytesSent() {
        return bytesSent;
    }

    @Override
    public Arrivals arrivals() {
        return meter.total();
    }

    @Override
    public void timeCipher(boolean wanted) {
        timed = wanted;
    }

    /** Bounds what waits in the socket, if the system lets it; {@code bytes} as in {@link StandardSocketOptions#SO_SNDBUF}. */
    public void limitSendBuffer(int bytes) {
        try {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, bytes);
        } catch (IOException | UnsupportedOperationException kept) {
            LOG.debug("peer={} keeps its send buffer: {}", peer.shortText(), kept.toString());
        }
    }

    @Override
    public long sealNanos() {
        return sealNanos;
    }

    @Override
    public long openNanos() {
        return openNanos;
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
            write(whole, kind, chunk, collective, offset, prefix, bytes, from);
        } finally {
            release(sending, sealer);
        }
    }

    /** Makes this one of the lanes of a stream. Only {@link #sendLane}, {@link #receiveLane} and {@link #abort} may follow. */
    public void becomeLane() {
        isLane = true;
    }

    /**
     * As {@link #send}, for any kind. A failure does not end the connection, which may have received records that were not read yet.
     *
     * @param prefix {@link RecordHeader#LANE_BYTES}
     * @param length at most {@link RecordHeader#RECORD_BYTES_MAX}
     */
    public void sendLane(int kind, int chunk, long collective, long offset, byte[] prefix, byte[] bytes, int length)
            throws IOException {
        sending.lock();
        try {
            write(
                    prefix.length + length,
                    kind,
                    chunk,
                    collective,
                    offset,
                    MemorySegment.ofArray(prefix),
                    MemorySegment.ofArray(bytes),
                    0);
        } finally {
            release(sending, sealer);
        }
    }

    /**
     * Waits for the next record, of any kind.
     *
     * @param plaintext of {@link RecordHeader#LANE_BYTES} and {@link RecordHeader#RECORD_BYTES_MAX}; holds the record's bytes afterwards
     * @return borrowed until the next call
     */
    public ReceivedRecord receiveLane(byte[] plaintext) throws IOException {
        receiving.lock();
        try {
            return read(plaintext);
        } finally {
            release(receiving, opener);
        }
    }

    @Override
    public ReceivedRecord receive() throws IOException {
        buffers.get().endLoan(this);
        receiving.lock();
        try {
            if (ended) {
                throw new EOFException("stream with " + peer.shortText() + " ended");
            }
            read(buffers.get().opened());
            if (received.kind() == RecordHeader.END) {
                ended = true;
                throw new EOFException("stream with " + peer.shortText() + " ended");
            }
            if (received.kind() < RecordHeader.USER_MIN) {
                throw fail(
                        StreamException.Cause.FORGED, "a record of kind " + received.kind() + " is out of place", null);
            }
            return received;
        } finally {
            release(receiving, opener);
        }
    }

    @Override
    public void close() {
        if (!broken.isPresent() && sending.tryLock()) {
            try (var _ = deadlines.closeAfter(channel, CLOSE_WAIT_NANOS)) {
                write(0, RecordHeader.END, 0, 0, 0, MemorySegment.NULL, MemorySegment.NULL, 0);
            } catch (IOException peerGone) {
                // then no peer needs the last record
            } finally {
                release(sending, sealer);
            }
        }
        end(StreamException.Cause.CLOSED, "closed by this node", null);
    }

    @Override
    public void abort(StreamException.Cause cause, String why) {
        end(cause, why, null);
    }

    private void write(
            int length,
            int kind,
            int chunk,
            long collective,
            long offset,
            MemorySegment prefix,
            MemorySegment plaintext,
            long from)
            throws IOException {
        broken.requireNone();
        RecordBuffers scratch = buffers.get();
        byte[] record = scratch.record();
        RecordHeader.write(record, length, kind, chunk, collective, offset);
        int before = (int) prefix.byteSize();
        MemorySegment.copy(prefix, ValueLayout.JAVA_BYTE, 0, record, RecordHeader.BYTES, before);
        MemorySegment.copy(
                plaintext, ValueLayout.JAVA_BYTE, from, record, RecordHeader.BYTES + before, length - before);
        long since = timed ? System.nanoTime() : 0;
        int sealed = sealer.seal(record, length);
        if (since != 0) {
            long sealedBefore = sealNanos;
            sealNanos = sealedBefore + System.nanoTime() - since;
        }
        ByteBuffer out = scratch.direct().clear().put(record, 0, sealed).flip();
        try {
            while (out.hasRemaining()) {
                channel.write(out);
            }
        } catch (IOException gone) {
            if (isLane) {
                throw gone;
            }
            throw fail(StreamException.Cause.CUT, "the connection broke while sending", gone);
        }
        long sentBefore = bytesSent;
        bytesSent = sentBefore + sealed;
    }

    private ReceivedRecord read(byte[] plaintext) throws IOException {
        broken.requireNone();
        RecordBuffers scratch = buffers.get();
        byte[] record = scratch.record();
        if (aheadTo - aheadFrom < RecordHeader.BYTES) {
            long since = meter.awaits();
            readAhead(scratch.direct());
            meter.began(since);
        }
        takeAhead(record, 0, RecordHeader.BYTES);
        int length = length(record);
        int body = length + RecordCipher.TAG_BYTES;
        int there = Math.min(body, aheadTo - aheadFrom);
        takeAhead(record, RecordHeader.BYTES, there);
        meter.reads(body - there);
        if (there < body) {
            readBody(scratch.direct(), record, RecordHeader.BYTES + there, body - there);
        }
        meter.arrived(RecordHeader.BYTES + body);
        long since = timed ? System.nanoTime() : 0;
        try {
            opener.open(record, length, plaintext);
            if (since != 0) {
                long openedBefore = openNanos;
                openNanos = openedBefore + System.nanoTime() - since;
            }
        } catch (AEADBadTagException forged) {
            throw fail(StreamException.Cause.FORGED, "a record is not what the peer sent at this place", forged);
        }
        return RecordHeader.read(record, length, plaintext, received);
    }

    /** Waits for a header, and keeps all bytes that came with it. */
    private void readAhead(ByteBuffer direct) throws IOException {
        int there = aheadTo - aheadFrom;
        System.arraycopy(ahead, aheadFrom, ahead, 0, there);
        ByteBuffer in = fill(direct, RecordHeader.BYTES - there, AHEAD_BYTES - there);
        aheadFrom = 0;
        aheadTo = there + in.remaining();
        in.get(ahead, there, in.remaining());
    }

    private void takeAhead(byte[] record, int at, int bytes) {
        System.arraycopy(ahead, aheadFrom, record, at, bytes);
        aheadFrom += bytes;
    }

    /** Waits for the rest of a record. Reads ahead only the next header, because bytes read ahead are copied once more. */
    private void readBody(ByteBuffer direct, byte[] record, int at, int missing) throws IOException {
        ByteBuffer in = fill(direct, missing, missing + RecordHeader.BYTES);
        meter.completed(in.remaining());
        in.get(record, at, missing);
        aheadFrom = 0;
        aheadTo = in.remaining();
        in.get(ahead, 0, aheadTo);
    }

    private int length(byte[] record) throws StreamException {
        try {
            return RecordHeader.readLength(record, isLane);
        } catch (IllegalArgumentException nonsense) {
            throw fail(StreamException.Cause.FORGED, "invalid header: " + nonsense.getMessage(), nonsense);
        }
    }

    /** Reads at least {@code least} and at most {@code most} bytes. */
    private ByteBuffer fill(ByteBuffer in, int least, int most) throws IOException {
        in.clear().limit(most);
        try {
            while (in.position() < least) {
                if (channel.read(in) < 0) {
                    throw fail(StreamException.Cause.CUT, "the stream ended without its last record", null);
                }
                if (in.position() < least) {
                    meter.emptied(in.position());
                }
            }
        } catch (StreamException cut) {
            throw cut;
        } catch (IOException gone) {
            throw fail(StreamException.Cause.CUT, "the connection broke while receiving", gone);
        }
        return in.flip();
    }

    /** Ends the stream and returns the exception to throw: the first one, if another thread ended it meanwhile. */
    private StreamException fail(StreamException.Cause cause, String why, @Nullable Throwable thrown) {
        end(cause, why, thrown);
        return broken.get();
    }

    private void end(StreamException.Cause cause, String why, @Nullable Throwable thrown) {
        if (!broken.set(cause, why, thrown)) {
            return;
        }
        Deadlines.close(channel);
        wipe(sending, sealer);
        wipe(receiving, opener);
        closed.accept(this);
    }

    private void release(ReentrantLock lock, RecordCipher cipher) {
        lock.unlock();
        if (broken.isPresent()) {
            wipe(lock, cipher);
        }
    }

    /** Drops the key, unless a thread holds the lock for a record; that thread calls this when it releases the lock. */
    private static void wipe(ReentrantLock lock, RecordCipher cipher) {
        if (lock.tryLock()) {
            try {
                cipher.destroy();
            } finally {
                lock.unlock();
            }
        }
    }
}
