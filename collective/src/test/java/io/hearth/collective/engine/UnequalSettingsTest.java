package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.schedule.LinkModel;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.ReduceOp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One rank has other settings than the rest: every call reports that on all ranks, and no rank counts as lost. */
final class UnequalSettingsTest {
    private static final CollectiveConfig USUAL = CollectiveConfig.DEFAULTS.cut(256, 1024);

    private static CollectiveConfig with(long inPlaceBytesMin, long bucketBytes, LinkModel links) {
        return new CollectiveConfig(
                USUAL.allReduce(), USUAL.broadcast(), USUAL.reduce(), 256, 1024, inPlaceBytesMin, bucketBytes, links);
    }

    static Stream<Arguments> settings() {
        long inPlace = USUAL.inPlaceBytesMin();
        long bucket = USUAL.bucketBytes();
        var dear = new LinkModel(0, 1000, 0, 0, 4, 0);
        return Stream.of(
                Arguments.of(
                        USUAL.cut(512, 1024), "has segmentBytes 512", "has 256", "has segmentBytes 256", "has 512"),
                Arguments.of(USUAL.cut(256, 0), "has inTurnBytesMax 0", "has 1024", "has inTurnBytesMax 1024", "has 0"),
                Arguments.of(
                        USUAL.inPlaceFrom(100),
                        "has inPlaceBytesMin 100",
                        "has " + inPlace,
                        "has inPlaceBytesMin " + inPlace,
                        "has 100"),
                Arguments.of(
                        with(inPlace, 77, LinkModel.GIGABIT),
                        "has bucketBytes 77",
                        "has " + bucket,
                        "has bucketBytes " + bucket,
                        "has 77"),
                Arguments.of(
                        with(inPlace, bucket, dear),
                        "have different models of their links",
                        "",
                        "have different models of their links",
                        ""));
    }

    private interface Ask {
        void make(DistributedContext context) throws CollectiveException;
    }

    private static List<Ask> asks() {
        return List.of(
                DistributedContext::barrier,
                context -> context.allReduce(ones(10), ReduceOp.SUM),
                context -> context.allReduce(ones(5000), ReduceOp.SUM),
                context -> context.allReduce(ones(300_000), ReduceOp.SUM),
                context -> context.broadcast(ones(5000), 0),
                context -> context.reduce(ones(5000), ReduceOp.SUM, 1),
                context -> context.reduceScatter(ones(5000), ReduceOp.SUM),
                context -> context.allGather(ones(500), ones(5000)),
                DistributedContext::beginStep);
    }

    private static float[] ones(int length) {
        float[] values = new float[length];
        Arrays.fill(values, 1);
        return values;
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("settings")
    void everyCallSaysWhichSettingDiffers(CollectiveConfig config, String odd, String rest, String orRest, String orOdd)
            throws Exception {
        for (int world = 2; world <= 5; world++) {
            int oddRank = world / 2;
            var order = new ArrayList<>(CollectiveEngineTest.ranks(world));
            Collections.reverse(order);
            EngineOptions patient = EngineOptions.DEFAULTS.within(Duration.ofSeconds(30));
            try (var group = new TestGroup(world, rank -> patient.with(rank == oddRank ? config : USUAL), order)) {
                group.start((_, context) -> {
                            for (Ask ask : asks()) {
                                var refused = assertThrows(CollectiveMismatchException.class, () -> ask.make(context));
                                String said = String.valueOf(refused.getMessage());
                                boolean isOddFirst = said.contains(odd) && said.contains(rest);
                                assertTrue(isOddFirst || (said.contains(orRest) && said.contains(orOdd)), said);
                                assertTrue(
                                        said.contains("rank " + oddRank + " (")
                                                && said.lines().count() == 1,
                                        said);
                            }
                        })
                        .joinWell();
                assertTrue(group.told.stream().noneMatch(said -> said.startsWith("broken")), group.told::toString);
            }
        }
    }

    @Test
    void streamsTakeWhatIsSentInTurnUnread() {
        int most = CollectiveConfig.IN_TURN_BYTES_MAX;
        assertEquals(most, CollectiveConfig.DEFAULTS.cut(256, most).inTurnBytesMax());
        var refused = assertThrows(IllegalArgumentException.class, () -> CollectiveConfig.DEFAULTS.cut(256, most + 1));
        assertTrue(String.valueOf(refused.getMessage()).contains("inTurnBytesMax 0 to " + most));
    }

    /** Ranks compare the strategies that the calls ask for. */
    @Test
    void strategiesAreComparedAsTheyAreAskedFor() throws Exception {
        try (var group = new TestGroup(
                2,
                rank -> EngineOptions.DEFAULTS.with(
                        USUAL.by(rank == 0 ? AllReduceStrategy.RING : AllReduceStrategy.TREE)),
                List.of())) {
            Map<Integer, Throwable> thrown = group.start((_, context) -> context.allReduce(ones(10), ReduceOp.SUM))
                    .join();
            String said = String.valueOf(assertInstanceOf(CollectiveMismatchException.class, thrown.get(0))
                    .getMessage());
            assertTrue(said.contains("by ring") && said.contains("by tree"), said);
            group.start((_, context) -> {
                        float[] values = ones(10);
                        context.allReduce(values, ReduceOp.SUM, CollectiveOptions.DEFAULTS.by(AllReduceStrategy.RING));
                        assertArrayEquals(new float[] {2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, values);
                    })
                    .joinWell();
        }
    }
}
