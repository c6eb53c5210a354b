package io.hearth.scheduler.rule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.scheduler.ShardStrategy;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The five strategies. */
final class PlacementTest {
    private static final Placement.Nodes THREE = new Placement.Nodes(List.of("a", "b", "c"), List.of(0.4, 0.9, 0.4));

    private static int[] place(ShardStrategy strategy, int shards, long seed) {
        return Placement.place(strategy, "job", shards, THREE, seed, List.of());
    }

    @Test
    void roundRobinGoesAround() {
        assertArrayEquals(new int[] {0, 1, 2, 0, 1}, place(ShardStrategy.ROUND_ROBIN, 5, 0));
    }

    /** The original gives all three shards to the node with the best score. */
    @Test
    void theBestNodeGetsTheRemainderOnly() {
        assertArrayEquals(new int[] {1, 0, 2}, place(ShardStrategy.LOCALITY_AWARE, 3, 0));
        assertArrayEquals(new int[] {1, 1, 0, 0, 2}, place(ShardStrategy.LOCALITY_AWARE, 5, 0)); // a before c by id
        assertArrayEquals(place(ShardStrategy.LOCALITY_AWARE, 5, 0), place(ShardStrategy.UNKNOWN, 5, 0));
    }

    @Test
    void hashesPlaceShardsByTheirIds() {
        int[] byHand = {0, 2, 1, 0, 2, 1}; // FNV-1a of job_shard_0 is 0x6112b060, and so on
        assertArrayEquals(byHand, place(ShardStrategy.HASH_BASED, 6, 0));
        assertArrayEquals(byHand, place(ShardStrategy.HASH_BASED, 6, 99)); // whatever the seed
    }

    @Test
    void chanceFollowsTheSeed() {
        assertArrayEquals(place(ShardStrategy.RANDOM, 50, 1), place(ShardStrategy.RANDOM, 50, 1));
        assertTrue(!Arrays.equals(place(ShardStrategy.RANDOM, 50, 1), place(ShardStrategy.RANDOM, 50, 2)));
    }

    @Test
    void aJobMaySayItself() {
        assertArrayEquals(
                new int[] {2, 2, 2, 0}, Placement.place(ShardStrategy.CUSTOM, "job", 4, THREE, 0, List.of(2, 2, 2, 0)));
        assertThrows(
                IllegalArgumentException.class,
                () -> Placement.place(ShardStrategy.CUSTOM, "job", 4, THREE, 0, List.of(2)));
        assertThrows(
                IllegalArgumentException.class,
                () -> Placement.place(ShardStrategy.CUSTOM, "job", 1, THREE, 0, List.of(3)));
    }

    @ParameterizedTest
    @EnumSource(value = ShardStrategy.class, mode = EnumSource.Mode.EXCLUDE, names = "CUSTOM")
    void nobodyGetsMoreThanItsShare(ShardStrategy strategy) {
        for (int nodes = 1; nodes <= 7; nodes++) {
            var several = new Placement.Nodes(
                    IntStream.range(0, nodes).mapToObj(i -> "n" + i).toList(),
                    IntStream.range(0, nodes).mapToObj(i -> 0.1 * i).toList());
            for (int shards = 1; shards <= 40; shards++) {
                int[] counts = new int[nodes];
                int[] owners = Placement.place(strategy, "job", shards, several, shards, List.of());
                assertEquals(shards, owners.length);
                for (int owner : owners) {
                    counts[owner]++;
                }
                int most = Math.ceilDiv(shards, nodes);
                assertTrue(Arrays.stream(counts).max().orElse(0) <= most, () -> Arrays.toString(counts));
            }
        }
    }
}
