package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.EngineOptions;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Lists of tensors: their split into calls, and their cost. */
final class ListsTest {
    private static final int MIB = 1024 * 1024;

    /** The message on every rank when rank 1 sums {@code odd} and all others {@code rest}; each buffer stays unchanged. */
    private static String refused(List<Integer> odd, List<Integer> rest) throws Exception {
        try (var group = new TestGroup(3, EngineOptions.DEFAULTS)) {
            Map<Integer, Throwable> thrown = group.start((rank, _) -> {
                        float[][] tensors = tensors(rank == 1 ? odd : rest);
                        try {
                            sum(group.engine(rank), tensors, CollectiveOptions.DEFAULTS);
                        } finally {
                            for (float[] tensor : tensors) {
                                assertArrayEquals(ones(tensor.length), tensor);
                            }
                        }
                    })
                    .join();
            assertEquals(3, thrown.size(), odd + " against " + rest);
            thrown.values().forEach(error -> assertInstanceOf(CollectiveMismatchException.class, error));
            return String.valueOf(Objects.requireNonNull(thrown.get(0)).getMessage());
        }
    }

    private static CollectiveResult sum(DistributedBackend backend, float[][] tensors, CollectiveOptions how)
            throws CollectiveException {
        return backend.allReduce(
                Arrays.stream(tensors).map(MemorySegment::ofArray).toList(), DataType.FLOAT32, ReduceOp.SUM, how);
    }

    private static float[][] tensors(List<Integer> lengths) {
        return lengths.stream().map(ListsTest::ones).toArray(float[][]::new);
    }

    private static float[] ones(int length) {
        float[] values = new float[length];
        Arrays.fill(values, 1);
        return values;
    }

    @Test
    void listsOfOneSizeAndOtherTensorsAreToldApart() throws Exception {
        String said = refused(List.of(5, 3), List.of(3, 5));
        assertTrue(said.contains("2 tensors of 5, 3"), said);
        assertTrue(said.contains("2 tensors of 3, 5"), said);
        assertTrue(refused(List.of(8), List.of(3, 5)).contains("one tensor of 8"));
    }

    @Test
    void aListOfNothingIsToldFromOneOfSomething() throws Exception {
        String said = refused(List.of(), List.of(3, 5));
        assertTrue(said.contains("an empty list"), said);
        assertTrue(refused(List.of(3, 5), List.of()).contains("an empty list"));
        assertTrue(refused(List.of(), List.of(0)).contains("an empty list"));
    }

    @Test
    void whatDiffersBehindTheFirstBucketIsToldWithIt() throws Exception {
        int whole = Math.toIntExact(CollectiveConfig.DEFAULTS.bucketBytes() / Float.BYTES);
        String said = refused(List.of(whole, 4, 4), List.of(whole, 8));
        assertTrue(said.contains("number 1:") && said.contains("bucket 1 of"), said);
    }

    @Test
    void listsThatDifferBehindWhatIsToldAreToldApartByTheirDigest() throws Exception {
        List<Integer> many = Collections.nCopies(10, 7);
        List<Integer> others = IntStream.range(0, 10)
                .mapToObj(i -> i == 8 ? 6 : i == 9 ? 8 : 7)
                .toList();
        String said = refused(many, others);
        assertTrue(said.contains("10 tensors of 7, 7, 7, 7, 7, 7, … (all: "), said);
    }

    @Test
    void listsOfNothingOnAllRanksAreOneCall() throws Exception {
        try (var group = new TestGroup(3, EngineOptions.DEFAULTS)) {
            group.start((rank, context) -> {
                        var result = sum(group.engine(rank), new float[0][], CollectiveOptions.DEFAULTS);
                        assertEquals(3, result.contributors());
                        assertEquals(0, result.count());
                        context.barrier();
                    })
                    .joinWell();
        }
    }

    /** The first bucket, one tensor, is already summed when the second one turns out to hold a value that cannot be carried. */
    @Test
    void aListThatFailsInALaterBucketLeavesAllTensorsAsTheyWere() throws Exception {
        var config = new TestConfig(1024).config();
        try (var group = new TestGroup(2, EngineOptions.DEFAULTS.with(config))) {
            group.start((rank, _) -> {
                        try (Arena arena = Arena.ofShared()) {
                            var how = CollectiveOptions.DEFAULTS.as(CompressionStrategy.parse("int8"));
                            float[] second = ones(300);
                            second[7] = rank == 1 ? Float.NaN : 1;
                            var tensors = List.of(
                                    arena.allocateFrom(ValueLayout.JAVA_FLOAT, ones(400)),
                                    MemorySegment.ofArray(ones(500)),
                                    arena.allocateFrom(ValueLayout.JAVA_FLOAT, second));
                            assertThrows(
                                    CollectiveException.class,
                                    () -> group.engine(rank).allReduce(tensors, DataType.FLOAT32, ReduceOp.SUM, how));
                            assertArrayEquals(ones(400), tensors.get(0).toArray(ValueLayout.JAVA_FLOAT));
                            assertArrayEquals(ones(500), tensors.get(1).toArray(ValueLayout.JAVA_FLOAT));
                            assertArrayEquals(second, tensors.get(2).toArray(ValueLayout.JAVA_FLOAT));
                        }
                    })
                    .joinWell();
        }
    }

    private record TestConfig(long bucketBytes) {
        CollectiveConfig config() {
            CollectiveConfig all = CollectiveConfig.DEFAULTS;
            return new CollectiveConfig(
                    all.allReduce(),
                    all.broadcast(),
                    all.reduce(),
                    all.segmentBytes(),
                    all.inTurnBytesMax(),
                    all.inPlaceBytesMin(),
                    bucketBytes,
                    all.links());
        }
    }

    /** Tensors of 4 MiB each: overwritten bytes must be kept, and no other copy is made. */
    @Test
    void aLargeTensorAloneInItsBucketIsSummedWhereItLies() throws Exception {
        assertEquals(4L * MIB, peak(MIB));
        assertEquals(8L * MIB, peak(MIB, MIB));
        assertTrue(peak(MIB, 1, 1) < 5L * MIB);
    }

    private static long peak(int... lengths) throws Exception {
        var config = new TestConfig(MIB).config();
        long[] peak = new long[2];
        try (var group = new TestGroup(2, EngineOptions.DEFAULTS.with(config))) {
            group.start((rank, _) -> {
                        try (Arena arena = Arena.ofShared()) {
                            List<MemorySegment> list = Arrays.stream(lengths)
                                    .mapToObj(length -> arena.allocateFrom(ValueLayout.JAVA_FLOAT, ones(length)))
                                    .toList();
                            group.engine(rank)
                                    .allReduce(list, DataType.FLOAT32, ReduceOp.SUM, CollectiveOptions.DEFAULTS);
                            for (MemorySegment tensor : list) {
                                assertEquals(2, tensor.getAtIndex(ValueLayout.JAVA_FLOAT, 0));
                            }
                        }
                        peak[rank] = group.engine(rank).takeWorkBytesPeak();
                    })
                    .joinWell();
        }
        return Math.max(peak[0], peak[1]);
    }
}
