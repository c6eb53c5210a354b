package io.hearth.accel.metal;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Places the operands of one piece where the GPU can read them: in place if they lie in memory of Metal, otherwise in a copy. Results
 * always go to a buffer of the engine: a GPU that answers after its timeout cannot overwrite a caller's data.
 *
 * <p>Used by one thread at a time.
 */
final class Staging {
    private final Allocator allocator;
    private final int bytesMax;
    private final List<Gpu.Buffer> slots = new ArrayList<>();
    private final List<Dispatch.BufferSlice> places = new ArrayList<>(); // by index, set again by each call
    private final List<Gpu.Buffer> shared = new ArrayList<>(); // few, since each is large

    /** Allocates and releases buffers, on the thread that Metal requires. */
    interface Allocator {
        Gpu.Buffer allocate(long bytes) throws MetalException;

        void release(Gpu.Buffer buffer) throws MetalException;
    }

    /** Slots grow by doubling up to {@code bytesMax}, and beyond that only to the size that a result needs. */
    Staging(Allocator allocator, int bytesMax) {
        this.allocator = allocator;
        this.bytesMax = bytesMax;
    }

    /** Makes operands within this buffer be read in place from now on. */
    void share(Gpu.Buffer buffer) {
        shared.add(buffer);
    }

    void unshare(Gpu.Buffer buffer) {
        shared.remove(buffer);
    }

    /**
     * Returns a place of at least {@code bytes}, for a result of a piece.
     *
     * @param index among all results and operands of the piece, from 0 on
     * @return valid until the next call for the same index
     */
    Dispatch.BufferSlice result(int index, long bytes) throws MetalException {
        return start(index, slot(index, bytes));
    }

    /** As {@link #result}, with zeros in its first {@code bytes}; the rest of the slot is not cleared. */
    Dispatch.BufferSlice clearedResult(int index, long bytes) throws MetalException {
        Dispatch.BufferSlice result = result(index, bytes);
        result.buffer().contents().asSlice(0, bytes).fill((byte) 0);
        return result;
    }

    /** Returns a place where the GPU can read {@code bytes} of an operand from {@code sourceOffset} on; otherwise as {@link #result}. */
    Dispatch.BufferSlice operand(int index, MemorySegment source, long sourceOffset, long bytes) throws MetalException {
        if (source.isNative()) {
            long address = source.address() + sourceOffset;
            for (int i = 0; i < shared.size(); i++) {
                Gpu.Buffer buffer = shared.get(i);
                long offset = address - buffer.contents().address();
                if (offset >= 0 && offset + bytes <= buffer.contents().byteSize() && offset % 4 == 0) {
                    return place(index, buffer).set(buffer, offset);
                }
            }
        }
        Gpu.Buffer copy = slot(index, bytes);
        MemorySegment.copy(source, sourceOffset, copy.contents(), 0, bytes);
        return start(index, copy);
    }

    private Dispatch.BufferSlice start(int index, Gpu.Buffer buffer) {
        return place(index, buffer).set(buffer, 0);
    }

    private Dispatch.BufferSlice place(int index, Gpu.Buffer first) {
        while (places.size() <= index) {
            places.add(new Dispatch.BufferSlice(first));
        }
        return places.get(index);
    }

    /** Releases the engine's buffers; shared ones belong to their owners. */
    void close() throws MetalException {
        while (!slots.isEmpty()) {
            allocator.release(slots.removeLast());
        }
    }

    private Gpu.Buffer slot(int index, long bytes) throws MetalException {
        long room = Math.max(bytes, Math.min(bytesMax, Long.highestOneBit(2 * bytes - 1)));
        while (slots.size() <= index) {
            slots.add(allocator.allocate(room));
        }
        Gpu.Buffer present = slots.get(index);
        if (present.contents().byteSize() < bytes) {
            Gpu.Buffer larger = allocator.allocate(room);
            slots.set(index, larger);
            allocator.release(present);
            return larger;
        }
        return present;
    }
}
