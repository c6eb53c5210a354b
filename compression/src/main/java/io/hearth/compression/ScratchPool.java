package io.hearth.compression;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/** Native memory for float32 values that are needed for a moment, by any thread; taken once for as many as need it at a time. */
final class ScratchPool {
    private final Deque<MemorySegment> idle = new ArrayDeque<>();

    /** Room for at least so many values, which hold anything; to be given back. */
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
