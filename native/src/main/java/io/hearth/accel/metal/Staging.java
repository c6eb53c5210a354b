package io.hearth.accel.metal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the GPU finds the operands of one piece: in place if they lie in memory of Metal's own, else in a copy. Results always
 * come in a buffer of the engine's own: a GPU that wakes up after it was given up cannot write into anybody's data.
 *
 * <p>Used by one thread at a time.
 */
final class Staging {
    private final Allocator allocator;
    private final int bytesMax;
    private final List<Gpu.Buffer> slots = new ArrayList<>();
    private final List<Dispatch.Place> places = new ArrayList<>(); // by index, set anew by each call
    private final List<Gpu.Buffer> shared = new ArrayList<>(); // few, since each is large

    private volatile long bytesCopied; // written by whoever has the turn, read by anyone

    /** Makes and releases buffers, on whatever thread that needs. */
    interface Allocator {
        Gpu.Buffer allocate(long bytes) throws MetalException;

        void release(Gpu.Buffer buffer) throws MetalException;
    }

    /** Slots grow by doubling up to {@code bytesMax}, and beyond only to what a result needs. */
    Staging(Allocator allocator, int bytesMax) {
        this.allocator = allocator;
        this.bytesMax = bytesMax;
    }

    /** From now on operands within this buffer are used in place. */
    void share(Gpu.Buffer buffer) {
        shared.add(buffer);
    }

    void unshare(Gpu.Buffer buffer) {
        shared.remove(buffer);
    }

    /** Bytes of operands that had to be copied so far. */
    long bytesCopied() {
        return bytesCopied;
    }

    /**
     * At least so many bytes, for results of a piece.
     *
     * @param index of all results and operands of the piece, from 0 on
     * @return valid until the next call for the same index
     */
    Dispatch.Place result(int index, long bytes) throws MetalException {
        return start(index, slot(index, bytes));
    }

    /** As {@link #result}, the first {@code bytes} of it zero; what the slot has beyond stays as it is. */
    Dispatch.Place clearedResult(int index, long bytes) throws MetalException {
        Dispatch.Place result = result(index, bytes);
        result.buffer().contents().asSlice(0, bytes).fill((byte) 0);
        return result;
    }

    /** {@code bytes} of an operand from {@code sourceOffset} on where the GPU can read them; the rest as for {@link #result}. */
    Dispatch.Place operand(int index, MemorySegment source, long sourceOffset, long bytes) throws MetalException {
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
        return copied(index, copy, bytes);
    }

    /** The same of an array. */
    Dispatch.Place operand(int index, byte[] source, int sourceOffset, int bytes) throws MetalException {
        Gpu.Buffer copy = slot(index, bytes);
        MemorySegment.copy(source, sourceOffset, copy.contents(), ValueLayout.JAVA_BYTE, 0, bytes);
        return copied(index, copy, bytes);
    }

    private Dispatch.Place copied(int index, Gpu.Buffer copy, long bytes) {
        long before = bytesCopied;
        bytesCopied = before + bytes;
        return start(index, copy);
    }

    private Dispatch.Place start(int index, Gpu.Buffer buffer) {
        return place(index, buffer).set(buffer, 0);
    }

    private Dispatch.Place place(int index, Gpu.Buffer first) {
        while (places.size() <= index) {
            places.add(new Dispatch.Place(first));
        }
        return places.get(index);
    }

    /** Releases the engine's own buffers; shared ones stay with their owners. */
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
