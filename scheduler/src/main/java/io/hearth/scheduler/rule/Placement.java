package io.hearth.scheduler.rule;

import io.hearth.scheduler.ShardStrategy;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Places the shards of a job on its nodes. Unless the job says itself where they go, no node gets more than its share, rounded up. */
public final class Placement {
    private Placement() {}

    /**
     * The nodes of a job.
     *
     * @param ids in order, at least one
     * @param scores of the nodes
     */
    public record Nodes(List<String> ids, List<Double> scores) {
        public Nodes {
            ids = List.copyOf(ids);
            scores = List.copyOf(scores);
            if (ids.isEmpty() || ids.size() != scores.size()) {
                throw new IllegalArgumentException("at least one node, and a score for each");
            }
        }
    }

    /**
     * The index of the node of each shard.
     *
     * @param seed of the random strategy
     * @param custom of the custom strategy: the index of the node of each shard
     * @throws IllegalArgumentException if {@code custom} does not name a node for each shard
     */
    public static int[] place(
            ShardStrategy strategy, String job, int shards, Nodes nodes, long seed, List<Integer> custom) {
        int count = nodes.ids().size();
        return switch (strategy) {
            case ROUND_ROBIN -> IntStream.range(0, shards).map(i -> i % count).toArray();
            case UNKNOWN, LOCALITY_AWARE -> byScore(shards, nodes);
            case HASH_BASED ->
                bounded(shards, count, i -> Integer.remainderUnsigned(Fnv1a.hash(ShardPlan.id(job, i)), count));
            case RANDOM -> {
                var chance = new Chance(seed);
                yield bounded(shards, count, _ -> chance.below(count));
            }
            case CUSTOM -> custom(shards, count, custom);
        };
    }

    /** Neighbouring shards go to one node; the best nodes get one more. Ties go by id. */
    private static int[] byScore(int shards, Nodes nodes) {
        int count = nodes.ids().size();
        List<Integer> best = IntStream.range(0, count)
                .boxed()
                .sorted(Comparator.comparing((Integer i) -> nodes.scores().get(i))
                        .reversed()
                        .thenComparing(i -> nodes.ids().get(i)))
                .toList();
        int[] owners = new int[shards];
        int at = 0;
        for (int i = 0; i < count; i++) {
            int quota = shards / count + (i < shards % count ? 1 : 0);
            for (int k = 0; k < quota; k++) {
                owners[at++] = best.get(i);
            }
        }
        return owners;
    }

    /** A node that has its share already passes the shard on to the next one. */
    private static int[] bounded(int shards, int count, IntUnaryOperator wish) {
        int most = Math.ceilDiv(shards, count);
        int[] held = new int[count];
        int[] owners = new int[shards];
        for (int i = 0; i < shards; i++) {
            int node = wish.applyAsInt(i);
            while (held[node] >= most) {
                node = (node + 1) % count;
            }
            held[node]++;
            owners[i] = node;
        }
        return owners;
    }

    private static int[] custom(int shards, int count, List<Integer> custom) {
        if (custom.size() != shards) {
            throw new IllegalArgumentException("the custom strategy names a node for each of the " + shards
                    + " shards, got " + custom.size() + " names");
        }
        return custom.stream()
                .mapToInt(node -> {
                    if (node < 0 || node >= count) {
                        throw new IllegalArgumentException("the custom strategy names nodes of the job only");
                    }
                    return node;
                })
                .toArray();
    }
}
