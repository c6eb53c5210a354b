package io.hearth.collective;

/**
 * What one rank of a ring sends and receives in one collective, and in which order: pure arithmetic, no list is ever built.
 *
 * <p>Two sequences, one for each neighbour. What rank r sends is, entry by entry, what rank r + 1 receives; so a stream that
 * keeps its order needs no matching. The only coupling between the two sequences of one rank is {@link Transfer#after()}.
 */
public sealed interface Schedule permits RingSchedule, GatherSchedule, BroadcastSchedule {
    /** What a receiver does with the bytes of a segment. */
    enum Action {
        /** Replace what the buffer held. */
        COPY,
        /** Combine with what the buffer holds; other ranks still have to add theirs. */
        REDUCE,
        /** Combine with what the buffer holds; now every rank's contribution is in. */
        REDUCE_LAST
    }

    /**
     * One segment on its way between two neighbours.
     *
     * @param chunk whose share of the buffer it belongs to; names the segment on the wire, 0 to 65,535
     * @param offset in bytes from the start of the whole buffer
     * @param length in bytes; 0 where a segment only says that its sender got so far
     * @param action for the receiver; a sender ignores it
     * @param after how many receives must be complete before this may be sent; 0 for receives
     */
    record Transfer(int chunk, long offset, int length, Action action, long after) {}

    /** Number of segments that this rank sends to its next. */
    long sends();

    /** Number of segments that this rank receives from its previous. */
    long receives();

    /** The segment sent as number {@code index}, from 0. */
    Transfer send(long index);

    /** The segment received as number {@code index}, from 0. */
    Transfer receive(long index);

    /** Payload bytes that this rank sends. */
    long bytesSent();

    /**
     * Whether one thread may play both sides in turn (send i, receive i): every send depends on earlier receives only, and at
     * most {@code bytesMax} payload bytes are between two receives. Safe from deadlock while the transport takes that much
     * unread.
     */
    boolean inTurn(int bytesMax);

    /** How many segments of {@code segmentBytes} hold {@code bytes}; an empty share still takes one, as a token. */
    static long segments(long bytes, int segmentBytes) {
        return Math.max(1, Math.ceilDiv(bytes, segmentBytes));
    }

    /** The {@code index}-th segment of a share of {@code bytes} that starts at {@code start}. */
    static Transfer segment(
            int chunk, long start, long bytes, long index, int segmentBytes, Action action, long after) {
        long from = Math.min(index * segmentBytes, bytes);
        return new Transfer(chunk, start + from, (int) Math.min(segmentBytes, bytes - from), action, after);
    }

    /** Refuses what no schedule allows. */
    static void check(int rank, int world, int segmentBytes) {
        if (world < 1 || world > 0xFFFF || rank < 0 || rank >= world) {
            throw new IllegalArgumentException("need 0 <= rank < world <= 65535, got rank " + rank + " of " + world);
        }
        if (segmentBytes < 8 || segmentBytes % 8 != 0) {
            throw new IllegalArgumentException(
                    "segments hold whole elements: need a positive multiple of 8 bytes, got " + segmentBytes);
        }
    }
}
