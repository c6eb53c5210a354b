package io.hearth.collective.sum;

import io.hearth.compression.ChunkedTopKCodec;
import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.DgcMemory;
import io.hearth.compression.ErrorFeedback;
import io.hearth.compression.GradualEncoding;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.PassDenseCodec;
import io.hearth.compression.Pending;
import io.hearth.compression.SparseSum;
import io.hearth.compression.Workers;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** How whole tensors are encoded and read again. */
sealed interface Encodings {
    /** For people. */
    String name();

    /** Most bytes of an encoding of {@code count} values, plain ones included where {@link #passesPlain}. */
    long bytesMax(long count);

    /** Bytes that {@link #encode} needs, of which it may leave some; at most {@link #bytesMax}. */
    long roomBytes(long count);

    /** Whether encodings are those that {@link SparseSum} reads, checks and adds. */
    boolean isSparse();

    /** Whether every encoding of so many values has {@link #bytesMax}, so that nobody has to tell. */
    boolean isFixedRate();

    /** Refuses a tensor whose name would be one too many in what is remembered, with an IllegalStateException. */
    void requireRoom(String key);

    /**
     * Encodes.
     *
     * @param key names the tensor in what is remembered
     * @param count of {@code values}
     * @param draw for codecs that draw
     * @param contributors how many members sum
     * @param encoded memory of {@link #roomBytes} bytes; written
     * @throws NonFiniteException if a value cannot be carried; where {@link #passesPlain}, its tensor is sent as it is
     */
    Encoded encode(String key, MemorySegment values, long count, long draw, int contributors, MemorySegment encoded)
            throws NonFiniteException;

    /**
     * Begins the encoding that {@link #encode} makes.
     *
     * @param workers who make it
     * @param key as there
     * @param count as there
     * @param encoded as there
     * @return empty if a tensor can only be encoded as a whole
     */
    Optional<GradualEncoding> begin(
            Workers workers, String key, MemorySegment values, long count, MemorySegment encoded);

    /** Whether NaN and infinity arrive as such. */
    boolean carriesNonFinite();

    /** Whether an encoding of {@link io.hearth.compression.NoneCodec} is read too, sent where a value cannot be carried. */
    boolean passesPlain();

    /**
     * Takes the values of this rank and all that is owed to them as they are.
     *
     * @param plain memory for {@code count} values; written
     * @return what is remembered of it, if it is summed
     */
    Optional<Pending> takePlain(String key, MemorySegment values, long count, MemorySegment plain);

    /** Decodes over {@code values}. */
    void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException;

    /** Decodes onto {@code values}. */
    void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException;

    /**
     * An encoding that was made.
     *
     * @param pending what is remembered of it, if it is summed
     */
    record Encoded(long bytes, Optional<Pending> pending) {
        private static Encoded of(Pending pending) {
            return new Encoded(pending.encodedBytes(), Optional.of(pending));
        }
    }

    /**
     * By a codec.
     *
     * @param isSparse what it writes is a sparse sum
     * @param codec that reads; what a {@link PassDenseCodec} is about writes
     * @param memory of what was left out by the codec that writes; empty for lossless codecs
     */
    record ByCodec(Codec codec, boolean isSparse, Optional<ErrorFeedback> memory) implements Encodings {
        /** By that of a strategy. */
        static ByCodec of(CompressionStrategy.Coded strategy, Codec codec, Optional<ErrorFeedback> memory) {
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

    /** By deep gradient compression. */
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
