package io.hearth.compression;

import io.hearth.compression.ErrorFeedback.Pending;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What one tensor is owed, and what it will be owed if the encoding that is pending is committed. Both are held negated,
 * because that is what {@link Codec#decodeAndAdd} onto the negated input leaves behind.
 */
final class Residual {
    private final Arena arena = Arena.ofShared();
    private final long count;
    private MemorySegment excess;
    private MemorySegment next;
    private @Nullable Encoding pending;

    /** Nothing owed to {@code count} values. */
    Residual(long count) {
        this.count = count;
        excess = arena.allocate(Float32.FLOAT, count);
        next = arena.allocate(Float32.FLOAT, count);
    }

    long count() {
        return count;
    }

    Pending encode(Codec codec, MemorySegment gradient, MemorySegment encoded) throws NonFiniteException {
        addOwed(gradient);
        long bytes = codec.encode(next, count, encoded);
        negateNext();
        try {
            codec.decodeAndAdd(encoded.asSlice(0, bytes), next, count);
        } catch (MalformedMessageException bug) {
            throw new AssertionError(codec.name() + " cannot read what it wrote", bug);
        }
        pending = new Encoding(bytes);
        return pending;
    }

    void checkIdle(String key) {
        if (pending != null) {
            throw new IllegalStateException("tensor " + key + " is pending: commit or roll back first");
        }
    }

    /** A copy. */
    float[] owed() {
        float[] owed = excess.toArray(Float32.FLOAT);
        for (int i = 0; i < owed.length; i++) {
            owed[i] = 0f - owed[i];
        }
        return owed;
    }

    void close() {
        pending = null;
        arena.close();
    }

    private void addOwed(MemorySegment gradient) {
        float[] sum = new float[Float32.BLOCK];
        float[] negated = new float[Float32.BLOCK];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            Float32.load(gradient, done, sum, n);
            Float32.load(excess, done, negated, n);
            for (int i = 0; i < n; i++) {
                sum[i] -= negated[i];
            }
            Float32.store(sum, next, done, n);
        }
    }

    private void negateNext() {
        float[] block = new float[Float32.BLOCK];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            Float32.load(next, done, block, n);
            for (int i = 0; i < n; i++) {
                block[i] = -block[i];
            }
            Float32.store(block, next, done, n);
        }
    }

    private final class Encoding implements Pending {
        private final long encodedBytes;

        Encoding(long encodedBytes) {
            this.encodedBytes = encodedBytes;
        }

        @Override
        public long encodedBytes() {
            return encodedBytes;
        }

        @Override
        public void commit() {
            end();
            MemorySegment kept = next;
            next = excess;
            excess = kept;
        }

        @Override
        public void rollback() {
            end();
        }

        private void end() {
            if (pending != this) {
                throw new IllegalStateException("this encoding was committed, rolled back or forgotten before");
            }
            pending = null;
        }
    }
}
