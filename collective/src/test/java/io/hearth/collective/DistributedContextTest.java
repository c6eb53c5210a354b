package io.hearth.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.engine.TestGroup;
import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The collectives as a script calls them: kinds of memory, and wrong arguments. */
final class DistributedContextTest {
    private static final int WORLD = 3;
    private static final int ROOT = 1;
    private static final int[] IN_PLACE = {};

    @Test
    void everyKindOfMemoryThatSumsTakeCanBeShared() throws Exception {
        try (var group = new TestGroup(3, EngineOptions.DEFAULTS)) {
            group.start((rank, context) -> {
                        int odd = rank == 2 ? 9 : 1;
                        float[] floats = {odd};
                        double[] doubles = {odd};
                        int[] ints = {odd};
                        long[] longs = {odd};
                        byte[] bytes = {(byte) odd};
                        ByteBuffer buffer =
                                ByteBuffer.allocateDirect(3).put(0, (byte) odd).put(1, (byte) odd);
                        MemorySegment segment = MemorySegment.ofArray(new short[] {(short) odd});
                        context.share("floats", floats);
                        context.share("doubles", Tensor.of(doubles), Tensor.of(new double[0]));
                        context.share("ints", Tensor.of(ints));
                        context.share("longs", Tensor.of(longs));
                        context.share("bytes", Tensor.of(bytes));
                        context.share("buffer", Tensor.of(buffer.slice(1, 2).duplicate(), DataType.UINT8));
                        context.share("segment", Tensor.of(segment, DataType.UINT8));
                        assertEquals(new StepStart(0, rank == 2), context.beginStep());
                        assertArrayEquals(new float[] {1}, floats);
                        assertArrayEquals(new double[] {1}, doubles);
                        assertArrayEquals(new int[] {1}, ints);
                        assertArrayEquals(new long[] {1}, longs);
                        assertArrayEquals(new byte[] {1}, bytes);
                        assertEquals(odd, buffer.get(0), "it was not shared");
                        assertEquals(1, buffer.get(1));
                        assertEquals(1, segment.get(ValueLayout.JAVA_SHORT, 0));
                    })
                    .joinWell();
        }
    }

    @Test
    void aGroupBeginsAtTheStepOfItsCheckpoint() throws Exception {
        try (var group = new TestGroup(3, EngineOptions.DEFAULTS)) {
            group.start((rank, context) -> {
                        long[] weights = {rank == 0 ? 42 : 0};
                        context.share("weights", Tensor.of(weights));
                        if (rank != 1) {
                            weights[0] = 42;
                            context.resumeAt(5000);
                        }
                        assertEquals(new StepStart(5000, rank == 1), context.beginStep());
                        assertEquals(42, weights[0]);
                        assertEquals(5001, context.beginStep().step());
                        assertThrows(IllegalStateException.class, () -> context.resumeAt(1));
                    })
                    .joinWell();
        }
    }

    @Test
    void ranksWithCheckpointsOfDifferentStepsAllGetAnErrorThatNamesBoth() throws Exception {
        try (var group = new TestGroup(3, EngineOptions.DEFAULTS)) {
            Map<Integer, Throwable> thrown = group.start((rank, context) -> {
                        context.share("weights", Tensor.of(new long[] {7}));
                        context.resumeAt(rank == 2 ? 4000 : 5000);
                        context.beginStep();
                    })
                    .join();
            assertEquals(3, thrown.size());
            thrown.values().forEach(error -> {
                String said = String.valueOf(error.getMessage());
                assertEquals(CollectiveMismatchException.class, error.getClass(), said);
                assertTrue(said.contains("rank 0 (") && said.contains(") begins at step 5000, rank 2 ("), said);
                assertTrue(said.contains(") resumes at step 4000: load the same checkpoint"), said);
            });
        }
    }

    /** One kind of memory, and all collectives on it. */
    private static class Memory<T> {
        private final Function<int[], T> of;
        private final Function<T, int[]> read;
        private final Function<T, Tensor> tensor;

        Memory(Function<int[], T> of, Function<T, int[]> read, Function<T, Tensor> tensor) {
            this.of = of;
            this.read = read;
            this.tensor = tensor;
        }

        private T of(int... values) {
            return of.apply(values);
        }

        private int[] read(T values) {
            return read.apply(values);
        }

