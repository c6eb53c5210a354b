package io.hearth.transport;

import io.hearth.identity.NodeId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * An encrypted, ordered, duplex stream of records to one peer, for the bytes of collectives.
 *
 * <p>Blocking: one thread may send while another receives, never two of the same. {@link #close()} from any thread ends both
 * with an {@link IOException} at once, and wipes the keys.
 */
public interface DataStream extends AutoCloseable {
    /** Who is at the other end, as its link proved. */
    NodeId peer();

    /** What the stream is for. */
    StreamId id();

    /**
     * Sends one record and returns when the operating system took it.
     *
     * @param header its length must be {@code plaintext.byteSize()}, its kind at least {@link RecordHeader#USER_MIN}
     * @param plaintext heap or native, borrowed for the call
     * @throws IOException the stream is closed or broken; nothing sent later will arrive
     */
    void send(RecordHeader header, MemorySegment plaintext) throws IOException;

    /**
     * Waits for the next record. Its bytes were authenticated before this returns.
     *
     * @return borrowed until the calling thread receives again, from whichever stream: streams share their thread's buffers
     * @throws java.io.EOFException the peer ended the stream in order
     * @throws IOException the stream is closed, broken, or its bytes are not what the peer sent
     */
    Received receive() throws IOException;

    /** Bytes that this end put on the wire so far, heads and tags included. */
    long bytesSent();

    /** Ends the stream; idempotent, never blocks for long. */
    @Override
    void close();

    /**
     * A record that arrived.
     *
     * @param bytes holds the plaintext from {@code offset} for {@code header.length()} bytes; borrowed, see {@link #receive}
     */
    @SuppressWarnings("ArrayRecordComponent") // a borrowed buffer of the hot path, never compared
    record Received(RecordHeader header, byte[] bytes, int offset) {}
}
