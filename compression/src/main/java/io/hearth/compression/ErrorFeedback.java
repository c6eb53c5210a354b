package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * Remembers what a lossy codec left out of each tensor and adds it to the next gradient (error feedback; Karimireddy et al.,
 * ICML 2019, algorithm 2): {@code e = g + residual}, send {@code encode(e)}, {@code residual' = e - decode(encode(e))}.
 *
 * <p>Codecs that draw get a seed of name and step, so a step that is repeated draws the same, and so do members whose memories
 * have the same seed and took the same steps.
 *
 * <p>Off-heap memory of twice the size of each tensor.
 */
public final class ErrorFeedback implements GradientMemory {
    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

    private final Codec codec;
    private final long seed;
    private final Tensors tensors;

    /**
     * An empty memory, seed 0.
     *
     * @param tensorsMax most keys that may be in use; at least 1
     */
    public ErrorFeedback(Codec codec, int tensorsMax) {
        this(codec, tensorsMax, 0);
    }

    /**
     * An empty memory.
     *
     * @param tensorsMax most keys that may be in use; at least 1
     * @param seed for codecs that draw: another one on each rank makes their rounding errors independent, the same one on all
     *     makes {@code randomk} keep the same indices
     */
    public ErrorFeedback(Codec codec, int tensorsMax, long seed) {
        this.codec = codec;
        this.seed = seed;
        tensors = new Tensors(tensorsMax);
    }

    /** An encoding that was made but is not yet known to have been summed. End it with one of the two calls. */
    public interface Pending {
        /** Size of the encoding. */
        long encodedBytes();

        /** It was summed: what it left out is now owed. */
        void commit();

        /** It was given up: the memory is as before {@link GradientMemory#prepare}. */
        void rollback();
    }

    @Override
    public long encodedBytesMax(long count) {
        return codec.encodedBytesMax(count);
    }

    @Override
    public Pending prepare(String key, MemorySegment gradient, long count, MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(gradient, count);
        Remembered tensor = tensors.idle(key, count, 0);
        long draws = seed + (tensor.steps() + 1) * GOLDEN + ((long) key.hashCode() << Integer.SIZE);
        return tensor.pend(codec.encodeOwing(gradient, tensor.now(), tensor.next(), count, draws, encoded), 0);
    }

    @Override
    public void forget(String key) {
        tensors.forget(key);
    }

    @Override
    public long savedBytes() {
        return TensorFile.bytes(tensors.allIdle());
    }

    @Override
    public void save(MemorySegment saved) {
        TensorFile.write(TensorFile.ERROR_FEEDBACK, tensors.allIdle(), saved);
    }

    @Override
    public void restore(MemorySegment saved) throws MalformedMessageException {
        tensors.allIdle();
        tensors.replace(TensorFile.read(TensorFile.ERROR_FEEDBACK, tensors.tensorsMax(), saved));
    }

    @Override
    public void close() {
        tensors.close();
    }

    /** What {@code key} is owed, for tests. */
    float[] owed(String key) {
        Remembered tensor = tensors.known(key);
        return tensor == null ? new float[0] : tensor.now().toArray(Float32.FLOAT);
    }
}
