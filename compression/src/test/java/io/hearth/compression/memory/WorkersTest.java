package io.hearth.compression.memory;

import static io.hearth.compression.TestKernels.KERNELS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pattern;
import io.hearth.compression.Workers;
import io.hearth.compression.codecs.Codecs;
import io.hearth.compression.format.Float32;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The result does not depend on the number of threads that share the work on a tensor. */
final class WorkersTest {
    private static final int COUNT = 200_003;

    private final Arena arena = Arena.ofShared();

    @AfterEach
    void free() {
        arena.close();
    }

    /** One thread per piece, also for small tensors. */
    private record Threads(int count) implements Workers {
        @Override
        public void run(int pieces, IntConsumer piece) {
            var threads = new ArrayList<Thread>();
            for (int number = 0; number < pieces; number++) {
                int its = number;
                threads.add(Thread.ofPlatform().start(() -> piece.accept(its)));
            }
            for (Thread thread : threads) {
                try {
                    thread.join();
                } catch (InterruptedException stop) {
                    throw new AssertionError(stop);
                }
            }
        }

        @Override
        public int pieces(long values) {
            return count;
        }

        @Override
        public Workers over(MemorySegment memory) {
            return this;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "topk:0.01",
                "topk:0.01,bits=32",
                "topk:0.5",
                "topk:0.01,chunk=1024",
                "topk:0.05,chunk=64,bits=4",
                "topk:0.01,residual=bfloat16",
                "topk:0.01,chunk=4096,residual=bfloat16",
                "dgc:0.01",
                "dgc:0.01,reuse=3"
            })
    void manyMakeTheSumsAndRemainsOfOne(String strategy) throws Exception {
        for (int count : new int[] {COUNT, 5000, 1}) {
            for (int threads : new int[] {2, 5}) {
                try (GradientMemory alone = memory(strategy, Workers.NONE);
                        GradientMemory shared = memory(strategy, new Threads(threads))) {
                    for (int step = 0; step < 3; step++) {
                        byte[] expected = step(alone, count, step);
                        assertArrayEquals(expected, step(shared, count, step), strategy + ", step " + step);
                        assertArrayEquals(alone.remembered("t"), shared.remembered("t"), strategy + ", step " + step);
                    }
                }
            }
        }
    }

    /** The first bad value is named, wherever the others are found. */
    @ParameterizedTest
    @ValueSource(strings = {"topk:0.01", "topk:0.01,chunk=64"})
    void theFirstValueThatCannotBeCarriedIsNamed(String strategy) {
        try (GradientMemory shared = memory(strategy, new Threads(4))) {
            MemorySegment gradient = gradient(COUNT, 0);
            for (int bad : new int[] {COUNT - 5, 150_000, 90_000, 7}) {
                gradient.setAtIndex(Float32.FLOAT, bad, Float.NaN);
                var refused = assertThrows(
                        NonFiniteException.class, () -> shared.prepare("t", gradient, COUNT, room(shared)));
                assertEquals(bad, refused.index());
            }
        }
    }

    private static GradientMemory memory(String text, Workers workers) {
        return switch (CompressionStrategy.parse(text)) {
            case CompressionStrategy.Dgc dgc -> new DgcMemory(dgc.options(), 1, KERNELS, workers);
            case CompressionStrategy.Coded coded ->
                new ErrorFeedback(Codecs.of(coded), coded.residual(), 1, 0, KERNELS, workers);
            default -> throw new IllegalArgumentException(text);
        };
    }

    private MemorySegment gradient(int count, int step) {
        float[] values = Pattern.NORMAL.values(count + step);
        MemorySegment gradient = arena.allocate(Float32.FLOAT, count);
        MemorySegment.copy(values, step, gradient, Float32.FLOAT, 0, count);
        return gradient;
    }

    private MemorySegment room(GradientMemory memory) {
        return arena.allocate(memory.encodedBytesMax(COUNT));
    }

    /** The encoding that is sent, and its sum with another one. */
    private byte[] step(GradientMemory memory, int count, int step) throws Exception {
        MemorySegment gradient = gradient(count, step);
        MemorySegment room = room(memory);
        var pending = (SparsePending) memory.prepare("t", gradient, count, room);
        MemorySegment own = room.asSlice(0, pending.encodedBytes());
        MemorySegment sum = arena.allocate(Float32.FLOAT, count);
        pending.deliver(List.of(own, own), 2, sum);
        pending.commit();
        byte[] sent = own.toArray(ValueLayout.JAVA_BYTE);
        byte[] summed = sum.toArray(ValueLayout.JAVA_BYTE);
        byte[] both = Arrays.copyOf(sent, sent.length + summed.length);
        System.arraycopy(summed, 0, both, sent.length, summed.length);
        return both;
    }
}
