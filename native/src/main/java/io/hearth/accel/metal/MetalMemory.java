package io.hearth.accel.metal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory that CPU, sockets and GPU share: the GPU reads inputs in place, without a copy. It writes no results there: a GPU that answers
 * after its timeout could overwrite what the CPU wrote meanwhile.
 *
 * <p>The caller that allocated it owns it; any thread may use and close it.
 */
public final class MetalMemory implements AutoCloseable {
    private final MetalEngine engine;
    private final Gpu.Buffer buffer;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;

    @SuppressWarnings("restricted")
    MetalMemory(MetalEngine engine, Gpu.Buffer buffer) {
        this.engine = engine;
        this.buffer = buffer;
        segment = buffer.contents().reinterpret(arena, null);
    }

    /** Native memory of the size asked for, zero at first; not accessible after {@link #close}. */
    public MemorySegment segment() {
        return segment;
    }

    Gpu.Buffer buffer() {
        return buffer;
    }

    /** Ends all access to the segment; false if it had ended before. */
    boolean end() {
        if (!arena.scope().isAlive()) {
            return false;
        }
        arena.close();
        return true;
    }

    /**
     * Ends all access and releases the memory once the call that runs on the GPU has ended. After a GPU that did not answer it is never
     * released, since the GPU may still use it.
     *
     * @throws IllegalStateException if another thread is inside an access, such as a socket's write; try again afterwards
     */
    @Override
    public void close() {
        engine.free(this);
    }
}
