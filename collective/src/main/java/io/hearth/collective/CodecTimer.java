package io.hearth.collective;

import io.hearth.accel.CodecKernels;
import io.hearth.collective.choice.CodecCost;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.PassDenseCodec;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/** Measures what codecs cost on this machine: once for each in a process, a quarter of a second or so. */
final class CodecTimer {
    /** 4 MiB: more than a processor's own caches hold. */
    private static final int COUNT = 1 << 20;

    /** Small parts let the compiler see many calls soon. */
    private static final int WARM_UP_COUNT = 1 << 13;

    private static final long WARM_UP_NANOS = 100_000_000;
    private static final int ROUNDS = 4;
    private static final Map<String, CodecCost> KNOWN = new ConcurrentHashMap<>();
    private static final Clock CLOCK =
            Clock.system(); // a processor's work takes real time, whatever an engine's clock says

    private final boolean isOwed;
    private final Codec codec;
    private final MemorySegment values;
    private final MemorySegment owed;
    private final MemorySegment left;
    private final MemorySegment encoded;

    private CodecTimer(CompressionStrategy.Coded strategy, CodecKernels kernels, Arena arena) {
        this.isOwed = strategy.isOwed();
        this.codec = strategy.codec(kernels);
        this.values = gradient(arena);
        this.owed = arena.allocate(values.byteSize());
        this.left = arena.allocate(values.byteSize());
        this.encoded = arena.allocate(codec.encodedBytesMax(COUNT));
    }

    /** For normally distributed values, by the kernels of the engine that will do it. */
    static CodecCost cost(CompressionStrategy.Coded strategy, CodecKernels kernels) {
        String what = strategy.text() + " by " + kernels.name();
        CodecCost known = KNOWN.get(what);
        if (known == null) { // two that come at once both measure
            try (Arena arena = Arena.ofConfined()) {
                known = new CodecTimer(strategy, kernels, arena).measure();
            } catch (NonFiniteException | MalformedMessageException bug) {
                throw new AssertionError(strategy.text() + " cannot carry finite values", bug);
            }
            KNOWN.put(what, known);
        }
        return known;
    }

    private static MemorySegment gradient(Arena arena) {
        MemorySegment gradient = arena.allocate(ValueLayout.JAVA_FLOAT, COUNT);
        var random = new SplittableRandom(COUNT);
        for (int i = 0; i < WARM_UP_COUNT; i++) {
            gradient.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
        }
        MemorySegment part = gradient.asSlice(0, (long) WARM_UP_COUNT * Float.BYTES);
        for (long at = part.byteSize(); at < gradient.byteSize(); at += part.byteSize()) {
            MemorySegment.copy(part, 0, gradient, at, part.byteSize());
        }
        return gradient;
    }

    private CodecCost measure() throws NonFiniteException, MalformedMessageException {
        long started = CLOCK.nanoTime();
        long bytes = 0;
        while (bytes == 0 || CLOCK.nanoTime() - started < WARM_UP_NANOS) {
            bytes = encode(WARM_UP_COUNT);
            decode(bytes, WARM_UP_COUNT);
            add(bytes, WARM_UP_COUNT);
        }
        long encode = Long.MAX_VALUE;
        long decode = Long.MAX_VALUE;
        long add = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long begun = CLOCK.nanoTime();
            bytes = encode(COUNT);
            long isEncoded = CLOCK.nanoTime();
            decode(bytes, COUNT);
            long isDecoded = CLOCK.nanoTime();
            add(bytes, COUNT);
            encode = Math.min(encode, isEncoded - begun);
            decode = Math.min(decode, isDecoded - isEncoded);
            add = Math.min(add, CLOCK.nanoTime() - isDecoded);
        }
        return new CodecCost(
                PassDenseCodec.within(codec) instanceof BlockCodec,
                (double) bytes / COUNT,
                (double) encode / COUNT,
                (double) decode / COUNT,
                (double) add / COUNT);
    }

    private long encode(int count) throws NonFiniteException {
        return isOwed
                ? codec.encodeOwing(values, owed, left, count, 1, encoded)
                : codec.encode(values, count, 1, encoded);
    }

    private void decode(long bytes, int count) throws MalformedMessageException {
        codec.decode(encoded.asSlice(0, bytes), left, count);
    }

    private void add(long bytes, int count) throws MalformedMessageException {
        codec.decodeAndAdd(encoded.asSlice(0, bytes), left, count);
    }
}
