package io.hearth.collective.exchange;

import io.hearth.accel.EngineMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Pool of an engine's native working memory. A buffer is taken for a number, and given back when no member can request its result any more.
 * Buffers are in the reducer's own memory if it has some, so that a GPU reads and writes them in place.
 */
public final class Buffers implements AutoCloseable {
    private static final int SPARE_MAX = 2;
    private static final int SMALL_SPARE_MAX = 4;

    /**
     * Spare buffers up to this size are counted separately. So a vote or a loss does not evict the buffer of a gradient, which is expensive
     * to clear.
     */
    private static final long SMALL_BYTES = 64 * 1024;

    /**
     * Larger buffers that are taken while a spare one of them lies idle, before that one is freed: what the beginning of a training needs,
     * such as all weights at once, is often many times what a step needs.
     */
    private static final int IDLE_TAKES_MAX = 64;

    private static final long ALIGNMENT_BYTES = 64;
    private static final long PAGE_BYTES = 16 * 1024; // page size of Apple's processors, a multiple of the others

    /** The empty buffer, which has no owner. */
    public static final Buffer NONE = new Buffer(() -> {}, MemorySegment.NULL, MemorySegment.NULL);

    private final Source own;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Buffer> spare = new ArrayList<>(); // the last one given back comes first
    private final AtomicLong heldBytes = new AtomicLong(); // takers add, givers subtract
    private final AtomicLong peakBytes =
            new AtomicLong(); // maximum of heldBytes; takers set it, takePeakBytes resets it
    private long idleAddress; // of the oldest larger spare buffer; 0 for none
    private int idleTakes; // larger buffers that were taken since it is the oldest
    private boolean closed;

    /**
     * Memory with one owner.
     *
     * @param end frees the allocation
     * @param whole the whole allocation
     * @param bytes the requested part
     */
    public record Buffer(Runnable end, MemorySegment whole, MemorySegment bytes) {
        /** A buffer with {@code size} requested bytes; the same object if it has this size already. */
        private Buffer cut(long size) {
            return bytes.byteSize() == size ? this : new Buffer(end, whole, whole.asSlice(0, size));
        }
    }

    /** As {@link io.hearth.accel.Reducer#allocate}. */
    public interface Source {
        Optional<EngineMemory> allocate(long bytes);
    }

    /** A pool that uses the reducer's {@code own} memory if there is some. */
    public Buffers(Source own) {
        this.own = own;
    }

    /** A pool of plain memory. */
    public Buffers() {
        this(_ -> Optional.empty());
    }

    /** A buffer of {@code bytes} with undefined content. */
    public Buffer take(long bytes) {
        if (bytes == 0) {
            return NONE;
        }
        Buffer found = spare(bytes);
        return found != null ? found : own(bytes).orElseGet(() -> plain(bytes));
    }

    private @Nullable Buffer spare(long bytes) {
        Buffer found = null;
        Buffer idle = null;
        lock.lock();
        try {
            for (int place = 0; place < spare.size() && found == null; place++) {
                Buffer candidate = spare.get(place);
                long size = candidate.whole().byteSize();
                if (size >= bytes && size / 2 <= bytes) {
                    spare.remove(place);
                    found = candidate.cut(bytes);
                    if (candidate.whole().address() == idleAddress) {
                        idleAddress = 0; // it was of use
                    }
                }
            }
            if (bytes > SMALL_BYTES) {
                idle = idle();
            }
        } finally {
            lock.unlock();
        }
        if (idle != null) {
            free(idle);
        }
        return found;
    }

    /** Removes the oldest of the larger spare buffers, if it was of no use for long. */
    private @Nullable Buffer idle() {
        int last = spare.size() - 1;
        while (last >= 0 && isSmall(spare.get(last))) {
            last--;
        }
        if (last < 0) {
            return null;
        }
        long address = spare.get(last).whole().address();
        idleTakes = address == idleAddress ? idleTakes + 1 : 1;
        idleAddress = address;
        if (idleTakes <= IDLE_TAKES_MAX) {
            return null;
        }
        idleAddress = 0; // a later buffer may lie there
        return spare.remove(last);
    }

    private Optional<Buffer> own(long bytes) {
        return own.allocate(bytes).map(memory -> held(memory::close, memory.segment(), bytes));
    }

    private Buffer plain(long bytes) {
        Arena arena = Arena.ofShared();
        long alignment = bytes < PAGE_BYTES ? ALIGNMENT_BYTES : PAGE_BYTES;
        return held(arena::close, arena.allocate(Math.max(bytes, ALIGNMENT_BYTES), alignment), bytes);
    }

    private Buffer held(Runnable end, MemorySegment whole, long bytes) {
        long held = heldBytes.addAndGet(whole.byteSize());
        peakBytes.accumulateAndGet(held, Math::max);
        return new Buffer(end, whole, whole.asSlice(0, bytes));
    }

    /** Most bytes that were allocated at once, spare ones included, since the last call of this method. */
    public long takePeakBytes() {
        return peakBytes.getAndSet(heldBytes.get());
    }

    private void free(Buffer buffer) {
        heldBytes.addAndGet(-buffer.whole().byteSize());
        buffer.end().run();
    }

    /** Takes a buffer back; its former owner must not use it any more. */
    public void give(Buffer buffer) {
        if (buffer.equals(NONE)) {
            return;
        }
        Buffer tooMany = buffer;
        lock.lock();
        try {
            if (!closed) {
                spare.addFirst(buffer);
                tooMany = tooMany(buffer);
            }
        } finally {
            lock.unlock();
        }
        if (tooMany != null) {
            free(tooMany);
        }
    }

    /** Removes the oldest spare buffer of the same size class, if that class has too many. */
    private @Nullable Buffer tooMany(Buffer given) {
        boolean isSmall = isSmall(given);
        int most = isSmall ? SMALL_SPARE_MAX : SPARE_MAX;
        int last = 0;
        for (int place = 0; place < spare.size(); place++) {
            if (isSmall(spare.get(place)) == isSmall) {
                most--;
                last = place;
            }
        }
        return most < 0 ? spare.remove(last) : null;
    }

    private static boolean isSmall(Buffer buffer) {
        return buffer.whole().byteSize() <= SMALL_BYTES;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            spare.forEach(this::free);
            spare.clear();
        } finally {
            lock.unlock();
        }
    }
}
