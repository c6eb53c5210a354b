package io.hearth.bench;

import io.hearth.compression.Codec;
import io.hearth.compression.DgcMemory;
import io.hearth.compression.ErrorFeedback;
import io.hearth.compression.GradientMemory;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.Reach;
import java.lang.foreign.MemorySegment;

/** How one node turns its gradients into bytes, with or without a memory of what it left out. */
sealed interface NodeEncoder extends AutoCloseable {
    /** Most bytes of {@code count} values. */
    long bytesMax(long count);

    /**
     * Encodes a gradient, or a part of one.
     *
     * @param key names it; the same in every step
     * @param values native memory, float32, {@code count} of them; borrowed
     * @param encoded native memory of {@link #bytesMax} bytes; written
     * @return bytes written
     */
    long encode(String key, MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException;

    /** At least the largest magnitude of the gradient and what is owed to it, together; arguments as in {@link #encode}. */
    float reach(String key, MemorySegment values, long count);

    /** Adds all that is owed to the gradient, which goes as it is this time; arguments as in {@link #encode}, {@code values} written. */
    void addOwed(String key, MemorySegment values, long count);

    @Override
    void close();

    /** With a memory, which it owns. */
    record Remembering(GradientMemory memory) implements NodeEncoder {
        @Override
        public long bytesMax(long count) {
            return memory.encodedBytesMax(count);
        }

        /** Committed at once, because nothing can come between here. */
        @Override
        public long encode(String key, MemorySegment values, long count, MemorySegment encoded)
                throws NonFiniteException {
            Pending pending = memory.prepare(key, values, count, encoded);
            pending.commit();
            return pending.encodedBytes();
        }

        @Override
        public float reach(String key, MemorySegment values, long count) {
            return feedback().reach(key, values, count);
        }

        @Override
        public void addOwed(String key, MemorySegment values, long count) {
            feedback().prepareDense(key, values, count, values).commit();
        }

        private ErrorFeedback feedback() {
            return switch (memory) {
                case ErrorFeedback feedback -> feedback;
                case DgcMemory _ -> throw new IllegalStateException("what gathers momentum never goes as it is");
            };
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    /** Without one: what was left out is lost. Codecs that draw do so anew in each call. */
    final class Forgetting implements NodeEncoder {
        private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

        private final Codec codec;
        private long calls;

        Forgetting(Codec codec) {
            this.codec = codec;
        }

        @Override
        public long bytesMax(long count) {
            return codec.encodedBytesMax(count);
        }

        @Override
        public long encode(String key, MemorySegment values, long count, MemorySegment encoded)
                throws NonFiniteException {
            return codec.encode(values, count, ++calls * GOLDEN, encoded);
        }

        @Override
        public float reach(String key, MemorySegment values, long count) {
            return Reach.of(values, count);
        }

        @Override
        public void addOwed(String key, MemorySegment values, long count) {}

        @Override
        public void close() {}
    }
}
