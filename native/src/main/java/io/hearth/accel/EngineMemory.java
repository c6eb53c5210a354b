package io.hearth.accel;

import java.lang.foreign.MemorySegment;

/**
 * Memory that a reducer gave because its engine reads it where it is; sockets and processors use it as any other. Owned by whoever
 * asked for it; any thread may use and close it.
 *
 * @param segment native, of at least the size asked for; gone after {@link #close}
 * @param end gives it back
 */
public record EngineMemory(MemorySegment segment, Runnable end) implements AutoCloseable {
    /**
     * Ends all access, and gives the memory back unless an engine that did not answer may still be at work on it.
     *
     * @throws IllegalStateException if another thread is inside an access; try again afterwards
     */
    @Override
    public void close() {
        end.run();
    }
}
