package io.hearth.transport.memory;

import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * One direction of a stream in memory that two processes share: one writer, one reader, and a sequence of records.
 *
 * <pre>
 * byte     0  written: bytes that the writer has published since the start          (8, little-endian)
 *        128  reader sleeps: 1 while the reader wants to be woken by the next record    (8)
 *        256  read: bytes that the reader has given back since the start            (8)
 *        384  writer sleeps: 1 while the writer wants to be woken by the next room      (8)
 *       4096  the ring itself, a power of two
 *
 * record = length (4) | kind (4) | chunk (4) | 0 (4) | collective (8) | offset (8) | 0 (32) | plaintext | up to 63 unused bytes
 * </pre>
 *
 * <p>A record begins at a multiple of 64 and is never split: if it would not fit before the end of the ring, a filler comes first and the
 * record begins at the start. So the reader can use each record in place.
 *
 * <p>The other process is not trusted: each index and header is read once and checked before its use. So for any bytes, no access leaves
 * the ring, and no loop continues without new bytes. The other process can still change plaintext at any time.
 *
 * <p>One thread uses an object at a time, either a writer or a reader. No method waits.
 */
final class SharedRing {
    /** Bytes of a ring besides its capacity. */
    static final int CONTROL_BYTES = 4096;

    /** Smallest capacity: the largest record, while the reader holds one of them and a filler is in between. */
    static final int CAPACITY_MIN = 1 << 20;

    private static final int GRANULE = 64;
    private static final int FILLER = -1;

    private static final long WRITTEN = 0;
    private static final long READER_SLEEPS = 128;
    private static final long READ = 256;
    private static final long WRITER_SLEEPS = 384;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle AT = LONG.varHandle();

    private final MemorySegment memory;
    private final MemorySegment shown;
    private final int capacity;
    private long position; // of this end, the writer or the reader
    private long others; // the other end's position when it was last read
    private int held; // reader: span of the borrowed record

    /**
     * One end of a ring; the other end has its own object over the same memory.
     *
     * @param memory native, {@link #CONTROL_BYTES} and a power of two of at least {@link #CAPACITY_MIN}, all 0 at first; borrowed for the
     *     object's lifetime
     */
    SharedRing(MemorySegment memory) {
        long ring = memory.byteSize() - CONTROL_BYTES;
        if (ring < CAPACITY_MIN || Long.bitCount(ring) != 1 || ring > 1 << 30) {
            throw new IllegalArgumentException("no ring has " + ring + " bytes");
        }
        this.memory = memory;
        this.shown = memory.asReadOnly();
        this.capacity = (int) ring;
    }

    /** The other process wrote impossible values. */
    static final class CorruptException extends Exception {
        private static final long serialVersionUID = 1L;

        CorruptException(String what) {
            super(what);
        }
    }

    private static int span(int length) {
        return GRANULE + ((length + GRANULE - 1) & -GRANULE);
    }

    // ---- the writer

    /**
     * Whether a record of {@code length} bytes can be written now. Room for one empty record is kept for {@link #writeLast}.
     *
     * @throws CorruptException the reader claims to have read more than was written
     */
    boolean hasRoom(int length) throws CorruptException {
        int needed = needed(length) + GRANULE;
        if (capacity - (position - others) >= needed) {
            return true;
        }
        long read = (long) AT.getAcquire(memory, READ);
        if (read < others || read > position) {
            throw new CorruptException(
                    "it has read " + read + " bytes of " + position + " written ones, after " + others);
        }
        others = read;
        return capacity - (position - others) >= needed;
    }

    /** Number of records of {@code length} bytes that surely fit unread: the reader may hold one more, and a filler may be as long. */
    int recordsUnread(int length) {
        return Math.max(0, (capacity - GRANULE) / span(length) - 2);
    }

    private int needed(int length) {
        int span = span(length);
        int toEnd = capacity - at();
        return span <= toEnd ? span : toEnd + span;
    }

    private int at() {
        return (int) (position & (capacity - 1));
    }

