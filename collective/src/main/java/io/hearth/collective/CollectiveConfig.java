package io.hearth.collective;

import io.hearth.collective.schedule.CostModel;
import io.hearth.collective.schedule.LinkModel;
import io.hearth.transport.RecordHeader;

/**
 * How collectives travel where a call does not say otherwise. All members of a group must have the same: who differs is told so at the
 * first call, as are all others.
 *
 * @param allReduce how sums travel
 * @param broadcast how the bytes of one travel to all
 * @param reduce how a sum travels to one
 * @param segmentBytes pipelined at once, a multiple of 8, at most {@link RecordHeader#SEGMENT_BYTES_MAX}
 * @param inTurnBytesMax 0 to {@link #IN_TURN_BYTES_MAX}; a call that sends at most so much to any one rank is played by the caller's
 *     thread alone, which is faster than to hand over
 * @param inPlaceBytesMin 0 or more; an all-reduce of at least so much that may go round the ring is done in place: it waits until all
 *     have the sum, which is a round trip, and saves a buffer of its size and a copy of the result
 * @param bucketBytes positive; tensors of a list travel together up to this size
 * @param links what a message is taken to cost, for {@code AUTO}; in place of {@link LinkModel#GIGABIT} it is {@link
 *     LinkModel#LOOPBACK} where all members are on one machine, which all of them know alike
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
    /** What every stream takes twice over before it is read; all ranks that send more in turn could wait for each other for ever. */
    public static final int IN_TURN_BYTES_MAX = 40 * 1024;

    /** Whatever is fastest, in segments of 128 KiB, 40 KiB in turn, from 1 MiB in place, in buckets of 16 MiB, over Ethernet of 1 Gbit/s. */
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
            throw new IllegalArgumentException("need segments of 8 to " + RecordHeader.SEGMENT_BYTES_MAX
                    + " bytes, a multiple of 8, 0 to " + IN_TURN_BYTES_MAX
                    + " bytes in turn, nothing negative in place, and positive buckets; got " + segmentBytes + ", "
                    + inTurnBytesMax + ", " + inPlaceBytesMin + " and " + bucketBytes);
        }
    }

    /** The same with another way for sums. */
    public CollectiveConfig by(AllReduceStrategy way) {
        return new CollectiveConfig(
                way, broadcast, reduce, segmentBytes, inTurnBytesMax, inPlaceBytesMin, bucketBytes, links);
    }

    /** The same with another way from one to all. */
    public CollectiveConfig by(BroadcastStrategy way) {
        return new CollectiveConfig(
                allReduce, way, reduce, segmentBytes, inTurnBytesMax, inPlaceBytesMin, bucketBytes, links);
    }

    /** The same with another way from all to one. */
    public CollectiveConfig by(ReduceStrategy way) {
        return new CollectiveConfig(
                allReduce, broadcast, way, segmentBytes, inTurnBytesMax, inPlaceBytesMin, bucketBytes, links);
    }

    /** The same in other portions; see {@link #segmentBytes} and {@link #inTurnBytesMax}. */
    public CollectiveConfig cut(int segments, int inTurn) {
        return new CollectiveConfig(
                allReduce, broadcast, reduce, segments, inTurn, inPlaceBytesMin, bucketBytes, links);
    }

    /** The same with another {@link #inPlaceBytesMin}. */
    public CollectiveConfig inPlaceFrom(long bytes) {
        return new CollectiveConfig(
                allReduce, broadcast, reduce, segmentBytes, inTurnBytesMax, bytes, bucketBytes, links);
    }

    /** The same where all members are known to be on one machine, whatever their identities. */
    public CollectiveConfig choosingHere() {
        return new CollectiveConfig(
                allReduce, broadcast, reduce, segmentBytes, inTurnBytesMax, inPlaceBytesMin, bucketBytes, here(links));
    }

    private static LinkModel here(LinkModel model) {
        return model.equals(LinkModel.GIGABIT) ? LinkModel.LOOPBACK : model;
    }

    /** What {@code AUTO} comes to. */
    public ScheduleChoice choice(boolean isOnOneMachine) {
        return new ScheduleChoice(new CostModel(isOnOneMachine ? here(links) : links, segmentBytes, inTurnBytesMax));
    }
}
