package io.hearth.collective.schedule;

/**
 * One member's sequence of sends, or of receives, in an exchange of two halves. The second half spreads the segments that the first half
 * completes. The first half's entries for segment t come together with the second half's for segment t - lag, so that both directions of
 * all ports are busy. With segments 0 to 4 and a lag of 2: F0 F1 F2 S0 F3 S1 F4 S2 S3 S4.
 *
 * <p>All members of a world use the same segments and the same lag, so all see the groups F0, F1, … in the same order. No member waits
 * forever under two conditions. In each group a position sends at most one segment to any other one. Every
 * receive that a send depends on is in an earlier group, or in the same group in an order without cycles. The proof is by induction: every
 * send of a group finds room in a stream that takes one segment, because the groups before were received; then every receive of the group
 * finds its segment.
 *
 * @param segments of a share, 1 or more
 * @param lag number of segments by which the second half comes later, 1 or more; cut to the number of segments
 * @param first entries of the first half for one segment
 * @param second entries of the second half for one segment
 */
record Interleaving(long segments, long lag, long first, long second) {
    Interleaving {
        lag = Math.min(lag, segments);
    }

    /** A sequence with the first half only. */
    static Interleaving of(long segments, long entries) {
        return new Interleaving(segments, segments, entries, 0);
    }

    long total() {
        return segments * (first + second);
    }

    /** Whether entry {@code index} belongs to the second half. */
    boolean isSecond(long index) {
        long mixed = index - lag * first;
        if (mixed < 0) {
            return false;
        }
        return mixed >= both() || mixed % (first + second) >= first;
    }

    /** Segment of entry {@code index}. */
    long segment(long index) {
        long mixed = index - lag * first;
        if (mixed < 0) {
            return index / first;
        }
        if (mixed >= both()) {
            return segments - lag + (mixed - both()) / second;
        }
        long group = mixed / (first + second);
        return isSecond(index) ? group : group + lag;
    }

    /** Place of entry {@code index} among its half's entries for its segment, from 0. */
    long item(long index) {
        long mixed = index - lag * first;
        if (mixed < 0) {
            return index % first;
        }
        if (mixed >= both()) {
            return (mixed - both()) % second;
        }
        long entry = mixed % (first + second);
        return entry < first ? entry : entry - first;
    }

    /** Number of the entry that is item {@code item} of the first half for {@code segment}. */
    long firstIndex(long segment, long item) {
        return segment * first + Math.max(0, segment - lag) * second + item;
    }

    /** Number of the entry that is item {@code item} of the second half for {@code segment}. */
    long secondIndex(long segment, long item) {
        return Math.min(segments, segment + lag + 1) * first + segment * second + item;
    }

    /** Entries of the groups that have both halves. */
    private long both() {
        return (segments - lag) * (first + second);
    }
}
