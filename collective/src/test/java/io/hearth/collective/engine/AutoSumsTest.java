package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.CompressionChoice;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Work;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups that choose their codec themselves; the test sets the time per byte of their links. */
final class AutoSumsTest {
    private static final int COUNT = 40_000; // just above the smallest size for a codec
    private static final double SLOW = 1000;
    private static final double FAST = 0.001;
    private static final CompressionStrategy LOSSY = CompressionStrategy.parse("auto:lossy");
    private static final String TOP_K = "topk:0.01,nonfinite=dense";
    private static final int UNTIL_SETTLED =
            7; // three plain sums, three with the codec that is predicted to be fastest, and a vote

    /** Time advances with sent bytes and with the first rank's encoding. */
    private static final class WireClock implements Clock, CollectiveTrace {
        private volatile MemoryFabric fabric = new MemoryFabric(); // set once, before any thread reads the clock
        private volatile double nanosPerByte = SLOW; // set between sums
        private volatile double passed;
        private volatile long counted;
        private final AtomicLong worked = new AtomicLong();

        /** Sets the speed for bytes that are sent from now on. */
        void link(double slower) {
            passed = nanoTime() - worked.get();
            counted = fabric.bytes();
            nanosPerByte = slower;
        }

        @Override
        public long nanoTime() {
            return worked.get() + Math.round(passed + (fabric.bytes() - counted) * nanosPerByte);
        }

        @Override
        public long epochMillis() {
            return nanoTime() / 1_000_000;
        }

        @Override
        public void segment(long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
            worked.addAndGet(phase == Phase.ENCODE ? bytes / 100 : 0);
        }

        @Override
        public void ended(Collective collective) {}
    }

    private static TestGroup group(int world, WireClock clock, CompressionStrategy compression) {
        var options = EngineOptions.DEFAULTS.as(compression).within(Duration.ofDays(3000));
        var group = new TestGroup(world, options, clock);
        clock.fabric = group.fabric;
        group.engine(0).trace(clock);
        return group;
    }

