package io.hearth.accel.metal;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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

    /** By address of the first byte. */
    private final TreeMap<Long, Gpu.Buffer> shared = new TreeMap<>();

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
        shared.put(buffer.contents().address(), buffer);
    }

    void unshare(Gpu.Buffer buffer) {
        shared.remove(buffer.contents().address());
    }

    /** Bytes of operands that had to be copied so far. */
    long bytesCopied() {
        return bytesCopied;
    }

    /** At least so many bytes, for results of a piece; {@code index} of all results and operands of the piece, from 0 on. */
    Gpu.Buffer result(int index, long bytes) throws MetalException {
        return slot(index, bytes);
    }

    /** As {@link #result}, the first {@code bytes} of it zero; what the slot has beyond stays as it is. */
    Gpu.Buffer clearedResult(int index, long bytes) throws MetalException {
        Gpu.Buffer result = result(index, bytes);
        result.contents().asSlice(0, bytes).fill((byte) 0);
        return result;
    }

    /** The first {@code bytes} of an operand where the GPU can read them; {@code index} as for {@link #result}. */
    Dispatch.Place operand(int index, MemorySegment source, long bytes) throws MetalException {
        if (source.isNative()) {
            Map.Entry<Long, Gpu.Buffer> near = shared.floorEntry(source.address());
            if (near != null) {
                long offset = source.address() - near.getKey();
                boolean within = offset + bytes <= near.getValue().contents().byteSize();
                if (within && offset % 4 == 0) {
                    return new Dispatch.Place(near.getValue(), offset);
                }
            }
        }
        Gpu.Buffer copy = slot(index, bytes);
        MemorySegment.copy(source, 0, copy.contents(), 0, bytes);
        long before = bytesCopied;
        bytesCopied = before + bytes;
        return new Dispatch.Place(copy, 0);
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