        void play(DistributedContext context, T input, T output, String which) throws Exception {
            Tensor in = tensor.apply(input);
            Tensor out = tensor.apply(output);
            switch (which) {
                case "in place" -> context.allReduce(in, ReduceOp.SUM);
                case "out of place" -> context.allReduce(in, out, ReduceOp.SUM);
                case "async" -> context.allReduceAsync(in, ReduceOp.SUM).await();
                case "reduce-scatter" -> context.reduceScatter(in, ReduceOp.SUM);
                case "all-gather" -> context.allGather(in, out);
                case "reduce" -> context.reduce(in, ReduceOp.SUM, ROOT);
                case "gather" -> context.gather(in, out, ROOT);
                case "scatter" -> context.scatter(in, out, ROOT);
                default -> context.broadcast(in, ROOT);
            }
        }

        void list(DistributedContext context, T one, T other) throws Exception {
            context.allReduce(List.of(tensor.apply(one), tensor.apply(other)), ReduceOp.SUM);
        }

        void check(DistributedContext context) throws Exception {
            int rank = context.rank();
            boolean isRoot = rank == ROOT;
            int[] own = {rank, 10 * rank, 100 * rank, -rank};
            int[] sum = {3, 30, 300, -3};
            int[] all = {0, 0, 0, 0, 1, 10, 100, -1, 2, 20, 200, -2};
            expect(context, "in place", own, IN_PLACE, sum);
            expect(context, "out of place", own, new int[4], sum);
            expect(context, "async", own, IN_PLACE, sum);
            int[] share = own.clone();
            int from = rank == 0 ? 0 : rank + 1;
            System.arraycopy(sum, from, share, from, rank == 0 ? 2 : 1);
            expect(context, "reduce-scatter", own, IN_PLACE, share);
            expect(context, "all-gather", own, new int[12], all);
            expect(context, "reduce", own, IN_PLACE, isRoot ? sum : own);
            expect(context, "gather", own, new int[isRoot ? 12 : 1], isRoot ? all : new int[1]);
            int[] block = {4 * rank + 1, 4 * rank + 2, 4 * rank + 3, 4 * rank + 4};
            expect(context, "scatter", IntStream.rangeClosed(1, 12).toArray(), new int[4], block);
            expect(context, "broadcast", own, IN_PLACE, new int[] {1, 10, 100, -1});
            T one = of(rank);
            T other = of(2 * rank, 1);
            list(context, one, other);
            assertArrayEquals(new int[] {3}, read(one));
            assertArrayEquals(new int[] {6, 3}, read(other));
        }

        private void expect(DistributedContext context, String which, int[] input, int[] output, int[] expected)
                throws Exception {
            T in = of(input);
            T out = output.length == 0 ? in : of(output);
            play(context, in, out, which);
            assertArrayEquals(expected, read(out), which + " on rank " + context.rank());
        }
    }

    /** Arrays of floats have methods of their own for all collectives. */
    private static final class FloatsMemory extends Memory<float[]> {
        FloatsMemory() {
            super(
                    DistributedContextTest::floats,
                    values -> IntStream.range(0, values.length)
                            .map(i -> (int) values[i])
                            .toArray(),
                    Tensor::of);
        }

        @Override
        void play(DistributedContext context, float[] in, float[] out, String which) throws Exception {
            switch (which) {
                case "in place" -> context.allReduce(in, ReduceOp.SUM);
                case "out of place" -> context.allReduce(in, out, ReduceOp.SUM);
                case "async" -> context.allReduceAsync(in, ReduceOp.SUM).await();
                case "reduce-scatter" -> context.reduceScatter(in, ReduceOp.SUM);
                case "all-gather" -> context.allGather(in, out);
                case "reduce" -> context.reduce(in, ReduceOp.SUM, ROOT);
                case "gather" -> context.gather(in, out, ROOT);
                case "scatter" -> context.scatter(in, out, ROOT);
                default -> context.broadcast(in, ROOT);
            }
        }

        @Override
        void list(DistributedContext context, float[] one, float[] other) throws Exception {
            context.allReduce(new float[][] {one, other}, ReduceOp.SUM);
        }
    }

    private static float[] floats(int... values) {
        float[] made = new float[values.length];
        for (int i = 0; i < made.length; i++) {
            made[i] = values[i];
        }
        return made;
    }

