package io.hearth.simulation.scale;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.ScheduleChoice;
import io.hearth.collective.group.GroupPlan;
import io.hearth.collective.schedule.AllReduceAlgorithm;
import io.hearth.collective.schedule.DirectAllReduce;
import io.hearth.collective.schedule.IslandAllReduce;
import io.hearth.collective.schedule.Islands;
import io.hearth.collective.schedule.RingAllReduce;
import io.hearth.collective.schedule.Schedule;
import io.hearth.collective.schedule.Shares;
import io.hearth.collective.schedule.StarAllReduce;
import io.hearth.collective.schedule.TreeAllReduce;
import io.hearth.collective.schedule.WholeExchange;
import io.hearth.topology.plan.Plan;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * A float32 sum as a group with that plan makes it: predicted by the cost model, and played.
 *
 * @param bytes of the buffer
 * @param algorithm that the group chooses
 * @param predictedNanos by the cost model
 * @param playedNanos in virtual time
 * @param messages of the rank that sends most
 * @param bytesSent by the rank that sends most
 * @param bytesOfAll sent by all ranks
 */
public record PlannedSum(
        long bytes,
        AllReduceAlgorithm algorithm,
        double predictedNanos,
        double playedNanos,
        long messages,
        long bytesSent,
        long bytesOfAll) {
    private static final CollectiveConfig CONFIG = CollectiveConfig.DEFAULTS;

    /** Plays the sum. */
    static PlannedSum of(GeneratedNetwork network, Plan planned, long bytes) {
        int world = network.nodes();
        Plan plan = GroupPlan.carried(planned, world);
        Optional<Islands> islands = plan.islands().isEmpty()
                ? Optional.empty()
                : Optional.of(new Islands(plan.islands())).filter(Islands::isHierarchy);
        ScheduleChoice choice = CONFIG.choice(false, plan.costs());
        AllReduceAlgorithm algorithm = bytes >= CONFIG.inPlaceBytesMin()
                ? choice.inPlace(AllReduceStrategy.AUTO, world, islands, bytes)
                : choice.allReduce(AllReduceStrategy.AUTO, world, islands, bytes);
        double predicted = algorithm == AllReduceAlgorithm.ISLANDS
                ? choice.model().allReduceNanos(islands.orElseThrow(), bytes)
                : choice.model().allReduceNanos(algorithm, world, bytes);
        var played = new PlayedSum(
                network,
                IntStream.range(0, world)
                        .mapToObj(schedules(algorithm, plan, islands, world, bytes / Float.BYTES))
                        .toList(),
                ranks(algorithm, plan, world),
                CONFIG.segmentBytes(),
                CONFIG.links().messageNanos());
        double nanos = played.nanos();
        return new PlannedSum(
                bytes, algorithm, predicted, nanos, played.messagesMax(), played.bytesMax(), played.bytesOfAll());
    }

    private static IntFunction<Schedule> schedules(
            AllReduceAlgorithm algorithm, Plan plan, Optional<Islands> islands, int world, long count) {
        int segment = CONFIG.segmentBytes();
        return switch (algorithm) {
            case WHOLE_EXCHANGE -> position -> new WholeExchange(position, world, count, Float.BYTES, segment);
            case DIRECT -> {
                Shares shares = shares(count, plan.weights(), world);
                yield position -> new DirectAllReduce(position, shares, Float.BYTES, segment);
            }
            case RING -> position -> new RingAllReduce(position, world, count, Float.BYTES, segment);
            case TREE -> position -> new TreeAllReduce(position, world, count, Float.BYTES, segment);
            case STAR -> position -> new StarAllReduce(position, world, 0, count, Float.BYTES, segment);
            case ISLANDS -> {
                Islands led = islands.orElseThrow();
                Shares shares = shares(count, plan.leaderWeights(), led.count());
                yield position -> new IslandAllReduce(position, led, shares, Float.BYTES, segment);
            }
        };
    }

    private static Shares shares(long count, List<Integer> weights, int owners) {
        return weights.isEmpty()
                ? Shares.equal(count, owners)
                : Shares.weighted(
                        count, weights.stream().map(Integer::doubleValue).toList());
    }

    private static List<Integer> ranks(AllReduceAlgorithm algorithm, Plan plan, int world) {
        boolean isByHop = switch (algorithm) {
            case RING, TREE, STAR -> !plan.order().isEmpty();
            case WHOLE_EXCHANGE, DIRECT, ISLANDS -> false;
        };
        return isByHop ? plan.order() : IntStream.range(0, world).boxed().toList();
    }

    /** Its name in tables. */
    public String algorithmText() {
        return algorithm.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
