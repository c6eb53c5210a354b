package io.hearth.collective.schedule;

/**
 * One member's sequence of sends, or of receives, in an exchange of two halves, where what the first half made of a segment is
 * spread by the second: the first half's entries for segment t come together with the second's for segment t - lag, so that both
 * directions of all ports are busy. With segments 0 to 4 and a lag of 2: F0 F1 F2 S0 F3 S1 F4 S2 S3 S4.
 *
 * <p>All members of a world use the same segments and, once it makes a difference, the same lag, so all see the groups F0, F1, … in the same order. If in
 * each group a position sends at most one segment to any other, and whatever has to be received before a send of the group is
 * in an earlier group, or in the same one in an order without cycles, then nobody waits for ever: by induction every send of a
 * group finds room in a stream that takes one segment, because the groups before were received, and then every receive of the
 * group finds its segment.
 *
 * @param segments of a share, 1 or more
 * @param lag how many segments the second half comes later, 1 or more; what exceeds the segments counts as their number
 * @param first entries of the first half for one segment
 * @param second entries of the second half for one segment
 */
record Interleaving(long segments, long lag, long first, long second) {
    Interleaving {
        lag = Math.min(lag, segments);
    }

    /** Only one half. */
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

    /** Which segment entry {@code index} is about. */
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

    /** Which one of its half's entries for its segment entry {@code index} is, from 0. */
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