    /** Values in the middle of a buffer. */
    private static Memory<ByteBuffer> buffers(IntFunction<ByteBuffer> allocate) {
        return new Memory<>(
                values -> {
                    int bytes = 4 * values.length + 9;
                    ByteBuffer made = allocate.apply(bytes);
                    made.order(ByteOrder.LITTLE_ENDIAN).position(5).limit(bytes - 4);
                    for (int i = 0; i < values.length; i++) {
                        made.putInt(5 + 4 * i, values[i]);
                    }
                    return made;
                },
                values -> IntStream.range(0, values.remaining() / 4)
                        .map(i -> values.getInt(values.position() + 4 * i))
                        .toArray(),
                values -> Tensor.of(values, DataType.INT32));
    }

    @Test
    void allCollectivesTakeAllKindsOfMemory() throws Exception {
        List<Memory<?>> kinds = List.of(
                new FloatsMemory(),
                new Memory<>(
                        values -> IntStream.of(values).asDoubleStream().toArray(),
                        values -> DoubleStream.of(values)
                                .mapToInt(value -> (int) value)
                                .toArray(),
                        Tensor::of),
                new Memory<int[]>(int[]::clone, values -> values, Tensor::of),
                buffers(ByteBuffer::allocate),
                buffers(ByteBuffer::allocateDirect),
                new Memory<>(
                        values -> MemorySegment.ofArray(values.clone()),
                        values -> values.toArray(ValueLayout.JAVA_INT),
                        values -> Tensor.of(values, DataType.INT32)));
        try (var group = new TestGroup(WORLD, EngineOptions.DEFAULTS)) {
            group.start((_, context) -> {
                        for (Memory<?> kind : kinds) {
                            kind.check(context);
                        }
                    })
                    .joinWell();
        }
    }

    private static void refused(String why, Executable call) {
        IllegalArgumentException error = assertThrows(IllegalArgumentException.class, call);
        String text = String.valueOf(error.getMessage());
        assertTrue(text.contains(why) && !text.contains("\n"), error.toString());
    }

