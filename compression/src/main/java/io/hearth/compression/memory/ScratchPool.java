package io.hearth.compression.memory;

import io.hearth.compression.format.Float32;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/** A pool of native scratch memory for float32 values. Any thread may take from it; it grows to the largest number in use at a time. */
final class ScratchPool {
    private final Deque<MemorySegment> idle = new ArrayDeque<>();

    /** Memory for at least {@code values} values, of any content; the caller gives it back. */
    synchronized MemorySegment take(long values) {
        MemorySegment spare = idle.poll();
        return spare == null || spare.byteSize() < values * Float.BYTES
                ? Arena.ofAuto().allocate(Float32.FLOAT, values)
                : spare;
    }

    synchronized void give(MemorySegment spare) {
        idle.push(spare);
    }
}
