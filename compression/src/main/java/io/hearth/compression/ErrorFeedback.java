package io.hearth.compression;

import java.lang.foreign.MemorySegment;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Remembers what a lossy codec left out of each tensor and adds it to the next gradient (error feedback; Karimireddy et al.,
 * ICML 2019, algorithm 2): {@code e = g + residual}, send {@code encode(e)}, {@code residual' = e - decode(encode(e))}.
 *
 * <p>In two phases, because a collective may be given up and run again from intact inputs: {@link #prepare} encodes and leaves
 * the memory as it was; only {@link Pending#commit} keeps the new residual.
 *
 * <p>Off-heap memory of twice the size of each tensor, until {@link #close}. One thread at a time.
 */
public final class ErrorFeedback implements AutoCloseable {
    private final Codec codec;
    private final int tensorsMax;
    private final SortedMap<String, Residual> residuals = new TreeMap<>();

    /**
     * An empty memory.
     *
     * @param tensorsMax most keys that may be in use; at least 1
     */
    public ErrorFeedback(Codec codec, int tensorsMax) {
        if (tensorsMax < 1) {
            throw new IllegalArgumentException("need tensorsMax >= 1, got " + tensorsMax);
        }
        this.codec = codec;
        this.tensorsMax = tensorsMax;
    }

    /** An encoding that was made but is not yet known to have been summed. End it with one of the two calls. */
    public interface Pending {
        /** Size of the encoding. */
        long encodedBytes();

        /** It was summed: what it left out is now owed. */
        void commit();

        /** It was given up: the memory is as before {@link ErrorFeedback#prepare}. */
        void rollback();
    }

    /**
     * Encodes the gradient plus what this tensor is owed.
     *
     * @param key names the tensor; a first use, or one with another {@code count}, starts with nothing owed
     * @param gradient native memory, float32, at least {@code count}; borrowed, unchanged
     * @param encoded native memory of at least the codec's {@code encodedBytesMax(count)}; written
     * @throws NonFiniteException if gradient or sum is NaN or infinite; nothing is pending then and nothing owed to this size
     *     is lost
     * @throws IllegalStateException if this key is pending already, or a new key is one too many
     */
    public Pending prepare(String key, MemorySegment gradient, long count, MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(gradient, count);
        Residual residual = residual(key, count);
        return residual.encode(codec, gradient, encoded);
    }

    /** Forgets what is owed to {@code key}, if anything; a pending encoding of it must be ended first. */
    public void forget(String key) {
        Residual residual = residuals.get(key);
        if (residual != null) {
            residual.checkIdle(key);
            residuals.remove(key);
            residual.close();
        }
    }

    /** Forgets all and frees the memory. */
    @Override
    public void close() {
        residuals.values().forEach(Residual::close);
        residuals.clear();
    }

    /** What {@code key} is owed, for tests. */
    float[] owed(String key) {
        Residual residual = residuals.get(key);
        return residual == null ? new float[0] : residual.owed();
    }

    private Residual residual(String key, long count) {
        Residual known = residuals.get(key);
        if (known != null) {
            known.checkIdle(key);
            if (known.count() == count) {
                return known;
            }
            forget(key);
        } else if (residuals.size() == tensorsMax) {
            throw new IllegalStateException("error feedback for more than " + tensorsMax
                    + " tensors: use the same keys in every step, or allow more");
        }
        var fresh = new Residual(count);
        residuals.put(key, fresh);
        return fresh;
    }
}
