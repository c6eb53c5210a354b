package io.hearth.collective.state;

import io.hearth.collective.StateBlob;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Supplier;

/**
 * A {@link StateBlob} in a buffer of constant size: its length, its bytes, then zeros. Only chunks that differ travel, but each step reads
 * the whole buffer: 256 MiB take about 0.3 s.
 */
final class BlobBuffer implements Supplier<List<MemorySegment>> {
    private static final ValueLayout.OfInt LENGTH = ValueLayout.JAVA_INT_UNALIGNED;

    private final String name;
    private final StateBlob blob;
    private final MemorySegment buffer;

    /**
     * A buffer for a blob.
     *
     * @param bytesMax 1 to 1 GiB
     */
    BlobBuffer(String name, int bytesMax, StateBlob blob) {
        if (bytesMax < 1 || bytesMax > 1 << 30) {
            throw new IllegalArgumentException("'" + name + "' must have room for 1 to 2^30 bytes, got " + bytesMax);
        }
        this.name = name;
        this.blob = blob;
        this.buffer = MemorySegment.ofArray(new byte[(int) LENGTH.byteSize() + bytesMax]);
    }

    /** Saves the present state. */
    @Override
    public List<MemorySegment> get() {
        byte[] saved = blob.save();
        long room = buffer.byteSize() - LENGTH.byteSize();
        if (saved.length > room) {
            throw new IllegalArgumentException("'" + name + "' has " + saved.length
                    + " bytes, and was shared with room for " + room + ": share it with more room");
        }
        buffer.fill((byte) 0);
        buffer.set(LENGTH, 0, saved.length);
        MemorySegment.copy(MemorySegment.ofArray(saved), 0, buffer, LENGTH.byteSize(), saved.length);
        return List.of(buffer);
    }

    /** Loads the state of the group, which is in the buffer. */
    void load() {
        int length = buffer.get(LENGTH, 0);
        if (length < 0 || length > buffer.byteSize() - LENGTH.byteSize()) {
            throw new IllegalStateException("the group's '" + name + "' has the impossible length " + length);
        }
        blob.load(buffer.asSlice(LENGTH.byteSize(), length).toArray(ValueLayout.JAVA_BYTE));
    }
}
