package io.hearth.transport.stream;

import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * One direction of a stream in memory that two processes share: one writer, one reader, records one behind the other.
 *
 * <pre>
 * byte     0  written: bytes that the writer has published since the beginning          (8, little-endian)
 *        128  reader sleeps: 1 while the reader wants to be woken by the next record    (8)
 *        256  read: bytes that the reader has given back since the beginning            (8)
 *        384  writer sleeps: 1 while the writer wants to be woken by the next room      (8)
 *       4096  the ring itself, a power of two
 *
 * record = length (4) | kind (4) | chunk (4) | 0 (4) | collective (8) | offset (8) | 0 (32) | plaintext | up to 63 unused bytes
 * </pre>
 *
 * <p>A record begins at a multiple of 64 and is never cut: one that would reach over the end of the ring begins at its start,
 * behind a filler. So the reader shows each record where it lies.
 *
 * <p>The other process is not believed: each index and header is read once and checked before it is used, so whatever it writes,
 * no access leaves the ring and no loop goes on without new bytes. It can of course change plaintext at any time.
 *
 * <p>Two threads use an object at the same time at most: one that writes, or one that reads. Nothing here waits.
 */
final class SharedRing {
    /** What a ring needs besides its capacity. */
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
    private long position; // of the writer or of the reader, whichever this end is
    private long others; // what the other end had published when it was last looked at
    private int held; // reader: span of the record that is being shown

    /**
     * One end of a ring; the other end has an object of its own over the same memory.
     *
     * @param memory native, {@link #CONTROL_BYTES} and a power of two of at least {@link #CAPACITY_MIN}, all 0 at first; borrowed
     *     for good
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

    /** What the other process wrote cannot be. */
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
     * @throws CorruptException the reader says that it read what was not written
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

    /** How many records of {@code length} bytes surely go in unread: the reader may hold one more, and a filler may be as long. */
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
     * @return whether the reader sleeps and is to be woken; it is told once
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
        AT.setVolatile(memory, WRITTEN, position); // before the look at whether somebody sleeps
        return wakes(READER_SLEEPS);
    }

    /** Publishes an empty record, for which there is always room. */
    boolean writeLast(int kind) {
        return write(0, kind, 0, 0, 0, MemorySegment.NULL, MemorySegment.NULL, 0);
    }

    /** Announces that the writer sleeps; it has to look for room once more before it does. */
    void writerSleeps() {
        AT.setVolatile(memory, WRITER_SLEEPS, 1L);
    }

    /** Takes that back. @return whether the reader had not heard of it; if it had, it rings */
    boolean writerStays() {
        return (long) AT.getAndSet(memory, WRITER_SLEEPS, 0L) != 0;
    }

    // ---- the reader

    /** Gives the record shown last back to the writer. @return whether the writer sleeps and is to be woken; it is told once */
    boolean release() {
        if (held == 0) {
            return false;
        }
        position += held;
        held = 0;
        AT.setVolatile(memory, READ, position); // before the look at whether somebody sleeps
        return wakes(WRITER_SLEEPS);
    }

    /** Announces that the reader sleeps; it has to look for a record once more before it does. */
    void readerSleeps() {
        AT.setVolatile(memory, READER_SLEEPS, 1L);
    }

    /** Takes that back. @return whether the writer had not heard of it; if it had, it rings */
    boolean readerStays() {
        return (long) AT.getAndSet(memory, READER_SLEEPS, 0L) != 0;
    }

    /**
     * Shows the next record, if there is one; call {@link #release} before.
     *
     * @param record is made to show it, until {@link #release}
     * @throws CorruptException what the writer published is no record
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

    /** Shows what begins there; after a filler that was longer than what was published, less than nothing is {@code available}. */
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
