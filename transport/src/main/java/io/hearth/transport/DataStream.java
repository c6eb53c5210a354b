package io.hearth.transport;

import io.hearth.identity.NodeId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * An encrypted, ordered, duplex stream of records to one peer, for the bytes of collectives.
 *
 * <p>Blocking: one thread may send while another receives, never two of the same. {@link #close()} from any thread ends both
 * with an {@link IOException} at once, and wipes the keys.
 *
 * <p>For platform threads, like its opening. A virtual one works too, but the JDK makes a socket non-blocking for good where one
 * waits, and from then on each wait of anybody takes three system calls instead of one.
 */
public interface DataStream extends AutoCloseable {
    /** Who is at the other end, as its link proved. */
    NodeId peer();

    /** What the stream is for. */
    StreamId id();

    /**
     * Sends one record and returns when it is on its way: its plaintext is the whole of {@code prefix}, then {@code length}
     * bytes of {@code bytes}. Allocates nothing of its own.
     *
     * @param kind {@link RecordHeader#USER_MIN} to 255
     * @param chunk 0 to 65,535
     * @param collective number of the collective in its group
     * @param offset of the segment in bytes, for the receiver
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
     * @return borrowed until the calling thread receives again, from whichever stream: the object is the stream's only one, the
     *     bytes are in buffers that the streams of a thread share
     * @throws java.io.EOFException the peer ended the stream in order
     * @throws IOException the stream is closed, broken, or its bytes are not what the peer sent
     */
    ReceivedRecord receive() throws IOException;

    /**
     * How many records of {@code length} bytes surely leave before the other end receives any of them; 0 if that is not known.
     *
     * @param length 0 to {@link RecordHeader#RECORD_BYTES_MAX}
     */
    default int recordsUnread(int length) {
        return 0;
    }

    /** From now on, or no longer, the stream adds up what its cipher takes, if it has one: two looks at the clock for each record. */
    default void timeCipher(boolean wanted) {
        // nothing to time
    }

    /** Nanoseconds that sealing took so far, while it was timed. For the thread that sends. */
    default long sealNanos() {
        return 0;
    }

    /** Nanoseconds that opening took so far, while it was timed. For the thread that receives. */
    default long openNanos() {
        return 0;
    }

    /** Bytes that this end put on the wire so far, heads and tags included. */
    long bytesSent();

    /** Ends the stream; idempotent, never blocks for long. */
    @Override
    void close();
}
