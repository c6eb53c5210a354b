package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/** What a member remembers of its tensors, by their names. Off-heap memory until {@link #close}. One thread at a time. */
public sealed interface CompressionMemory extends AutoCloseable permits GradientMemory, RandomKMemory, PowerSgdMemory {
    /**
     * Says before anything is encoded whether a tensor of that name can be remembered.
     *
     * @throws IllegalStateException if {@code key} is new and one too many
     */
    void demandRoom(String key);

    /** Forgets what is owed to {@code key}, if anything; what is pending of it must be ended first. */
    void forget(String key);

    /** Size of what {@link #save} writes now. */
    long savedBytes();

    /**
     * Writes all that is remembered, so that it can travel with the trained state.
     *
     * @param saved native memory of {@link #savedBytes} bytes; written
     * @throws IllegalStateException if an encoding or a round is pending
     */
    void save(MemorySegment saved);

    /**
     * Remembers what {@link #save} wrote and forgets all else.
     *
     * @param saved exactly the bytes of one call of {@link #save}, heap or native, from anywhere; borrowed
     * @throws MalformedMessageException if they are cut, damaged, of another kind of memory or version, or hold more tensors than
     *     allowed here; nothing was changed then
     * @throws IllegalStateException if an encoding or a round is pending
     */
    void restore(MemorySegment saved) throws MalformedMessageException;

    /** Forgets all and frees the memory. */
    @Override
    void close();
}
