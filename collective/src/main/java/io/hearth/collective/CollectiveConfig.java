package io.hearth.collective;

import io.hearth.collective.schedule.CostModel;
import io.hearth.collective.schedule.LinkModel;
import io.hearth.topology.plan.PlanCosts;
import io.hearth.transport.RecordHeader;

/**
 * Default algorithms and sizes of collectives; the options of a call override the algorithms. All members of a group must have the same
 * configuration. If one differs, the first call fails on all ranks and says so.
 *
 * @param allReduce algorithm of sums
 * @param broadcast algorithm from one rank to all
 * @param reduce algorithm of a sum at one rank
 * @param segmentBytes size of a pipelined segment, a multiple of 8, at most {@link RecordHeader#SEGMENT_BYTES_MAX}
 * @param inTurnBytesMax 0 to {@link #IN_TURN_BYTES_MAX}; a call that sends at most this many bytes to any one rank runs on the caller's
 *     thread alone, which saves the hand-over to a second thread
 * @param inPlaceBytesMin 0 or more; an all-reduce of at least this many bytes that may use the ring is done in place. This saves a buffer
 *     of its size and a copy of the result, and costs a round trip: each rank waits until all have the sum
 * @param bucketBytes positive; tensors of a list travel together up to this size
 * @param links assumed cost of a message, for {@code AUTO}, until the links of the group are measured. If all members are on one machine, {@link LinkModel#LOOPBACK} replaces {@link
 *     LinkModel#GIGABIT}; all members see this alike
 */
public record CollectiveConfig(
        AllReduceStrategy allReduce,
        BroadcastStrategy broadcast,
        ReduceStrategy reduce,
        int segmentBytes,
        int inTurnBytesMax,
        long inPlaceBytesMin,
        long bucketBytes,
        LinkModel links) {
    /** Every stream buffers twice this number of bytes before its receiver reads. Ranks that send more in turn could deadlock. */
    public static final int IN_TURN_BYTES_MAX = 40 * 1024;

    /** {@code AUTO} algorithms, segments of 128 KiB, 40 KiB in turn, in place from 1 MiB, buckets of 16 MiB, Ethernet of 1 Gbit/s. */
    public static final CollectiveConfig DEFAULTS = new CollectiveConfig(
            AllReduceStrategy.AUTO,
            BroadcastStrategy.AUTO,
            ReduceStrategy.AUTO,
            128 * 1024,
            IN_TURN_BYTES_MAX,
            1024L * 1024,
            16L * 1024 * 1024,
            LinkModel.GIGABIT);

    public CollectiveConfig {
        if (segmentBytes < 8
                || segmentBytes % 8 != 0
                || segmentBytes > RecordHeader.SEGMENT_BYTES_MAX
                || inTurnBytesMax < 0
                || inTurnBytesMax > IN_TURN_BYTES_MAX
                || inPlaceBytesMin < 0
                || bucketBytes < 1) {
            throw new IllegalArgumentException("segmentBytes must be a multiple of 8 from 8 to "
                    + RecordHeader.SEGMENT_BYTES_MAX + ", inTurnBytesMax 0 to " + IN_TURN_BYTES_MAX
                    + ", inPlaceBytesMin 0 or more and bucketBytes 1 or more; got " + segmentBytes + ", "
                    + inTurnBytesMax + ", " + inPlaceBytesMin + " and " + bucketBytes);
        }
    }

    /** The same with another algorithm for sums. */
    public CollectiveConfig by(AllReduceStrategy way) {
        return new CollectiveConfig(
                way, broadcast, reduce, segmentBytes, inTurnBytesMax, inPlaceBytesMin, bucketBytes, links);
    }

    /** The same with another algorithm for broadcasts. */
    public CollectiveConfig by(BroadcastStrategy way) {
        return new CollectiveConfig(
                allReduce, way, reduce, segmentBytes, inTurnBytesMax, inPlaceBytesMin, bucketBytes, links);
    }

    /** The same with another algorithm for reductions to a root. */
    public CollectiveConfig by(ReduceStrategy way) {
        return new CollectiveConfig(
                allReduce, broadcast, way, segmentBytes, inTurnBytesMax, inPlaceBytesMin, bucketBytes, links);
    }

    /** The same with other sizes; see {@link #segmentBytes} and {@link #inTurnBytesMax}. */
    public CollectiveConfig cut(int segments, int inTurn) {
        return new CollectiveConfig(
                allReduce, broadcast, reduce, segments, inTurn, inPlaceBytesMin, bucketBytes, links);
    }

    /** The same with another {@link #inPlaceBytesMin}. */
    public CollectiveConfig inPlaceFrom(long bytes) {
        return new CollectiveConfig(
                allReduce, broadcast, reduce, segmentBytes, inTurnBytesMax, bytes, bucketBytes, links);
    }

    /** The same for members that are all on one machine, also if their identities differ. */
    public CollectiveConfig choosingHere() {
        return new CollectiveConfig(
                allReduce, broadcast, reduce, segmentBytes, inTurnBytesMax, inPlaceBytesMin, bucketBytes, here(links));
    }

    private static LinkModel here(LinkModel model) {
        return model.equals(LinkModel.GIGABIT) ? LinkModel.LOOPBACK : model;
    }

    /**
     * Chooses the algorithms for {@code AUTO}.
     *
     * @param costs of the group's plan. They do not count if all members are on one machine: there the processor is the limit, and a
     *     measurement of one pair does not show it
     */
    public ScheduleChoice choice(boolean isOnOneMachine, PlanCosts costs) {
        return new ScheduleChoice(
                isOnOneMachine
                        ? new CostModel(here(links), PlanCosts.UNKNOWN, segmentBytes, inTurnBytesMax)
                        : new CostModel(links, costs, segmentBytes, inTurnBytesMax));
    }
}