    private static MemorySegment gradient(int rank, Arena arena) {
        MemorySegment values = arena.allocate(ValueLayout.JAVA_FLOAT, COUNT);
        for (int i = 0; i < COUNT; i++) {
            values.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) Math.sin(i * 0.37 + rank));
        }
        return values;
    }

    /** Does {@code times} sums of one tensor on each of these ranks. Returns each rank's last result. */
    private static Map<Integer, List<Float>> sums(TestGroup group, List<Integer> ranks, int times) throws Exception {
        var results = new ConcurrentHashMap<Integer, List<Float>>();
        group.start((rank, _) -> {
                    if (ranks.contains(rank)) {
                        results.put(rank, sums(group.engine(rank), rank, times));
                    }
                })
                .joinWell();
        return results;
    }

    private static List<Float> sums(CollectiveEngine engine, int rank, int times) throws Exception {
        try (var arena = Arena.ofShared()) {
            MemorySegment values = arena.allocate(COUNT * 4L);
            for (int i = 0; i < times; i++) {
                values.copyFrom(gradient(rank, arena));
                var how = CollectiveOptions.DEFAULTS.forTensor("layer"); // the same tensor in each sum
                engine.allReduce(values, DataType.FLOAT32, ReduceOp.SUM, how);
            }
            var result = new ArrayList<Float>();
            for (int i = 0; i < COUNT; i++) {
                result.add(values.getAtIndex(ValueLayout.JAVA_FLOAT, i));
            }
            return result;
        }
    }

    private static String chosen(CollectiveEngine engine) {
        List<CompressionChoice> choices = engine.metricsSnapshot().choices();
        assertEquals(1, choices.size(), "" + choices);
        return choices.getFirst().chosen();
    }

    private static boolean isChosen(CollectiveEngine engine, String codec) {
        return engine.metricsSnapshot().choices().stream()
                .anyMatch(choice -> choice.chosen().equals(codec));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void aSlowLinkIsSparedAndAllRanksHaveTheSameBits(int world) throws Exception {
        var clock = new WireClock();
        try (var group = group(world, clock, LOSSY)) {
            List<Integer> all = CollectiveEngineTest.ranks(world);
            sums(group, all, 1);
            assertEquals(List.of(), group.engine(0).metricsSnapshot().choices(), "nothing is known yet");
            long before = group.fabric.bytes();
            sums(group, all, 1);
            long plain = group.fabric.bytes() - before;
            sums(group, all, UNTIL_SETTLED);
            before = group.fabric.bytes();
            Map<Integer, List<Float>> results = sums(group, all, 1);
            long bytes = group.fabric.bytes() - before;
            for (int rank : all) {
                assertEquals(TOP_K, chosen(group.engine(rank)));
                assertEquals(results.get(0), results.get(rank));
                assertTrue(group.engine(rank)
                                .metricsSnapshot()
                                .choices()
                                .getFirst()
                                .gain()
                        > 5);
            }
            assertTrue(bytes < plain / 10, bytes + " of " + plain);
        }
    }

    /** Two sizes between 2^15 and 2^16 values, of which one takes 1.7 times as long as the other: no link has changed. */
    @Test
    void tensorsOfTwoSizesInEachStepSettleBoth() throws Exception {
        var clock = new WireClock();
        int[] counts = {36_000, 62_000};
        try (var group = group(2, clock, LOSSY)) {
            for (boolean settled : new boolean[] {false, true}) {
                long before = group.fabric.bytes();
                int steps = 2 * UNTIL_SETTLED;
                group.start((rank, _) -> {
                            try (var arena = Arena.ofShared()) {
                                for (int step = 0; step < steps; step++) {
                                    for (int count : counts) {
                                        MemorySegment values = gradient(rank, arena);
                                        MemorySegment tensor = arena.allocate(count * 4L);
                                        long bytes = Math.min(values.byteSize(), tensor.byteSize());
                                        MemorySegment.copy(values, 0, tensor, 0, bytes);
                                        group.engine(rank)
                                                .allReduce(
                                                        tensor,
                                                        DataType.FLOAT32,
                                                        ReduceOp.SUM,
                                                        CollectiveOptions.DEFAULTS);
                                    }
                                }
                            }
                        })
                        .joinWell();
                long bytes = group.fabric.bytes() - before;
                long plain = 2L * steps * 4 * (36_000 + 62_000);
                assertTrue(!settled || bytes < plain / 10, bytes + " of " + plain);
            }
            assertEquals(
                    List.of(36_000 * 4L, 62_000 * 4L),
                    group.engine(0).metricsSnapshot().choices().stream()
                            .map(CompressionChoice::bytes)
                            .toList());
            assertTrue(group.engine(1).metricsSnapshot().choices().stream()
                    .allMatch(choice -> choice.chosen().equals(TOP_K)));
        }
    }

    @Test
    void aGroupOfOneTriesNothing() throws Exception {
        try (var group = group(1, new WireClock(), CompressionStrategy.parse("auto:topk:0.01"))) {
            List<Float> sum = Objects.requireNonNull(
                    sums(group, List.of(0), 2 * UNTIL_SETTLED).get(0));
            assertEquals(List.of(), group.engine(0).metricsSnapshot().choices());
            for (int i = 0; i < COUNT; i++) {
                assertEquals((float) Math.sin(i * 0.37), sum.get(i));
            }
        }
    }

    /** Otherwise the timing of codecs and the compilation for the first sum would wait for each other. */
    @Test
    void codecsAreTimedAfterTheFirstSum() throws Exception {
        try (var group = group(2, new WireClock(), LOSSY)) {
            sums(group, List.of(0, 1), 1);
            assertEquals(0, group.costsAsked.get());
            sums(group, List.of(0, 1), UNTIL_SETTLED);
            assertTrue(group.costsAsked.get() > 0);
        }
    }

    @Test
    void aFastLinkIsLeftAloneAndNothingIsLost() throws Exception {
        var clock = new WireClock();
        clock.nanosPerByte = FAST;
        try (var group = group(2, clock, LOSSY)) {
            List<Float> sum = Objects.requireNonNull(
                    sums(group, List.of(0, 1), UNTIL_SETTLED).get(1));
            assertEquals("none", chosen(group.engine(1)));
            for (int i = 0; i < COUNT; i++) {
                assertEquals((float) Math.sin(i * 0.37) + (float) Math.sin(i * 0.37 + 1), sum.get(i));
            }
        }
    }

    @Test
    void withoutLeaveNothingLossyIsEverUsed() throws Exception {
        var clock = new WireClock();
        try (var group = group(2, clock, CompressionStrategy.AUTO)) {
            sums(group, List.of(0, 1), 20);
            assertEquals(List.of(), group.engine(0).metricsSnapshot().choices());
            assertEquals(
                    group.engine(0).metricsSnapshot().denseBytes(),
                    20L * COUNT * Float.BYTES / 2 * 2,
                    "as many bytes as a plain ring");
        }
    }

    /** Plain sums after topk contain its residuals: added up over all steps, nothing is missing. */
    @Test
    void aChangedLinkChangesTheChoiceAndWhatIsOwedFollows() throws Exception {
        var clock = new WireClock();
        int times = 10;
        try (var group = group(2, clock, CompressionStrategy.parse("auto:topk:0.01"))) {
            double[][] totals = new double[2][COUNT];
            int steps = 0;
            for (double link : new double[] {SLOW, FAST, SLOW, FAST}) {
                clock.link(link);
                String awaited = link == SLOW ? "topk:0.01" : "none";
                do {
                    group.start((rank, _) -> {
                                double[] total = totals[rank];
                                for (int i = 0; i < times; i++) {
                                    List<Float> sum = sums(group.engine(rank), rank, 1);
                                    for (int at = 0; at < COUNT; at++) {
                                        total[at] += sum.get(at);
                                    }
                                }
                            })
                            .joinWell();
                    steps += times;
                    assertTrue(steps < 2000, "still not " + awaited + " at " + link + " ns/byte");
                } while (!isChosen(group.engine(0), awaited));
            }
            for (int i = 0; i < COUNT; i++) {
                double all = steps * ((float) Math.sin(i * 0.37) + (double) (float) Math.sin(i * 0.37 + 1));
                assertEquals(all, totals[0][i], 1e-5 * steps, "value " + i);
                assertEquals(totals[0][i], totals[1][i]);
            }
        }
    }

    @Test
    void whoIsLeftChoosesAnew() throws Exception {
        var clock = new WireClock();
        try (var group = group(3, clock, LOSSY)) {
            sums(group, List.of(0, 1, 2), UNTIL_SETTLED + 1);
            NodeId lost = group.nodes.get(2);
            group.fabric.kill(lost);
            group.change(group.without(lost));
            Map<Integer, List<Float>> results = sums(group, List.of(0, 1), 1 + UNTIL_SETTLED);
            assertEquals(results.get(0), results.get(1));
            for (int rank = 0; rank < 2; rank++) {
                CompressionChoice choice =
                        group.engine(rank).metricsSnapshot().choices().getFirst();
                assertEquals(2, choice.world());
                assertEquals(TOP_K, choice.chosen());
            }
        }
    }

    /** A joining member does not know earlier votes; the others forget them at the same boundary. */
    @Test
    void whoEntersVotesWithTheOthers() throws Exception {
        var clock = new WireClock();
        try (var group = group(3, clock, LOSSY)) {
            NodeId late = group.nodes.get(2);
            group.change(group.without(late));
            group.alone(late);
            stepsAndSums(group, List.of(0, 1), UNTIL_SETTLED);
            assertEquals(TOP_K, chosen(group.engine(1)));
            group.nodes.forEach(node -> group.of(node).hold(true));
            TestGroup.Run run = group.start((rank, _) -> stepAndSums(group.engine(rank), rank, UNTIL_SETTLED));
            group.enter(late);
            group.nodes.forEach(node -> group.of(node).hold(false));
            run.joinWell();
            for (int rank = 0; rank < 3; rank++) {
                assertEquals(TOP_K, chosen(group.engine(rank)));
                assertEquals(
                        3,
                        group.engine(rank)
                                .metricsSnapshot()
                                .choices()
                                .getFirst()
                                .world());
            }
        }
    }

    private static void stepsAndSums(TestGroup group, List<Integer> ranks, int times) throws Exception {
        group.start((rank, _) -> {
                    if (ranks.contains(rank)) {
                        stepAndSums(group.engine(rank), rank, times);
                    }
                })
                .joinWell();
    }

    private static void stepAndSums(CollectiveEngine engine, int rank, int times) throws Exception {
        engine.beginStep(CollectiveOptions.DEFAULTS);
        sums(engine, rank, times);
    }

    @Test
    void ranksThatAllowDifferentCodecsAreTold() throws Exception {
        var clock = new WireClock();
        try (var group = group(2, clock, LOSSY)) {
            Map<Integer, Throwable> thrown = group.start((rank, _) -> {
                        try (var arena = Arena.ofShared()) {
                            var how = CollectiveOptions.DEFAULTS.as(
                                    CompressionStrategy.parse(rank == 0 ? "auto:fp16" : "auto:int8"));
                            group.engine(rank).allReduce(gradient(rank, arena), DataType.FLOAT32, ReduceOp.SUM, how);
                        }
                    })
                    .join();
            assertEquals(2, thrown.size());
            for (Throwable error : thrown.values()) {
                assertInstanceOf(CollectiveMismatchException.class, error);
                assertTrue(String.valueOf(error.getMessage()).contains("auto:fp16"), error.getMessage());
            }
            sums(group, List.of(0, 1), 3);
        }
    }

    /** An error of the script ends one call on all ranks. After it, all ranks have forgotten their votes. */
    @Test
    void ranksThatSummedDifferentTensorsGoOnTogether() throws Exception {
        var clock = new WireClock();
        try (var group = group(2, clock, LOSSY)) {
            for (int settled : new int[] {0, UNTIL_SETTLED}) {
                sums(group, List.of(0, 1), settled);
                Map<Integer, Throwable> thrown = group.start((rank, _) -> {
                            try (var arena = Arena.ofShared()) {
                                MemorySegment some = arena.allocate((rank + 1L) << 18);
                                group.engine(rank)
                                        .allReduce(some, DataType.FLOAT32, ReduceOp.SUM, CollectiveOptions.DEFAULTS);
                            }
                        })
                        .join();
                assertEquals(2, thrown.size(), "after " + settled);
                Map<Integer, List<Float>> results = sums(group, List.of(0, 1), UNTIL_SETTLED);
                assertEquals(results.get(0), results.get(1));
                assertEquals(TOP_K, chosen(group.engine(0)));
            }
        }
    }

    /** Values that the chosen codec cannot carry are summed plain; the next sum is encoded again. */
    @Test
    void whatIsNotFiniteArrivesWhateverIsChosen() throws Exception {
        var clock = new WireClock();
        try (var group = group(2, clock, LOSSY)) {
            sums(group, List.of(0, 1), UNTIL_SETTLED);
            group.start((rank, _) -> {
                        try (var arena = Arena.ofShared()) {
                            MemorySegment values = gradient(rank, arena);
                            values.setAtIndex(ValueLayout.JAVA_FLOAT, 17, Float.NaN);
                            group.engine(rank)
                                    .allReduce(values, DataType.FLOAT32, ReduceOp.SUM, CollectiveOptions.DEFAULTS);
                            assertTrue(Float.isNaN(values.getAtIndex(ValueLayout.JAVA_FLOAT, 17)));
                            assertTrue(Float.isFinite(values.getAtIndex(ValueLayout.JAVA_FLOAT, 18)));
                        }
                    })
                    .joinWell();
            sums(group, List.of(0, 1), 1);
        }
    }

    /** A rejection that the caller asked for ends one sum, and all ranks vote again. */
    @Test
    void whatCannotBeCarriedIsRefusedAndTheNextSumGoesOn() throws Exception {
        var clock = new WireClock();
        try (var group = group(2, clock, CompressionStrategy.parse("auto:int8:64"))) {
            sums(group, List.of(0, 1), UNTIL_SETTLED);
            assertEquals("int8:64", chosen(group.engine(0)));
            Map<Integer, Throwable> thrown = group.start((rank, _) -> {
                        try (var arena = Arena.ofShared()) {
                            MemorySegment values = gradient(rank, arena);
                            values.setAtIndex(ValueLayout.JAVA_FLOAT, 17, Float.NaN);
                            group.engine(rank)
                                    .allReduce(values, DataType.FLOAT32, ReduceOp.SUM, CollectiveOptions.DEFAULTS);
                        }
                    })
                    .join();
            assertEquals(2, thrown.size());
            long bytes = group.fabric.bytes();
            sums(group, List.of(0, 1), 1);
            assertTrue(group.fabric.bytes() - bytes > 4L * COUNT, "plain: the vote is forgotten");
        }
    }

    @Test
    void aMemberLostInTheMiddleOfAVoteHoldsNobodyUp() throws Exception {
        for (int after = 0; after < 6; after++) {
            var clock = new WireClock();
            try (var group = group(3, clock, LOSSY)) {
                NodeId lost = group.nodes.get(2);
                group.fabric.killAfter(lost, after, () -> {});
                TestGroup.Run run = group.start((rank, _) -> sums(group.engine(rank), rank, UNTIL_SETTLED + 1));
                group.awaitTold("broken");
                group.fabric.kill(lost);
                group.change(group.without(lost));
                group.end(lost);
                Map<Integer, Throwable> thrown = run.join(List.of(0, 1));
                assertEquals(Map.of(), thrown, "after " + after);
                sums(group, List.of(0, 1), 1);
            }
        }
    }

    /** Small sizes, integers and maxima are uncompressed and cause no vote. */
    @Test
    void whatIsNotForACodecIsPlain() throws Exception {
        var clock = new WireClock();
        try (var group = group(2, clock, LOSSY)) {
            group.start((rank, _) -> {
                        try (var arena = Arena.ofShared()) {
                            var engine = group.engine(rank);
                            for (int i = 0; i < 8; i++) {
                                engine.allReduce(
                                        gradient(rank, arena),
                                        DataType.FLOAT32,
                                        ReduceOp.MAX,
                                        CollectiveOptions.DEFAULTS);
                                engine.allReduce(
                                        arena.allocate(4000),
                                        DataType.FLOAT32,
                                        ReduceOp.SUM,
                                        CollectiveOptions.DEFAULTS);
                            }
                        }
                    })
                    .joinWell();
            assertEquals(List.of(), group.engine(0).metricsSnapshot().choices());
        }
    }

    @Test
    void collectivesThatRunOnTheirOwnChooseToo() throws Exception {
        var clock = new WireClock();
        try (var group = group(2, clock, LOSSY)) {
            group.start((rank, _) -> {
                        try (var arena = Arena.ofShared()) {
                            var open = new ArrayList<Work>();
                            for (int i = 0; i < UNTIL_SETTLED; i++) {
                                open.add(group.engine(rank)
                                        .allReduceAsync(
                                                gradient(rank, arena),
                                                DataType.FLOAT32,
                                                ReduceOp.AVG,
                                                CollectiveOptions.DEFAULTS));
                            }
                            for (Work work : open) {
                                work.await();
                            }
                        }
                    })
                    .joinWell();
            assertEquals(TOP_K, chosen(group.engine(0)));
        }
    }
}
