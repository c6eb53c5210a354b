package io.hearth.bench;

import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.codecs.Codecs;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Speed of codecs on gradients with normally distributed values. GB/s counts the float32 values, not the encoding. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH sets the fields up
public class CodecMicro {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** A codec, as {@link CompressionStrategy#parse} reads it. */
    @Param({"int8", "fp16", "bf16", "topk"})
    public String compression;

    /** Number of bytes of the float32 values. */
    @Param({"1048576", "16777216"})
    public long bytes;

    private Codec codec;
    private Arena arena;
    private MemorySegment gradients;
    private MemorySegment owed;
    private MemorySegment sums;
    private MemorySegment room;
    private MemorySegment encoded;
    private long count;

    /** Makes gradients and one encoding of them. */
    @Setup(Level.Trial)
    public void allocate() throws NonFiniteException {
        codec = Codecs.of((CompressionStrategy.Coded) CompressionStrategy.parse(compression));
        count = bytes / Float.BYTES;
        arena = Arena.ofConfined();
        gradients = arena.allocate(bytes, 64);
        owed = arena.allocate(bytes, 64);
        sums = arena.allocate(bytes, 64);
        room = arena.allocate(codec.encodedBytesMax(count), 64);
        var random = new SplittableRandom(17);
        for (long i = 0; i < count; i++) {
            gradients.setAtIndex(FLOAT, i, (float) (1e-3 * random.nextGaussian()));
            owed.setAtIndex(FLOAT, i, (float) (1e-3 * random.nextGaussian()));
        }
        MemorySegment other = arena.allocate(codec.encodedBytesMax(count), 64);
        encoded = other.asSlice(0, codec.encode(gradients, count, other));
    }

    /** Frees the memory. */
    @TearDown(Level.Trial)
    public void free() {
        arena.close();
    }

    /** Encodes gradients. */
    @Benchmark
    public long encode(GigabyteCount counted) throws NonFiniteException {
        counted.add(bytes);
        return codec.encode(gradients, count, room);
    }

    /** Encodes gradients with residuals, and updates the residuals. */
    @Benchmark
    public long encodeWithResidual(GigabyteCount counted) throws NonFiniteException {
        counted.add(bytes);
        return codec.encodeWithResidual(gradients, owed, sums, count, 0, room);
    }

    /** Decodes to gradients. */
    @Benchmark
    public void decode(GigabyteCount counted) throws MalformedMessageException {
        codec.decode(encoded, sums, count);
        counted.add(bytes);
    }

    /** Decodes and adds to a sum. */
    @Benchmark
    public void decodeAndAdd(GigabyteCount counted) throws MalformedMessageException {
        codec.decodeAndAdd(encoded, sums, count);
        counted.add(bytes);
    }
}
