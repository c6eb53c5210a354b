package io.hearth.accel.metal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory that CPU, sockets and GPU share: inputs in it are read by the GPU where they are, without a copy. Results are not written
 * there: a GPU that was given up and comes back late could overwrite what the CPU put there since.
 *
 * <p>Owned by whoever allocated it; any thread may use and close it.
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

    /** Native memory of the size asked for, zero at first; gone after {@link #close}. */
    public MemorySegment segment() {
        return segment;
    }

    Gpu.Buffer buffer() {
        return buffer;
    }

    /** No access to the segment from here on; false if that was so already. */
    boolean end() {
        if (!arena.scope().isAlive()) {
            return false;
        }
        arena.close();
        return true;
    }

    /**
     * Ends all access and gives the memory back, once the call that runs on the GPU has ended. After a GPU that did not answer it
     * is kept for ever instead, since the GPU may still use it.
     *
     * @throws IllegalStateException if another thread is inside an access, such as a socket's write; try again afterwards
     */
    @Override
    public void close() {
        engine.free(this);
    }
}
