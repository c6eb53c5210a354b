package io.hearth.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** Native working memory of an engine: taken for a number, given back when nobody can ask for its result any more. */
final class Buffers implements AutoCloseable {
    private static final int SPARE_MAX = 2;
    private static final long ALIGNMENT_BYTES = 64;

    /** No memory, of nobody. */
    static final Buffer NONE = new Buffer(Arena.global(), MemorySegment.NULL, MemorySegment.NULL);

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Buffer> spare = new ArrayDeque<>();
    private final AtomicLong heldBytes = new AtomicLong(); // those who take add, those who give subtract
    private final AtomicLong peakBytes = new AtomicLong(); // most of them; those who take set it, who asks resets it
    private boolean closed;

    /**
     * Memory with one owner.
     *
     * @param whole what was allocated
     * @param bytes the part that was asked for
     */
    record Buffer(Arena arena, MemorySegment whole, MemorySegment bytes) {}

    /** At least {@code bytes}, holding anything. */
    Buffer take(long bytes) {
        if (bytes == 0) {
            return NONE;
        }
        lock.lock();
        try {
            for (Buffer candidate : spare) {
                long size = candidate.whole().byteSize();
                if (size >= bytes && size / 2 <= bytes) {
                    spare.remove(candidate);
                    return new Buffer(
                            candidate.arena(),
                            candidate.whole(),
                            candidate.whole().asSlice(0, bytes));
                }
            }
        } finally {
            lock.unlock();
        }
        Arena arena = Arena.ofShared();
        MemorySegment whole = arena.allocate(Math.max(bytes, ALIGNMENT_BYTES), ALIGNMENT_BYTES);
        long held = heldBytes.addAndGet(whole.byteSize());
        peakBytes.accumulateAndGet(held, Math::max);
        return new Buffer(arena, whole, whole.asSlice(0, bytes));
    }

    /** Most bytes that were allocated at once, spare ones included, since this was asked before. */
    long takePeakBytes() {
        return peakBytes.getAndSet(heldBytes.get());
    }

    private void free(Buffer buffer) {
        heldBytes.addAndGet(-buffer.whole().byteSize());
        buffer.arena().close();
    }

    /** Takes a buffer back; nobody may use it any more. */
    void give(Buffer buffer) {
        if (buffer.equals(NONE)) {
            return;
        }
        Buffer tooMany = buffer;
        lock.lock();
        try {
            if (!closed) {
                spare.addFirst(buffer);
                tooMany = spare.size() > SPARE_MAX ? spare.removeLast() : null;
            }
        } finally {
            lock.unlock();
        }
        if (tooMany != null) {
            free(tooMany);
        }
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
