package io.hearth.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

/** Native working memory of an engine: taken for a number, given back when nobody can ask for its result any more. */
final class Buffers implements AutoCloseable {
    private static final int SPARE_MAX = 2;
    private static final long ALIGNMENT_BYTES = 64;

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Buffer> spare = new ArrayDeque<>();
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
        return new Buffer(arena, whole, whole.asSlice(0, bytes));
    }

    /** Takes a buffer back; nobody may use it any more. */
    void give(Buffer buffer) {
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
            tooMany.arena().close();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            spare.forEach(buffer -> buffer.arena().close());
            spare.clear();
        } finally {
            lock.unlock();
        }
    }
}