    @Test
    void mistakesAreRefusedInOneLineBeforeAnythingIsSent() throws Exception {
        try (var group = new TestGroup(1, EngineOptions.DEFAULTS)) {
            var context = new DistributedContext(group.engine(0));
            MemorySegment odd = MemorySegment.ofArray(new byte[7]);
            MemorySegment good = MemorySegment.ofArray(new byte[8]);
            MemorySegment fixed = MemorySegment.ofArray(new byte[8]).asReadOnly();
            refused(
                    "must hold whole elements",
                    () -> context.allReduce(Tensor.of(odd, DataType.FLOAT32), ReduceOp.SUM));
            refused(
                    "must hold whole elements",
                    () -> context.allReduceAsync(Tensor.of(odd, DataType.FLOAT32), ReduceOp.SUM));
            refused(
                    "must hold whole elements",
                    () -> context.allReduce(
                            List.of(Tensor.of(good, DataType.FLOAT32), Tensor.of(odd, DataType.FLOAT32)),
                            ReduceOp.SUM));
            refused(
                    "must hold whole elements",
                    () -> context.allGather(Tensor.of(good, DataType.FLOAT32), Tensor.of(odd, DataType.FLOAT32)));
            refused(
                    "must hold whole elements",
                    () -> context.scatter(Tensor.of(good, DataType.FLOAT32), Tensor.of(odd, DataType.FLOAT32), 0));
            refused(
                    "no rank 1",
                    () -> context.gather(Tensor.of(good, DataType.INT8), Tensor.of(odd, DataType.INT8), 1));
            refused("read-only", () -> context.allReduce(Tensor.of(fixed, DataType.FLOAT32), ReduceOp.SUM));
            refused(
                    "read-only",
                    () -> context.allReduce(
                            List.of(Tensor.of(good, DataType.FLOAT32), Tensor.of(fixed, DataType.FLOAT32)),
                            ReduceOp.SUM));
            refused("read-only", () -> context.allReduceAsync(Tensor.of(fixed, DataType.INT8), ReduceOp.SUM));
            refused(
                    "read-only",
                    () -> context.allGather(Tensor.of(good, DataType.INT8), Tensor.of(fixed, DataType.INT8)));
            Tensor floats = Tensor.of(new float[2]);
            Tensor ints = Tensor.of(new int[2]);
            refused("one type, got FLOAT32 and INT32", () -> context.allReduce(floats, ints, ReduceOp.SUM));
            refused("one type, got FLOAT32 and INT32", () -> context.allGather(floats, ints));
            refused("one type, got FLOAT32 and INT32", () -> context.allReduce(List.of(floats, ints), ReduceOp.SUM));
            refused("the size of the input", () -> context.allReduce(new float[3], new float[2], ReduceOp.SUM));
            refused("deadline must be positive", () -> CollectiveOptions.DEFAULTS.within(Duration.ofSeconds(-1)));
            ByteBuffer bigEndian = ByteBuffer.allocate(8);
            refused("little-endian", () -> context.allReduce(Tensor.of(bigEndian, DataType.INT32), ReduceOp.SUM));
            context.allReduce(Tensor.of(bigEndian, DataType.INT8), ReduceOp.SUM);
            ByteBuffer readOnly = ByteBuffer.allocate(8).asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
            refused("read-only", () -> context.broadcast(Tensor.of(readOnly, DataType.INT32), 0));
            context.allGather(Tensor.of(readOnly, DataType.INT8), Tensor.of(ByteBuffer.allocate(8), DataType.INT8));
            MemorySegment freed;
            try (var arena = Arena.ofShared()) {
                freed = arena.allocate(8);
            }
            refused("was freed", () -> context.allReduce(Tensor.of(freed, DataType.INT8), ReduceOp.SUM));
            refused("was freed", () -> context.allReduceAsync(Tensor.of(freed, DataType.INT8), ReduceOp.SUM));
            refused("was freed", () -> context.allReduce(List.of(Tensor.of(freed, DataType.INT8)), ReduceOp.SUM));
            refused(
                    "was freed",
                    () -> context.allGather(Tensor.of(good, DataType.INT8), Tensor.of(freed, DataType.INT8)));
            for (int rank : new int[] {-1, 1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                refused("no rank " + rank, () -> context.broadcast(Tensor.of(new int[1]), rank));
                refused("no rank " + rank, () -> context.reduce(Tensor.of(new int[1]), ReduceOp.SUM, rank));
                refused("no rank " + rank, () -> context.gather(Tensor.of(new int[1]), Tensor.of(new int[1]), rank));
                refused("no rank " + rank, () -> context.scatter(Tensor.of(new int[1]), Tensor.of(new int[1]), rank));
            }
            assertEquals(
                    1, context.allReduce(Tensor.of(new int[3]), ReduceOp.SUM).contributors());
        }
    }

    @Test
    @SuppressWarnings("restricted") // an address without memory, which is never accessed
    void aBlockThatCannotBeGatheredIsRefused() throws Exception {
        try (var group = new TestGroup(1, EngineOptions.DEFAULTS)) {
            var context = new DistributedContext(group.engine(0));
            MemorySegment huge = MemorySegment.NULL.reinterpret(1L << 60);
            MemorySegment small = MemorySegment.ofArray(new byte[8]);
            refused(
                    "too large",
                    () -> context.allGather(Tensor.of(huge, DataType.INT8), Tensor.of(small, DataType.INT8)));
            refused(
                    "too large",
                    () -> context.gather(Tensor.of(huge, DataType.INT8), Tensor.of(small, DataType.INT8), 0));
            refused(
                    "too large",
                    () -> context.scatter(Tensor.of(small, DataType.INT8), Tensor.of(huge, DataType.INT8), 0));
        }
    }

    @Test
    void memoryOfAnotherThreadIsRefused() throws Exception {
        try (var group = new TestGroup(1, EngineOptions.DEFAULTS);
                var arena = Arena.ofConfined()) {
            MemorySegment confined = arena.allocate(8);
            var own = new DistributedContext(group.engine(0));
            own.allReduce(Tensor.of(confined, DataType.INT8), ReduceOp.SUM);
            refused("all threads", () -> own.allReduceAsync(Tensor.of(confined, DataType.INT8), ReduceOp.SUM));
            group.start((_, context) -> refused(
                            "another thread",
                            () -> context.allReduce(Tensor.of(confined, DataType.INT8), ReduceOp.SUM)))
                    .joinWell();
        }
    }

    @Test
    void everyCallAfterCloseSaysThatItIsClosed() throws Exception {
        try (var group = new TestGroup(1, EngineOptions.DEFAULTS)) {
            var context = new DistributedContext(group.engine(0));
            group.engine(0).close();
            int[] values = new int[1];
            List<Executable> calls = List.of(
                    () -> context.allReduce(Tensor.of(values), ReduceOp.SUM),
                    () -> context.allReduce(List.of(Tensor.of(values), Tensor.of(values)), ReduceOp.SUM),
                    () -> context.allReduceAsync(Tensor.of(values), ReduceOp.SUM),
                    () -> context.reduceScatter(Tensor.of(values), ReduceOp.SUM),
                    () -> context.allGather(Tensor.of(values), Tensor.of(values)),
                    () -> context.reduce(Tensor.of(values), ReduceOp.SUM, 0),
                    () -> context.gather(Tensor.of(values), Tensor.of(values), 0),
                    () -> context.scatter(Tensor.of(values), Tensor.of(values), 0),
                    () -> context.broadcast(Tensor.of(values), 0),
                    context::barrier,
                    context::beginStep);
            for (Executable call : calls) {
                CollectiveException error = assertThrows(CollectiveException.class, call);
                assertTrue(String.valueOf(error.getMessage()).contains("closed"), error.toString());
            }
        }
    }

    @Test
    void closeEndsAllWorksThatAreOpen() throws Exception {
        try (var group = new TestGroup(2, EngineOptions.DEFAULTS)) {
            var context = new DistributedContext(group.engine(0)); // the other rank never calls
            float[] values = {1};
            var works = new ArrayList<Work>();
            for (int i = 0; i < 3; i++) {
                works.add(context.allReduceAsync(values, ReduceOp.SUM));
            }
            group.awaitTold("progress 0 0 BUSY");
            group.engine(0).close();
            for (Work work : works) {
                CollectiveException error = assertThrows(CollectiveException.class, work::await);
                assertTrue(String.valueOf(error.getMessage()).contains("closed"), error.toString());
                assertTrue(work.isDone());
            }
            assertEquals(1, values[0]);
        }
    }

    /** A codec that calls into the context while it encodes. */
    private static final class Curious implements Codec {
        private final Executable inside;

        Curious(Executable inside) {
            this.inside = inside;
        }

        @Override
        public String name() {
            return "curious";
        }

        @Override
        public boolean lossless() {
            return true;
        }

        @Override
        public long encodedBytesMax(long count) {
            return 4 * count;
        }

        @Override
        public long encode(MemorySegment values, long count, MemorySegment encoded) {
            IllegalStateException error = assertThrows(IllegalStateException.class, inside);
            assertTrue(String.valueOf(error.getMessage()).contains("one call at a time"), error.toString());
            MemorySegment.copy(values, 0, encoded, 0, 4 * count);
            return 4 * count;
        }

        @Override
        public void decode(MemorySegment encoded, MemorySegment values, long count) {
            MemorySegment.copy(encoded, 0, values, 0, 4 * count);
        }

        @Override
        public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) {
            for (long i = 0; i < count; i++) {
                float sum = values.getAtIndex(ValueLayout.JAVA_FLOAT, i)
                        + encoded.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4 * i);
                values.setAtIndex(ValueLayout.JAVA_FLOAT, i, sum);
            }
        }
    }

    @Test
    void aCallOutOfACallbackIsRefusedWithoutHarm() throws Exception {
        try (var group = new TestGroup(2, EngineOptions.DEFAULTS)) {
            group.start((_, context) -> {
                        float[] values = {1, 2};
                        var codec = new Curious(context::barrier);
                        context.with(CollectiveOptions.DEFAULTS.as(new CompressionStrategy.Custom(codec)))
                                .allReduce(values, ReduceOp.SUM);
                        assertArrayEquals(new float[] {2, 4}, values);
                        var beginner = new Curious(() -> context.allReduceAsync(new float[1], ReduceOp.SUM));
                        context.with(CollectiveOptions.DEFAULTS.as(new CompressionStrategy.Custom(beginner)))
                                .allReduceAsync(values, ReduceOp.SUM)
                                .await();
                        assertArrayEquals(new float[] {4, 8}, values);
                    })
                    .joinWell();
        }
    }

    @Test
    void aSecondThreadIsRefusedInOneLine() throws Exception {
        try (var group = new TestGroup(2, EngineOptions.DEFAULTS)) {
            var refused = new CountDownLatch(1);
            TestGroup.Run run = group.start((rank, context) -> {
                if (rank == 1) {
                    refused.await();
                }
                context.barrier();
            });
            group.awaitTold("progress 0 0 BUSY");
            IllegalStateException error =
                    assertThrows(IllegalStateException.class, () -> new DistributedContext(group.engine(0)).barrier());
            assertTrue(String.valueOf(error.getMessage()).contains("one call at a time"), error.toString());
            refused.countDown();
            assertEquals(Map.of(), run.join());
        }
    }
}
