package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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
     * @throws NonFiniteException if gradient or sum is NaN or infinite; nothing is pending then and nothing owed is lost
     * @throws IllegalStateException if this key is pending already, or a new key is one too many
     */
    public Pending prepare(String key, MemorySegment gradient, long count, MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(gradient, count);
        Residual residual = residual(key, count);
        long bytes = residual.encode(codec, gradient, encoded);
        var pending = new PendingEncoding(residual, bytes);
        residual.pending = pending;
        return pending;
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
        if (residual == null) {
            return new float[0];
        }
        float[] owed = residual.excess.toArray(Float32.FLOAT);
        for (int i = 0; i < owed.length; i++) {
            owed[i] = 0f - owed[i];
        }
        return owed;
    }

    private Residual residual(String key, long count) {
        Residual known = residuals.get(key);
        if (known != null) {
            known.checkIdle(key);
            if (known.count == count) {
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

    private static final class PendingEncoding implements Pending {
        private final Residual residual;
        private final long encodedBytes;

        PendingEncoding(Residual residual, long encodedBytes) {
            this.residual = residual;
            this.encodedBytes = encodedBytes;
        }

        @Override
        public long encodedBytes() {
            return encodedBytes;
        }

        @Override
        public void commit() {
            residual.end(this);
            residual.swap();
        }

        @Override
        public void rollback() {
            residual.end(this);
        }
    }

    /** The memory of one tensor: the residual negated, because that is what {@link Codec#decodeAndAdd} leaves behind. */
    private static final class Residual {
        private final Arena arena = Arena.ofShared();
        private final long count;
        private MemorySegment excess;
        private MemorySegment next;
        private @Nullable PendingEncoding pending;

        Residual(long count) {
            this.count = count;
            excess = arena.allocate(Float32.FLOAT, count);
            next = arena.allocate(Float32.FLOAT, count);
        }

        long encode(Codec codec, MemorySegment gradient, MemorySegment encoded) throws NonFiniteException {
            subtract(gradient, excess, next, count);
            long bytes = codec.encode(next, count, encoded);
            negate(next, count);
            try {
                codec.decodeAndAdd(encoded.asSlice(0, bytes), next, count);
            } catch (MalformedMessageException bug) {
                throw new AssertionError(codec.name() + " cannot read what it wrote", bug);
            }
            return bytes;
        }

        void swap() {
            MemorySegment kept = next;
            next = excess;
            excess = kept;
        }

        void end(PendingEncoding ended) {
            if (pending != ended) {
                throw new IllegalStateException("this encoding was committed, rolled back or forgotten before");
            }
            pending = null;
        }

        void checkIdle(String key) {
            if (pending != null) {
                throw new IllegalStateException("tensor " + key + " is pending: commit or roll back first");
            }
        }

        void close() {
            pending = null;
            arena.close();
        }
    }

    private static void subtract(MemorySegment left, MemorySegment right, MemorySegment difference, long count) {
        float[] a = new float[Float32.BLOCK];
        float[] b = new float[Float32.BLOCK];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            Float32.load(left, done, a, n);
            Float32.load(right, done, b, n);
            for (int i = 0; i < n; i++) {
                a[i] -= b[i];
            }
            Float32.store(a, difference, done, n);
        }
    }

    private static void negate(MemorySegment values, long count) {
        float[] block = new float[Float32.BLOCK];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            Float32.load(values, done, block, n);
            for (int i = 0; i < n; i++) {
                block[i] = -block[i];
            }
            Float32.store(block, values, done, n);
        }
    }
}
