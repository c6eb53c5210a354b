package io.hearth.collective.sum.compressed;

import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.Workers;
import io.hearth.compression.block.PassDenseCodec;
import io.hearth.compression.memory.DgcMemory;
import io.hearth.compression.memory.ErrorFeedback;
import io.hearth.compression.sparse.ChunkedTopKCodec;
import io.hearth.compression.sparse.GradualEncoding;
import io.hearth.compression.sparse.SparseSum;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Encodes and decodes whole tensors. */
public sealed interface Encodings {
    /** Name for logs and messages. */
    String name();

    /** Most bytes of an encoding of {@code count} values, plain ones included where {@link #passesPlain}. */
    long bytesMax(long count);

    /** Bytes of memory that {@link #encode} needs; it may use fewer. At most {@link #bytesMax}. */
    long roomBytes(long count);

    /** Whether {@link SparseSum} can check, read and add the encodings. */
    boolean isSparse();

    /** Whether every encoding of {@code count} values has exactly {@link #bytesMax} bytes, so that ranks need not exchange lengths. */
    boolean isFixedRate();

    /** Throws IllegalStateException if the memory has no room for another tensor name. */
    void requireRoom(String key);

    /**
     * Encodes this rank's values.
     *
     * @param key name of the tensor in the memory
     * @param count of {@code values}
     * @param draw seed for codecs that use randomness
     * @param contributors number of members in the sum
     * @param encoded memory of {@link #roomBytes} bytes; written
     * @throws NonFiniteException if a value cannot be carried; with {@link #passesPlain} the caller then sends plain values
     */
    Encoded encode(String key, MemorySegment values, long count, long draw, int contributors, MemorySegment encoded)
            throws NonFiniteException;

    /**
     * Begins an encoding as {@link #encode} makes it, but step by step.
     *
     * @param workers threads that encode
     * @param key as in {@link #encode}
     * @param count as in {@link #encode}
     * @param encoded as in {@link #encode}
     * @return empty if this codec encodes tensors only as a whole
     */
    Optional<GradualEncoding> begin(
            Workers workers, String key, MemorySegment values, long count, MemorySegment encoded);

    /** Whether encodings carry NaN and infinity. */
    boolean carriesNonFinite();

    /**
     * Whether decoding also accepts an encoding of {@link io.hearth.compression.block.NoneCodec}, which a rank sends when the codec
     * cannot carry one of its values.
     */
    boolean passesPlain();

    /**
     * Writes this rank's values plus their residuals to {@code plain}, not encoded.
     *
     * @param plain memory for {@code count} values; written
     * @return the memory's update, to be committed once the sum is done
     */
    Optional<Pending> takePlain(String key, MemorySegment values, long count, MemorySegment plain);

    /** Decodes and overwrites {@code values}. */
    void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException;

    /** Decodes and adds to {@code values}. */
    void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException;

    /**
     * A finished encoding.
     *
     * @param pending the memory's update, to be committed once the sum is done
     */
    record Encoded(long bytes, Optional<Pending> pending) {
        private static Encoded of(Pending pending) {
            return new Encoded(pending.encodedBytes(), Optional.of(pending));
        }
    }

    /**
     * Encodings of a codec.
     *
     * @param isSparse whether {@link SparseSum} reads its encodings
     * @param codec decodes; of a {@link PassDenseCodec}, the codec within it encodes
     * @param memory residuals; empty for codecs without error feedback
     */
    record ByCodec(Codec codec, boolean isSparse, Optional<ErrorFeedback> memory) implements Encodings {
        /** Encodings of a strategy's codec. */
        public static ByCodec of(CompressionStrategy.Coded strategy, Codec codec, Optional<ErrorFeedback> memory) {
            return new ByCodec(codec, strategy instanceof CompressionStrategy.TopK, memory);
        }

        @Override
        public String name() {
            return codec.name();
        }

        @Override
        public long bytesMax(long count) {
            return codec.encodedBytesMax(count);
        }

        @Override
        public long roomBytes(long count) {
            return PassDenseCodec.within(codec).encodedBytesMax(count);
        }

        @Override
        public boolean isFixedRate() {
            return codec.fixedRate();
        }

        @Override
        public void requireRoom(String key) {
            memory.ifPresent(known -> known.requireRoom(key));
        }

        @Override
        public Encoded encode(
                String key, MemorySegment values, long count, long draw, int contributors, MemorySegment encoded)
                throws NonFiniteException {
            return memory.isPresent()
                    ? Encoded.of(memory.get().prepare(key, values, count, draw, encoded))
                    : new Encoded(PassDenseCodec.within(codec).encode(values, count, draw, encoded), Optional.empty());
        }

        @Override
        public Optional<GradualEncoding> begin(
                Workers workers, String key, MemorySegment values, long count, MemorySegment encoded) {
            if (!(codec instanceof ChunkedTopKCodec chunked)) {
                return Optional.empty();
            }
            return Optional.of(
                    memory.isPresent()
                            ? memory.get().beginInOrder(key, values, count, encoded)
                            : chunked.begin(workers, values, count, encoded));
        }

        @Override
        public boolean carriesNonFinite() {
            return codec.carriesNonFinite();
        }

        @Override
        public boolean passesPlain() {
            return codec instanceof PassDenseCodec;
        }

        @Override
        public Optional<Pending> takePlain(String key, MemorySegment values, long count, MemorySegment plain) {
            if (memory.isPresent()) {
                return Optional.of(memory.get().prepareDense(key, values, count, plain));
            }
            MemorySegment.copy(values, 0, plain, 0, count * Float.BYTES);
            return Optional.empty();
        }

        @Override
        public void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
            codec.decode(encoded, values, count);
        }

        @Override
        public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count)
                throws MalformedMessageException {
            codec.decodeAndAdd(encoded, values, count);
        }
    }

    /** Encodings of deep gradient compression. */
    record ByDgc(DgcMemory memory) implements Encodings {
        @Override
        public String name() {
            return "dgc";
        }

        @Override
        public long bytesMax(long count) {
            return memory.encodedBytesMax(count);
        }

        @Override
        public long roomBytes(long count) {
            return bytesMax(count);
        }

        @Override
        public boolean isFixedRate() {
            return false;
        }

        @Override
        public boolean isSparse() {
            return true;
        }

        @Override
        public void requireRoom(String key) {
            memory.requireRoom(key);
        }

        @Override
        public Encoded encode(
                String key, MemorySegment values, long count, long draw, int contributors, MemorySegment encoded)
                throws NonFiniteException {
            memory.contributors(contributors);
            return Encoded.of(memory.prepare(key, values, count, encoded));
        }

        @Override
        public Optional<GradualEncoding> begin(
                Workers workers, String key, MemorySegment values, long count, MemorySegment encoded) {
            return Optional.empty();
        }

        @Override
        public boolean carriesNonFinite() {
            return false;
        }

        @Override
        public boolean passesPlain() {
            return false;
        }

        @Override
        public Optional<Pending> takePlain(String key, MemorySegment values, long count, MemorySegment plain) {
            return Optional.of(memory.prepareDense(key, values, count, plain));
        }

        @Override
        public void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
            SparseSum.decode(encoded, values, count);
        }

        @Override
        public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count)
                throws MalformedMessageException {
            SparseSum.decodeAndAdd(encoded, values, count);
        }
    }
}
