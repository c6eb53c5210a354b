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
 * Native working memory of an engine: taken for a number, given back when nobody can ask for its result any more. It is the reducer's
 * own where that has some, so that a GPU reads contributions where the sockets' thread put them.
 */
public final class Buffers implements AutoCloseable {
    private static final int SPARE_MAX = 2;
    private static final int OWN_SPARE_MAX = 3; // of an input, a result and contributions
    private static final int SMALL_SPARE_MAX = 4;

    /** Up to there, spare memory is counted apart, so that a vote or a loss does not push out a gradient's, which is dear to clear. */
    private static final long SMALL_BYTES = 64 * 1024;

    private static final long ALIGNMENT_BYTES = 64;
    private static final long PAGE_BYTES = 16 * 1024; // of Apple's processors, a multiple of all others'

    /** No memory, of nobody. */
    public static final Buffer NONE = new Buffer(() -> {}, MemorySegment.NULL, MemorySegment.NULL, false);

    private final Source own;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Buffer> spare = new ArrayList<>(); // the last one given comes first
    private final AtomicLong heldBytes = new AtomicLong(); // those who take add, those who give subtract
    private final AtomicLong peakBytes = new AtomicLong(); // most of them; those who take set it, who asks resets it
    private boolean closed;

    /**
     * Memory with one owner.
     *
     * @param end gives back what was allocated
     * @param whole what was allocated
     * @param bytes the part that was asked for
     * @param isOwn whether it is the reducer's own
     */
    public record Buffer(Runnable end, MemorySegment whole, MemorySegment bytes, boolean isOwn) {
        /** The same object where it was cut so before. */
        private Buffer cut(long size) {
            return bytes.byteSize() == size ? this : new Buffer(end, whole, whole.asSlice(0, size), isOwn);
        }
    }

    /** As {@link io.hearth.accel.Reducer#allocate}. */
    public interface Source {
        Optional<EngineMemory> allocate(long bytes);
    }

    /** Of {@code own} memory where there is some. */
    public Buffers(Source own) {
        this.own = own;
    }

    /** Of plain memory. */
    public Buffers() {
        this(_ -> Optional.empty());
    }

    /** At least {@code bytes}, holding anything. */
    public Buffer take(long bytes) {
        if (bytes == 0) {
            return NONE;
        }
        Buffer found = spare(bytes, false);
        return found != null ? found : own(bytes).orElseGet(() -> plain(bytes));
    }

    /** The same of the reducer's own memory; empty if it gives none. */
    public Optional<Buffer> takeOwn(long bytes) {
        Buffer found = spare(bytes, true);
        return found != null ? Optional.of(found) : own(bytes);
    }

    private @Nullable Buffer spare(long bytes, boolean ownOnly) {
        lock.lock();
        try {
            for (int place = 0; place < spare.size(); place++) {
                Buffer candidate = spare.get(place);
                long size = candidate.whole().byteSize();
                if (size >= bytes && size / 2 <= bytes && (candidate.isOwn() || !ownOnly)) {
                    spare.remove(place);
                    return candidate.cut(bytes);
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private Optional<Buffer> own(long bytes) {
        return own.allocate(bytes).map(memory -> held(memory::close, memory.segment(), bytes, true));
    }

    private Buffer plain(long bytes) {
        Arena arena = Arena.ofShared();
        long alignment = bytes < PAGE_BYTES ? ALIGNMENT_BYTES : PAGE_BYTES;
        return held(arena::close, arena.allocate(Math.max(bytes, ALIGNMENT_BYTES), alignment), bytes, false);
    }

    private Buffer held(Runnable end, MemorySegment whole, long bytes, boolean isOwn) {
        long held = heldBytes.addAndGet(whole.byteSize());
        peakBytes.accumulateAndGet(held, Math::max);
        return new Buffer(end, whole, whole.asSlice(0, bytes), isOwn);
    }

    /** Most bytes that were allocated at once, spare ones included, since this was asked before. */
    public long takePeakBytes() {
        return peakBytes.getAndSet(heldBytes.get());
    }

    private void free(Buffer buffer) {
        heldBytes.addAndGet(-buffer.whole().byteSize());
        buffer.end().run();
    }

    /** Takes a buffer back; nobody may use it any more. */
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

    /** Removes the oldest spare buffer of the same class of size, if that class has too many. */
    private @Nullable Buffer tooMany(Buffer given) {
        boolean isSmall = isSmall(given);
        int most = isSmall ? SMALL_SPARE_MAX : given.isOwn() ? OWN_SPARE_MAX : SPARE_MAX;
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
