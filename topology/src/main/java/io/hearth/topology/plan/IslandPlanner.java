package io.hearth.topology.plan;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Chooses islands, a leader for each, and the leaders' shares. */
final class IslandPlanner {
    /** For more ranks, leaders are chosen by their own links alone. */
    private static final int COMPARED_WORLD_MAX = 32;

    private static final Choice NONE = new Choice(List.of(), List.of(), Double.POSITIVE_INFINITY);

    private final Network network;
    private final Work work;

    /**
     * A choice of islands.
     *
     * @param islands as in {@link Plan#islands}
     * @param leaderWeights as in {@link Plan#leaderWeights}
     * @param picos of the slowest place, for each byte of the buffer
     */
    record Choice(List<Integer> islands, List<Integer> leaderWeights, double picos) {}

    IslandPlanner(Network network, Work work) {
        this.network = network;
        this.work = work;
    }

    /** The partition and leaders with the least predicted time; without islands if there is no possible partition. */
    Choice best() {
        Choice best = NONE;
        for (Partition partition : network.partitions()) {
            int[] leaders = IntStream.range(0, partition.count())
                    .map(island -> nearest(partition, island))
                    .toArray();
            if (network.world() <= COMPARED_WORLD_MAX) {
                compare(partition, leaders);
            }
            Choice choice = choice(islands(partition, leaders));
            if (choice.picos() < best.picos()) {
                best = choice;
            }
        }
        return best;
    }

    /** The member with the least time on its own links: to the members, through its port, and to the nearest rank of each other island. */
    private int nearest(Partition partition, int island) {
        int size = partition.size(island);
        int best = partition.first(island);
        double least = Double.POSITIVE_INFINITY;
        for (int rank = best; rank < network.world(); rank++) {
            if (partition.island(rank) == island) {
                double picos = Math.max(size * network.port(rank), links(partition, rank));
                if (picos < least) {
                    best = rank;
                    least = picos;
                }
            }
        }
        return best;
    }

    private double links(Partition partition, int rank) {
        var across = new double[partition.count()];
        Arrays.fill(across, Double.POSITIVE_INFINITY);
        int own = partition.island(rank);
        across[own] = 0;
        for (int other = 0; other < network.world(); other++) {
            int island = partition.island(other);
            if (island != own) {
                across[island] = Math.min(across[island], network.both(rank, other));
            } else if (other != rank) {
                across[own] = Math.max(across[own], network.both(rank, other));
            }
        }
        return Arrays.stream(across).max().orElse(0);
    }

    /** Replaces one leader after the other where that helps the whole. */
    private void compare(Partition partition, int[] leaders) {
        double least = withEqualShares(islands(partition, leaders));
        for (int rank = 0; rank < network.world(); rank++) {
            int island = partition.island(rank);
            int before = leaders[island];
            leaders[island] = rank;
            double picos = withEqualShares(islands(partition, leaders));
            if (picos < least) {
                least = picos;
            } else {
                leaders[island] = before;
            }
        }
    }

    private List<Integer> islands(Partition partition, int[] leaders) {
        return IntStream.range(0, network.world())
                .mapToObj(rank -> leaders[partition.island(rank)])
                .toList();
    }

    private double withEqualShares(List<Integer> islands) {
        return ownership(islands).worst(List.of()).picos();
    }

    private Choice choice(List<Integer> islands) {
        Ownership.Shares shares = ownership(islands).best();
        double picos = shares.worst().picos();
        return Double.isFinite(picos) ? new Choice(islands, shares.weights(), picos) : NONE;
    }

    private Ownership ownership(List<Integer> islands) {
        int[] leaders =
                islands.stream().mapToInt(Integer::intValue).distinct().sorted().toArray();
        return new Ownership(network, leaders, Predictor.memberFlow(islands), work);
    }
}
