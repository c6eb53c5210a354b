package io.hearth.collective;

import io.hearth.collective.schedule.AllReduceAlgorithm;
import io.hearth.collective.schedule.BroadcastAlgorithm;
import io.hearth.collective.schedule.CostModel;
import io.hearth.collective.schedule.Islands;
import io.hearth.collective.schedule.PairAlgorithm;
import io.hearth.collective.schedule.ReduceAlgorithm;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Chooses the schedule of a call: the requested one, else the one with the shortest time by the model.
 *
 * <p>A pure function of its arguments and the model. All members have the same arguments and the same model, so they choose the same
 * without a message. Therefore a member's own measurements are no input; those of the group's plan are the same on all members.
 *
 * @param model of the links, the same on all members
 */
public record ScheduleChoice(CostModel model) {
    private static final List<AllReduceAlgorithm> ALL_REDUCE = List.of(AllReduceAlgorithm.values());
    private static final List<AllReduceAlgorithm> WITHOUT_ISLANDS = ALL_REDUCE.stream()
            .filter(algorithm -> algorithm != AllReduceAlgorithm.ISLANDS)
            .toList();
    private static final List<AllReduceAlgorithm> DIRECT =
            List.of(AllReduceAlgorithm.WHOLE_EXCHANGE, AllReduceAlgorithm.DIRECT);
    private static final List<AllReduceAlgorithm> HIERARCHICAL =
            List.of(AllReduceAlgorithm.WHOLE_EXCHANGE, AllReduceAlgorithm.ISLANDS);

    /**
     * For an all-reduce.
     *
     * @param asked requested strategy
     * @param world number of positions, 1 or more
     * @param islands that the strategy may use; several, one of them with several positions. Without any there is no {@code ISLANDS}
     * @param bytes of the buffer, 0 or more
     */
    public AllReduceAlgorithm allReduce(AllReduceStrategy asked, int world, Optional<Islands> islands, long bytes) {
        List<AllReduceAlgorithm> candidates = switch (asked) {
            case AUTO -> islands.isPresent() ? ALL_REDUCE : WITHOUT_ISLANDS;
            case RING -> List.of(AllReduceAlgorithm.RING);
            case DIRECT -> DIRECT;
            case TREE -> List.of(AllReduceAlgorithm.TREE);
            case CENTRALIZED -> List.of(AllReduceAlgorithm.STAR);
            case HIERARCHICAL -> islands.isPresent() ? HIERARCHICAL : DIRECT;
        };
        return least(asked, candidates, world, islands, bytes);
    }

    /**
     * For an all-reduce in the memory of the application; arguments as in {@link #allReduce}. Until the links are measured, a group without
     * islands uses the ring, which is never much slower.
     *
     * @param asked {@code AUTO}, {@code RING} or {@code HIERARCHICAL}
     * @return {@code RING}, {@code DIRECT} or {@code ISLANDS}
     */
    public AllReduceAlgorithm inPlace(AllReduceStrategy asked, int world, Optional<Islands> islands, long bytes) {
        return switch (asked) {
            case AUTO -> least(asked, inPlace(islands.isPresent()), world, islands, bytes);
            case HIERARCHICAL -> islands.isPresent() ? AllReduceAlgorithm.ISLANDS : AllReduceAlgorithm.DIRECT;
            case RING -> AllReduceAlgorithm.RING;
            case DIRECT, TREE, CENTRALIZED -> throw new IllegalArgumentException(asked + " is not played in place");
        };
    }

    private List<AllReduceAlgorithm> inPlace(boolean hasIslands) {
        if (!model.isMeasured()) {
            return hasIslands ? List.of(AllReduceAlgorithm.ISLANDS) : List.of(AllReduceAlgorithm.RING);
        }
        return hasIslands
                ? List.of(AllReduceAlgorithm.RING, AllReduceAlgorithm.DIRECT, AllReduceAlgorithm.ISLANDS)
                : List.of(AllReduceAlgorithm.RING, AllReduceAlgorithm.DIRECT);
    }

    private AllReduceAlgorithm least(
            AllReduceStrategy asked,
            List<AllReduceAlgorithm> candidates,
            int world,
            Optional<Islands> islands,
            long bytes) {
        return least(
                candidates,
                algorithm -> algorithm == AllReduceAlgorithm.ISLANDS
                        ? islandsNanos(asked, islands.orElseThrow(), bytes)
                        : model.allReduceNanos(algorithm, world, bytes));
    }

    /**
     * A caller who asks for islands knows that links inside are faster, which the model does not know unless links are measured. So only the
     * leaders' part counts then: one hop among all has to be faster than that alone.
     */
    private double islandsNanos(AllReduceStrategy asked, Islands islands, long bytes) {
        return asked == AllReduceStrategy.HIERARCHICAL && !model.isMeasured()
                ? model.allReduceNanos(AllReduceAlgorithm.DIRECT, islands.count(), bytes)
                : model.allReduceNanos(islands, bytes);
    }

    /** For a broadcast; arguments as in {@link #allReduce}. */
    public BroadcastAlgorithm broadcast(BroadcastStrategy asked, int world, long bytes) {
        return switch (asked) {
            case RING -> BroadcastAlgorithm.RING;
            case TREE -> BroadcastAlgorithm.TREE;
            case AUTO ->
                least(List.of(BroadcastAlgorithm.values()), algorithm -> model.broadcastNanos(algorithm, world, bytes));
        };
    }

    /** For a reduction to a root; arguments as in {@link #allReduce}. */
    public ReduceAlgorithm reduce(ReduceStrategy asked, int world, long bytes) {
        return switch (asked) {
            case RING -> ReduceAlgorithm.RING;
            case TREE -> ReduceAlgorithm.TREE;
            case CENTRALIZED -> ReduceAlgorithm.STAR;
            case AUTO ->
                least(List.of(ReduceAlgorithm.values()), algorithm -> model.reduceNanos(algorithm, world, bytes));
        };
    }

    /**
     * For a reduce-scatter.
     *
     * @param world number of positions, 1 or more
     * @param shareBytes of the largest share, 0 or more
     */
    public PairAlgorithm reduceScatter(int world, long shareBytes) {
        return least(
                List.of(PairAlgorithm.values()), algorithm -> model.reduceScatterNanos(algorithm, world, shareBytes));
    }

    /**
     * For an all-gather.
     *
     * @param world number of positions, 1 or more
     * @param blockBytes of the longest block, 0 or more
     */
    public PairAlgorithm allGather(int world, long blockBytes) {
        return least(List.of(PairAlgorithm.values()), algorithm -> model.allGatherNanos(algorithm, world, blockBytes));
    }

    /** The first candidate that no later one clearly beats: equal costs may differ by rounding. */
    private static <T> T least(List<T> candidates, ToDoubleFunction<T> nanos) {
        T best = candidates.getFirst();
        for (T candidate : candidates) {
            if (nanos.applyAsDouble(candidate) < nanos.applyAsDouble(best) * 0.999) {
                best = candidate;
            }
        }
        return best;
    }
}
