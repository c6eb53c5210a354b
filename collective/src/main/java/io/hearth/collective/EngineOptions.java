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
 */
public record EngineOptions(
        Duration deadline,
        CollectiveConfig config,
        LossPolicy policy,
        Duration stateBudget,
        CompressionStrategy compression,
        RankBounds ranks) {
    /** Deadline of 5 minutes, 10 s for the state, retries after a loss, no compression, any number of ranks. */
    public static final EngineOptions DEFAULTS = new EngineOptions(
            Duration.ofMinutes(5),
            CollectiveConfig.DEFAULTS,
            LossPolicy.RETRY,
            Duration.ofSeconds(10),
            CompressionStrategy.NONE,
            RankBounds.ANY);

    public EngineOptions {
        if (!deadline.isPositive() || !stateBudget.isPositive()) {
            throw new IllegalArgumentException(
                    "deadline and stateBudget must be positive, got " + deadline + " and " + stateBudget);
        }
    }

    /** Options for any number of ranks. */
    public EngineOptions(
            Duration deadline,
            CollectiveConfig config,
            LossPolicy policy,
            Duration stateBudget,
            CompressionStrategy compression) {
        this(deadline, config, policy, stateBudget, compression, RankBounds.ANY);
    }

    /** The same with another deadline. */
    public EngineOptions within(Duration limit) {
        return new EngineOptions(limit, config, policy, stateBudget, compression, ranks);
    }

    /** The same with another policy. */
    public EngineOptions onLoss(LossPolicy chosen) {
        return new EngineOptions(deadline, config, chosen, stateBudget, compression, ranks);
    }

    /** The same with a compression. */
    public EngineOptions as(CompressionStrategy chosen) {
        return new EngineOptions(deadline, config, policy, stateBudget, chosen, ranks);
    }

    /** The same with other algorithms and sizes. */
    public EngineOptions with(CollectiveConfig other) {
        return new EngineOptions(deadline, other, policy, stateBudget, compression, ranks);
    }

    /** The same with other limits on the number of ranks. */
    public EngineOptions with(RankBounds bounds) {
        return new EngineOptions(deadline, config, policy, stateBudget, compression, bounds);
    }
}
