package io.hearth.collective;

import io.hearth.compression.Codec;
import java.time.Duration;
import java.util.Optional;

/**
 * How an engine works where a call does not say otherwise.
 *
 * @param deadline positive; the longest time of one collective, waiting for slower ranks and view changes included
 * @param config how bytes travel; same on all ranks
 * @param policy what a loss means for open collectives
 * @param stateBudget positive; how long the group may be kept waiting while this member takes over its shared state
 * @param codec for float32 SUM and AVG; empty: elements as they are
 */
public record EngineOptions(
        Duration deadline,
        CollectiveConfig config,
        GroupMachine.Policy policy,
        Duration stateBudget,
        Optional<Codec> codec) {
    /** 5 minutes, 10 s for the state, repeat after a loss, no compression. */
    public static final EngineOptions DEFAULTS = new EngineOptions(
            Duration.ofMinutes(5),
            CollectiveConfig.DEFAULTS,
            GroupMachine.Policy.RETRY,
            Duration.ofSeconds(10),
            Optional.empty());

    public EngineOptions {
        if (!deadline.isPositive() || !stateBudget.isPositive()) {
            throw new IllegalArgumentException("need positive durations; got " + deadline + " and " + stateBudget);
        }
    }

    /** The same with another deadline. */
    public EngineOptions within(Duration limit) {
        return new EngineOptions(limit, config, policy, stateBudget, codec);
    }

    /** The same with another policy. */
    public EngineOptions onLoss(GroupMachine.Policy chosen) {
        return new EngineOptions(deadline, config, chosen, stateBudget, codec);
    }

    /** The same with a codec. */
    public EngineOptions as(Codec chosen) {
        return new EngineOptions(deadline, config, policy, stateBudget, Optional.of(chosen));
    }

    /** The same with other ways for bytes. */
    public EngineOptions with(CollectiveConfig other) {
        return new EngineOptions(deadline, other, policy, stateBudget, codec);
    }
}