    /**
     * Publishes a record for which there {@link #hasRoom}: all of {@code prefix}, then the rest from {@code bytes}.
     *
     * @param whole bytes of plaintext
     * @return whether the reader sleeps and must be woken; true only once per sleep
     */
    boolean write(
            int whole,
            int kind,
            int chunk,
            long collective,
            long offset,
            MemorySegment prefix,
            MemorySegment bytes,
            long from) {
        int span = span(whole);
        int at = at();
        if (span > capacity - at) {
            long filler = (long) CONTROL_BYTES + at;
            memory.set(INT, filler, capacity - at);
            memory.set(INT, filler + 4, FILLER);
            position += capacity - at;
            at = 0;
        }
        long head = (long) CONTROL_BYTES + at;
        memory.set(INT, head, whole);
        memory.set(INT, head + 4, kind);
        memory.set(INT, head + 8, chunk);
        memory.set(LONG, head + 16, collective);
        memory.set(LONG, head + 24, offset);
        long before = prefix.byteSize();
        MemorySegment.copy(prefix, 0, memory, head + GRANULE, before);
        MemorySegment.copy(bytes, from, memory, head + GRANULE + before, whole - before);
        position += span;
        AT.setVolatile(memory, WRITTEN, position); // before checking whether the other end sleeps
        return wakes(READER_SLEEPS);
    }

    /** Publishes an empty record, for which there is always room. */
    boolean writeLast(int kind) {
        return write(0, kind, 0, 0, 0, MemorySegment.NULL, MemorySegment.NULL, 0);
    }

    /** Announces that the writer sleeps; it must check for room once more before it does. */
    void writerSleeps() {
        AT.setVolatile(memory, WRITER_SLEEPS, 1L);
    }

    /** Takes the writer's announcement back. @return whether the reader had not seen it; if it had, it rings */
    boolean cancelWriterSleep() {
        return (long) AT.getAndSet(memory, WRITER_SLEEPS, 0L) != 0;
    }

    // ---- the reader

    /** Gives the last record back to the writer. @return whether the writer sleeps and must be woken; true only once per sleep */
    boolean release() {
        if (held == 0) {
            return false;
        }
        position += held;
        held = 0;
        AT.setVolatile(memory, READ, position); // before checking whether the other end sleeps
        return wakes(WRITER_SLEEPS);
    }

    /** Announces that the reader sleeps; it must check for a record once more before it does. */
    void readerSleeps() {
        AT.setVolatile(memory, READER_SLEEPS, 1L);
    }

    /** Takes the reader's announcement back. @return whether the writer had not seen it; if it had, it rings */
    boolean cancelReaderSleep() {
        return (long) AT.getAndSet(memory, READER_SLEEPS, 0L) != 0;
    }

    /**
     * Reads the next record in place, if there is one; call {@link #release} before.
     *
     * @param record filled with it, valid until {@link #release}
     * @throws CorruptException the writer published something that is no record
     */
    boolean read(ReceivedRecord record) throws CorruptException {
        if (others == position) {
            long written = (long) AT.getAcquire(memory, WRITTEN);
            if (written < position || written - position > capacity || (written & (GRANULE - 1)) != 0) {
                throw new CorruptException("it wrote up to " + written + ", this end has read up to " + position);
            }
            others = written;
        }
        if (others == position) {
            return false;
        }
        int at = at();
        int kind = memory.get(INT, (long) CONTROL_BYTES + at + 4);
        int skipped = 0;
        if (kind == FILLER) {
            skipped = capacity - at;
            at = 0;
            kind = memory.get(INT, CONTROL_BYTES + 4L);
        }
        show(record, at, kind, others - position - skipped);
        held += skipped;
        return true;
    }

    /** Fills {@code record} from {@code at}. {@code available} is negative after a filler that is longer than the published bytes. */
    private void show(ReceivedRecord record, int at, int kind, long available) throws CorruptException {
        long head = (long) CONTROL_BYTES + at;
        int length = memory.get(INT, head);
        int chunk = memory.get(INT, head + 8);
        if (length < 0
                || length > RecordHeader.RECORD_BYTES_MAX
                || kind < 0
                || kind > 255
                || chunk < 0
                || chunk > 0xFFFF
                || span(length) > available
                || span(length) > capacity - at) {
            throw new CorruptException("a header says length " + length + ", kind " + kind + ", chunk " + chunk
                    + " where " + available + " bytes are");
        }
        held = span(length);
        record.show(
                kind, chunk, memory.get(LONG, head + 16), memory.get(LONG, head + 24), shown, head + GRANULE, length);
    }

    private boolean wakes(long sleeper) {
        return (long) AT.getVolatile(memory, sleeper) != 0 && (long) AT.getAndSet(memory, sleeper, 0L) != 0;
    }
}
