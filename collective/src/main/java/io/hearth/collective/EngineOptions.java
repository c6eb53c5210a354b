package io.hearth.collective;

import io.hearth.compression.Codec;
import io.hearth.transport.RecordHeader;
import java.time.Duration;
import java.util.Optional;

/**
 * How an engine works where a call does not say otherwise.
 *
 * @param deadline positive; the longest time of one collective, waiting for slower ranks and view changes included
 * @param segmentBytes pipelined at once, a multiple of 8, at most {@link RecordHeader#SEGMENT_BYTES_MAX}; same on all ranks
 * @param policy what a loss means for open collectives
 * @param stateBudget positive; how long the group may be kept waiting while this member takes over its shared state
 * @param codec for float32 SUM and AVG; empty: elements as they are
 */
public record EngineOptions(
        Duration deadline, int segmentBytes, GroupMachine.Policy policy, Duration stateBudget, Optional<Codec> codec) {
    /** 5 minutes, 128 KiB, 10 s for the state, repeat after a loss, no compression. */
    public static final EngineOptions DEFAULTS = new EngineOptions(
            Duration.ofMinutes(5), 128 * 1024, GroupMachine.Policy.RETRY, Duration.ofSeconds(10), Optional.empty());

    public EngineOptions {
        if (!deadline.isPositive()
                || !stateBudget.isPositive()
                || segmentBytes < 8
                || segmentBytes % 8 != 0
                || segmentBytes > RecordHeader.SEGMENT_BYTES_MAX) {
            throw new IllegalArgumentException("need positive durations and segments of 8 to "
                    + RecordHeader.SEGMENT_BYTES_MAX + " bytes, a multiple of 8; got " + deadline + ", " + stateBudget
                    + " and " + segmentBytes);
        }
    }

    /** The same with another deadline. */
    public EngineOptions within(Duration limit) {
        return new EngineOptions(limit, segmentBytes, policy, stateBudget, codec);
    }

    /** The same with another policy. */
    public EngineOptions onLoss(GroupMachine.Policy chosen) {
        return new EngineOptions(deadline, segmentBytes, chosen, stateBudget, codec);
    }

    /** The same with a codec. */
    public EngineOptions as(Codec chosen) {
        return new EngineOptions(deadline, segmentBytes, policy, stateBudget, Optional.of(chosen));
    }
}
