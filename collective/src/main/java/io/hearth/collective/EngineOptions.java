package io.hearth.collective;

import io.hearth.compression.CompressionStrategy;
import java.time.Duration;

/**
 * Settings of an engine; the options of a call override deadline and compression.
 *
 * @param deadline positive; the longest time of one collective, waiting for slower ranks and view changes included
 * @param config algorithms and sizes; the same on all ranks
 * @param policy effect of a loss on open collectives
 * @param stateBudget positive; how long the group waits at most while this member takes over its shared state
 * @param compression codec of float32 values in SUM and AVG
 * @param ranks limits on the number of ranks of the group
 * @param planAfterBytes bytes of results after which ranks that begin no steps agree on a plan for the first time, and again later, see
 *     {@link io.hearth.collective.group.PlanPoints}; the same on all ranks; 0 for never
 */
public record EngineOptions(
        Duration deadline,
        CollectiveConfig config,
        LossPolicy policy,
        Duration stateBudget,
        CompressionStrategy compression,
        RankBounds ranks,
        long planAfterBytes) {
    /** Deadline of 5 minutes, 10 s for the state, retries after a loss, no compression, any number of ranks. */
    public static final EngineOptions DEFAULTS = new EngineOptions(
            Duration.ofMinutes(5),
            CollectiveConfig.DEFAULTS,
            LossPolicy.RETRY,
            Duration.ofSeconds(10),
            CompressionStrategy.NONE,
            RankBounds.ANY,
            0);

    public EngineOptions {
        if (!deadline.isPositive() || !stateBudget.isPositive()) {
            throw new IllegalArgumentException(
                    "deadline and stateBudget must be positive, got " + deadline + " and " + stateBudget);
        }
        if (planAfterBytes < 0) {
            throw new IllegalArgumentException("planAfterBytes must be 0 or more, got " + planAfterBytes);
        }
    }

    /** Options for any number of ranks. */
    public EngineOptions(
            Duration deadline,
            CollectiveConfig config,
            LossPolicy policy,
            Duration stateBudget,
            CompressionStrategy compression) {
        this(deadline, config, policy, stateBudget, compression, RankBounds.ANY, 0);
    }

    /** The same with another deadline. */
    public EngineOptions within(Duration limit) {
        return new EngineOptions(limit, config, policy, stateBudget, compression, ranks, planAfterBytes);
    }

    /** The same with another policy. */
    public EngineOptions onLoss(LossPolicy chosen) {
        return new EngineOptions(deadline, config, chosen, stateBudget, compression, ranks, planAfterBytes);
    }

    /** The same with a compression. */
    public EngineOptions as(CompressionStrategy chosen) {
        return new EngineOptions(deadline, config, policy, stateBudget, chosen, ranks, planAfterBytes);
    }

    /** The same with other algorithms and sizes. */
    public EngineOptions with(CollectiveConfig other) {
        return new EngineOptions(deadline, other, policy, stateBudget, compression, ranks, planAfterBytes);
    }

    /** The same for a subgroup: with any number of ranks, and without plans of its own. */
    public EngineOptions ofSubgroup() {
        return new EngineOptions(deadline, config, policy, stateBudget, compression, RankBounds.ANY, 0);
    }

    /** The same with other limits on the number of ranks. */
    public EngineOptions with(RankBounds bounds) {
        return new EngineOptions(deadline, config, policy, stateBudget, compression, bounds, planAfterBytes);
    }

    /** The same with agreements on plans in scripts without steps, from that number of bytes on; 0 for none. */
    public EngineOptions planningAfter(long bytes) {
        return new EngineOptions(deadline, config, policy, stateBudget, compression, ranks, bytes);
    }
}
