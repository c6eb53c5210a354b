package io.hearth.accel;

import java.lang.foreign.MemorySegment;

/**
 * Memory from a reducer whose engine reads it in place; sockets and processors use it as any other. Its caller owns it; any thread may
 * use and close it.
 *
 * @param segment native, of at least the size asked for; not accessible after {@link #close}
 * @param end returns the memory to the engine
 */
public record EngineMemory(MemorySegment segment, Runnable end) implements AutoCloseable {
    /**
     * Ends all access, and returns the memory to the engine, unless a GPU that did not answer may still use it.
     *
     * @throws IllegalStateException if another thread is inside an access; try again afterwards
     */
    @Override
    public void close() {
        end.run();
    }
}
