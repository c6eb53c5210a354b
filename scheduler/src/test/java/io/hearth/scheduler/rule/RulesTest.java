package io.hearth.scheduler.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.NodeStatus;
import io.hearth.scheduler.Topology;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules, against tables. */
final class RulesTest {
    private static final long SECOND = 1_000_000_000L;

    @ParameterizedTest
    @CsvSource({
        "10, 3, 0-3 3-6 6-10",
        "9, 3, 0-3 3-6 6-9",
        "2, 3, 0-0 0-0 0-2",
        "0, 2, 0-0 0-0",
        "7, 1, 0-7",
        "9223372036854775807, 2, 0-4611686018427387903 4611686018427387903-9223372036854775807",
    })
    void shards(long size, int count, String ranges) {
        String got = String.join(
                " ",
                IntStream.range(0, count)
                        .mapToObj(i -> ShardPlan.start(size, count, i) + "-" + ShardPlan.end(size, count, i))
                        .toList());
        assertEquals(ranges, got);
        assertEquals("job_shard_" + (count - 1), ShardPlan.id("job", count - 1));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0, 0.35", // an unknown locality counts as 0.1
        "1, 0, 8, 1",
        "1, 10, 0, 0.5",
        "1, 25, 0, 0.5", // not less than nothing
        "0.5, 5, 4, 0.5",
        "0, 0, 16, 0.55", // not more than all
        "0.9, 2.5, 2, 0.725",
    })
    void scores(double locality, double load, int gpus, double score) {
        assertEquals(score, NodeScore.of(locality, load, gpus), 1e-12);
    }

    @ParameterizedTest
    @CsvSource({"'', 811c9dc5", "a, e40c292c", "foobar, bf9cf968", "job_shard_0, 6112b060"})
    void hashes(String text, String hash) {
        assertEquals(Integer.parseUnsignedInt(hash, 16), Fnv1a.hash(text));
    }

    @ParameterizedTest
    @CsvSource({
        "ALL_REDUCE, 32, 3, 131072, true",
        "PARAMETER_SERVER, 32, 3, 65536, true",
        "DATA_PARALLEL, 32, 1, 262144, false",
        "UNKNOWN, 0, 2, 262144, true",
        "ALL_REDUCE, 16777216, 2, 68719476736, true",
    })
    void prefetching(Topology topology, int batch, int nodes, long bytes, boolean isCached) {
        assertEquals(new PrefetchAdvice(bytes, isCached), PrefetchAdvice.of(topology, batch, nodes));
    }

    @Test
    void anUnknownJobIsReadAheadALittle() {
        assertEquals(new PrefetchAdvice(65_536, false), PrefetchAdvice.UNKNOWN_JOB);
    }

    @ParameterizedTest
    @CsvSource({
        "a=10 b=10 c=10, ''",
        "a=10 b=10 c=5, c", // mean 8.33, limit 6.67
        "a=5 b=5 c=4, ''", // mean 4.67, limit 3.73
        "a=10 b=8, ''", // mean 9, limit 7.2
        "a=10 b=6, b", // mean 8, limit 6.4
        "a=0 b=0, ''",
        "a=1 b=0, b",
        "'', ''",
    })
    void stragglers(String epochs, String behind) {
        var map = new TreeMap<String, Long>();
        for (String each : epochs.split(" ", -1)) {
            if (!each.isEmpty()) {
                map.put(each.split("=", -1)[0], Long.parseLong(each.split("=", -1)[1]));
            }
        }
        assertEquals(behind, String.join(" ", Stragglers.of(map)));
    }

    @Test
    void aNodeIsNearWhenItsMeanLocalityIsHigh() {
        assertTrue(Stragglers.isNear(near(Map.of("/a", 0.9, "/b", 0.6))));
        assertFalse(Stragglers.isNear(near(Map.of("/a", 0.7))));
        assertFalse(Stragglers.isNear(near(Map.of())));
    }

    private static NodeSpec near(Map<String, Double> localities) {
        NodeSpec node = NodeSpec.worker("a", "");
        return new NodeSpec("a", "", node.role(), "", "", node.capabilities(), new TreeMap<>(localities));
    }

    @Test
    void ratesAndTimesToGo() {
        Rate rate = Rate.begin(100, 0);
        assertEquals(0, rate.perSecond());
        rate = rate.next(300, 2 * SECOND);
        assertEquals(100, rate.perSecond());
        assertEquals(rate, rate.next(400, 2 * SECOND + 1)); // too soon to tell
        rate = rate.next(500, 3 * SECOND);
        assertEquals(150, rate.perSecond());
        assertEquals(0, rate.next(10, 4 * SECOND).perSecond()); // it began again
        assertEquals(OptionalDouble.of(5), Rate.etaSeconds(1_250, 500, 150));
        assertEquals(OptionalDouble.of(0), Rate.etaSeconds(100, 500, 150));
        assertEquals(OptionalDouble.empty(), Rate.etaSeconds(0, 500, 150));
        assertEquals(OptionalDouble.empty(), Rate.etaSeconds(1_000, 500, 0));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, false, HEALTHY",
        "0, 7, false, BUSY",
        "0, 10, false, OVERLOADED",
        "0, 10, true, UNHEALTHY",
        "30, 0, false, UNHEALTHY",
        "29, 0, false, HEALTHY",
        "60, 0, false, OFFLINE",
    })
    void health(long ageSeconds, double load, boolean isAccused, NodeStatus status) {
        assertEquals(status, Health.of(ageSeconds * SECOND, 60 * SECOND, load, isAccused));
    }

    @Test
    void chanceFollowsFromItsSeed() {
        var one = new Chance(7);
        var other = new Chance(7);
        List<Integer> drawn =
                IntStream.range(0, 100).mapToObj(_ -> one.below(5)).toList();
        assertEquals(
                drawn, IntStream.range(0, 100).mapToObj(_ -> other.below(5)).toList());
        assertEquals(5, drawn.stream().distinct().count());
    }
}
