package io.hearth.compression.codecs;

import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.format.Float32;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A codec for arrays, for applications that want compression without a cluster. Stateless; threads may share it. */
public final class GradientCompressor {
    private final Codec codec;

    /**
     * A compressor with the codec of {@code strategy}.
     *
     * @throws IllegalArgumentException if the strategy needs a memory of earlier sums, so that it cannot compress a single gradient
     */
    public GradientCompressor(CompressionStrategy strategy) {
        if (!(strategy instanceof CompressionStrategy.Coded coded)) {
            throw new IllegalArgumentException(strategy.text()
                    + " compresses sums among several members, not a gradient alone; choose another compression");
        }
        codec = Codecs.of(coded);
    }

    /**
     * Encodes all of {@code gradients}.
     *
     * @param gradients any length; borrowed
     * @return one encoding, which {@link #decompress} with the same strategy reads
     * @throws NonFiniteException if the strategy does not carry NaN and infinity and a value is one
     */
    public byte[] compress(float[] gradients) throws NonFiniteException {
        return compress(gradients, 0);
    }

    /**
     * Encodes all of {@code gradients} with a seed, for strategies that draw random numbers; {@link #compress(float[])} uses 0.
     *
     * @param gradients any length; borrowed
     * @throws NonFiniteException as {@link #compress(float[])}
     */
    public byte[] compress(float[] gradients, long seed) throws NonFiniteException {
        try (var arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocateFrom(Float32.FLOAT, gradients);
            MemorySegment encoded = arena.allocate(codec.encodedBytesMax(gradients.length));
            long bytes = codec.encode(values, gradients.length, seed, encoded);
            return encoded.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /**
     * Decodes what {@code compress} wrote.
     *
     * @param encoded bytes from anywhere; borrowed
     * @param count the number of values that the receiver expects; never taken from the bytes
     * @throws MalformedMessageException if the bytes are not an encoding of {@code count} values
     */
    public float[] decompress(byte[] encoded, int count) throws MalformedMessageException {
        try (var arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate(Float32.FLOAT, count);
            codec.decode(MemorySegment.ofArray(encoded), values, count);
            return values.toArray(Float32.FLOAT);
        }
    }
}
