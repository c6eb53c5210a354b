package io.hearth.topology.plan;

import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The parameters of all structures for one group, by rank. An empty list stands for the plain choice, which works in a world of any size.
 *
 * @param order hop order of the ring: all ranks, starting with 0; empty: rank order
 * @param weights share of the buffer that each rank owns in a direct sum, sum {@value #WEIGHTS_SUM}; empty: equal shares
 * @param islands for each rank the leader of its island, a leader names itself; at least two islands, one of them with two ranks or more;
 *     empty: no islands
 * @param leaderWeights share of the buffer that each leader owns among the leaders, in order of rank, sum {@value #WEIGHTS_SUM}; empty:
 *     equal shares
 * @param costs as predicted when the plan was made
 */
public record Plan(
        List<Integer> order,
        List<Integer> weights,
        List<Integer> islands,
        List<Integer> leaderWeights,
        PlanCosts costs) {
    /** Sum of all weights. */
    public static final int WEIGHTS_SUM = 65_535;

    /** The plain choice of everything; nothing is predicted. */
    public static final Plan NONE = new Plan(List.of(), List.of(), List.of(), List.of(), PlanCosts.UNKNOWN);

    public Plan {
        order = List.copyOf(order);
        weights = List.copyOf(weights);
        islands = List.copyOf(islands);
        leaderWeights = List.copyOf(leaderWeights);
        long worlds = Stream.of(order, weights, islands)
                .map(List::size)
                .filter(size -> size > 0)
                .distinct()
                .count();
        check(worlds <= 1, "lists of one world", "sizes", List.of(order.size(), weights.size(), islands.size()));
        check(isOrder(order), "each rank once, starting with 0", "order", order);
        check(areWeights(weights), "0 or more with the sum " + WEIGHTS_SUM, "weights", weights);
        check(areIslands(islands), "two islands or more, of which one has two ranks", "islands", islands);
        check(areWeights(leaderWeights), "0 or more with the sum " + WEIGHTS_SUM, "leaderWeights", leaderWeights);
        check(
                leaderWeights.isEmpty()
                        || leaderWeights.size() == leaders(islands).size(),
                "one weight for each leader",
                "leaderWeights",
                leaderWeights);
    }

    /** A plan whose leaders own equal shares. */
    public Plan(List<Integer> order, List<Integer> weights, List<Integer> islands, PlanCosts costs) {
        this(order, weights, islands, List.of(), costs);
    }

    private static void check(boolean isRight, String rule, String name, List<Integer> got) {
        if (!isRight) {
            throw new IllegalArgumentException("a plan needs " + rule + "; got " + name + " " + got);
        }
    }

    private static boolean isOrder(List<Integer> order) {
        if (order.isEmpty()) {
            return true;
        }
        List<Integer> ranks = IntStream.range(0, order.size()).boxed().toList();
        return order.size() <= LinkMatrix.WORLD_MAX
                && order.getFirst() == 0
                && order.stream().sorted().toList().equals(ranks);
    }

    private static boolean areWeights(List<Integer> weights) {
        if (weights.isEmpty()) {
            return true;
        }
        return weights.size() <= LinkMatrix.WORLD_MAX
                && weights.stream().allMatch(weight -> weight >= 0)
                && weights.stream().mapToLong(Integer::longValue).sum() == WEIGHTS_SUM;
    }

    private static boolean areIslands(List<Integer> islands) {
        int world = islands.size();
        if (world == 0) {
            return true;
        }
        boolean areRanks = world <= LinkMatrix.WORLD_MAX
                && islands.stream().allMatch(leader -> leader >= 0 && leader < world)
                && islands.stream().allMatch(leader -> islands.get(leader).equals(leader));
        int leaders = leaders(islands).size();
        return areRanks && leaders >= 2 && leaders < world;
    }

    private static List<Integer> leaders(List<Integer> islands) {
        return islands.stream().distinct().sorted().toList();
    }

    /** The leaders of the islands by rank; empty if there are no islands. */
    public List<Integer> leaders() {
        return leaders(islands);
    }

    /** The world for which the plan was made; empty if all its choices are plain ones. */
    public OptionalInt world() {
        return Stream.of(order, weights, islands)
                .mapToInt(List::size)
                .filter(size -> size > 0)
                .findFirst();
    }

    /** The same choices with other predictions. */
    public Plan with(PlanCosts predicted) {
        return new Plan(order, weights, islands, leaderWeights, predicted);
    }
}
