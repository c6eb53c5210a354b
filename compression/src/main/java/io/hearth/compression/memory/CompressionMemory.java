package io.hearth.compression.memory;

import io.hearth.compression.format.Float32;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * The residuals (and momentum or factors) that a member keeps of its tensors, by name. Off-heap memory until {@link #close}. One thread at
 * a time.
 */
public abstract sealed class CompressionMemory implements AutoCloseable
        permits GradientMemory, RandomKMemory, PowerSgdMemory {
    private final byte kind; // written by save()
    private final Tensors tensors;

    CompressionMemory(byte kind, int tensorsMax, boolean isNarrow) {
        this.kind = kind;
        tensors = new Tensors(tensorsMax, isNarrow);
    }

    final Tensors tensors() {
        return tensors;
    }

    /** All values that are kept for {@code key}, for tests. */
    final float[] remembered(String key) {
        TensorMemory tensor = tensors.known(key);
        if (tensor == null) {
            return new float[0];
        }
        MemorySegment values = MemorySegment.ofArray(new float[(int) tensor.floats()]);
        tensor.load(tensor.now(), 0, values, tensor.floats());
        return values.toArray(Float32.FLOAT);
    }

    /**
     * Checks, before anything is encoded, that there is room for a tensor of that name.
     *
     * @throws IllegalStateException if {@code key} is new and the memory is full
     */
    public final void requireRoom(String key) {
        tensors.requireRoom(key);
    }

    /** Drops the residual of {@code key}, if any; a pending encoding of it must be ended first. */
    public final void forget(String key) {
        tensors.forget(key);
    }

    /** Size of what {@link #save} writes now. */
    public final long savedBytes() {
        return TensorFile.bytes(tensors.allIdle());
    }

    /**
     * Writes the whole memory, so that it can travel with the trained state.
     *
     * @param saved native memory of {@link #savedBytes} bytes; written
     * @throws IllegalStateException if an encoding or a round is pending
     */
    public final void save(MemorySegment saved) {
        TensorFile.write(kind, tensors.allIdle(), saved);
    }

    /**
     * Replaces the whole memory by the one that {@link #save} wrote.
     *
     * @param saved exactly the bytes of one call of {@link #save}, heap or native, from anywhere; borrowed
     * @throws MalformedMessageException if they are cut, damaged, of another kind of memory or version, or hold more tensors than allowed
     *     here; nothing was changed then
     * @throws IllegalStateException if an encoding or a round is pending
     */
    public final void restore(MemorySegment saved) throws MalformedMessageException {
        tensors.allIdle();
        tensors.replace(TensorFile.read(kind, tensors.tensorsMax(), tensors.isNarrow(), saved));
    }

    /** Drops everything and frees the memory. */
    @Override
    public final void close() {
        tensors.close();
    }
}
