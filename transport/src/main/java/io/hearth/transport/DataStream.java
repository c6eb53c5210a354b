package io.hearth.transport;

import io.hearth.identity.NodeId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * An encrypted, ordered, duplex stream of records to one peer, for the bytes of collectives.
 *
 * <p>Blocking: one thread may send while another one receives; two threads must not send, or receive, at once. {@link #close()} from any
 * thread ends both with an {@link IOException} at once, and wipes the keys.
 *
 * <p>For platform threads, like its opening. A virtual thread works too. But the JDK makes a socket non-blocking for good when a virtual
 * thread waits on it; from then on each wait of any thread takes three system calls instead of one.
 */
public interface DataStream extends AutoCloseable {
    /** The node at the other end, as its link proved. */
    NodeId peer();

    /** Group, fence and index of the stream. */
    StreamId id();

    /**
     * Sends one record and returns after writing it. Its plaintext is the whole of {@code prefix}, then {@code length} bytes of {@code
     * bytes}. Allocates nothing.
     *
     * @param kind {@link RecordHeader#USER_MIN} to 255
     * @param chunk 0 to 65,535
     * @param collective number of the collective in its group
     * @param offset of the segment in bytes, passed to the receiver
     * @param prefix heap or native, often empty, borrowed for the call
     * @param bytes heap or native, borrowed for the call
     * @param from where the plaintext begins in {@code bytes}
     * @param length at most {@link RecordHeader#RECORD_BYTES_MAX} together with the prefix
     * @throws IllegalArgumentException a value is out of its range; nothing was sent
     * @throws IndexOutOfBoundsException {@code bytes} has no such part; nothing was sent
     * @throws IOException the stream is closed or broken; nothing sent later will arrive
     */
    void send(
            int kind,
            int chunk,
            long collective,
            long offset,
            MemorySegment prefix,
            MemorySegment bytes,
            long from,
            int length)
            throws IOException;

    /**
     * Waits for the next record. Its bytes were authenticated before this returns.
     *
     * @return borrowed until the calling thread receives again, from any stream: the stream has only this object, and the streams of a
     *     thread share their buffers
     * @throws java.io.EOFException the peer closed the stream
     * @throws IOException the stream is closed or broken, or its bytes are not those that the peer sent
     */
    ReceivedRecord receive() throws IOException;

    /** Whether the bytes travel through memory that both ends share, so that a thread may wait for a record without sleeping. */
    default boolean isInMemory() {
        return false;
    }

    /**
     * Waits for the next record, but only for the moment in which a thread spins instead of sleeping; does not take it. For the thread that
     * receives.
     *
     * @return whether {@link #receive} would return or fail at once; false if the bytes do not travel through shared memory
     */
    default boolean comesSoon() {
        return false;
    }

    /**
     * Whether {@link #send} of a record of {@code length} bytes would return or fail without waiting. Only a stream through shared memory
     * can tell; others return false. For the thread that sends.
     *
     * @param length of prefix and bytes together, 0 to {@link RecordHeader#RECORD_BYTES_MAX}
     */
    default boolean hasRoom(int length) {
        return false;
    }

    /**
     * Number of records of {@code length} bytes that can surely be sent before the other end receives any of them; 0 if unknown.
     *
     * @param length 0 to {@link RecordHeader#RECORD_BYTES_MAX}
     */
    default int recordsUnread(int length) {
        return 0;
    }

    /** Turns the timing of the stream's cipher on or off. It costs two readings of the clock for each record. */
    default void timeCipher(boolean wanted) {
        // nothing to time
    }

    /** Nanoseconds spent sealing while timing was on. For the thread that sends. */
    default long sealNanos() {
        return 0;
    }

    /** Nanoseconds spent opening while timing was on. For the thread that receives. */
    default long openNanos() {
        return 0;
    }

    /** Bytes that this end put on the wire so far, headers and tags included. */
    long bytesSent();

    /** What arrived so far, from any thread; {@link Arrivals#NONE} of a stream without a network. */
    default Arrivals arrivals() {
        return Arrivals.NONE;
    }

    /** Ends the stream; idempotent, blocks only for a bounded time. */
    @Override
    void close();
}
