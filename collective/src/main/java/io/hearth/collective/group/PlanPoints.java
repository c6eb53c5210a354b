package io.hearth.collective.group;

/**
 * Decides before which calls a group without steps agrees on a plan: the same calls on all members, because it counts only what all of them
 * know. These are the bytes of numbers that ended with a result, and the members with which the newest of them ended.
 *
 * <p>The points follow each other at four times the bytes, because the first measurements come soon after the start; after three of these
 * at equal distances. Bytes and not calls are counted: they tell on all members alike how long the calls took, so that one agreement costs
 * little beside the calls between two points.
 *
 * <p>A group that has begun a step takes over plans there, and has no points any more. All its members begin the same step.
 */
public final class PlanPoints {
    /** Least number of members: two have one link, and nothing to plan. */
    public static final int MEMBERS_MIN = 3;

    private static final long GROWTH = 4;
    private static final long SPAN_FACTOR_MAX = GROWTH * GROWTH * GROWTH;
    private static final long FIRST_MAX = Long.MAX_VALUE >> 8;

    private final long spanMax;
    private long bytes;
    private long due;
    private int members;

    /**
     * Points of a group that has made no call.
     *
     * @param first bytes before the first point, 0 for no points
     */
    public PlanPoints(long first) {
        if (first < 0 || first > FIRST_MAX) {
            throw new IllegalArgumentException("first must be 0 to " + FIRST_MAX + " bytes, got " + first);
        }
        this.due = first == 0 ? Long.MAX_VALUE : first;
        this.spanMax = first * SPAN_FACTOR_MAX;
    }

    /** Whether an agreement precedes the next call. */
    public boolean isDue() {
        return bytes >= due && members >= MEMBERS_MIN;
    }

    /**
     * A number ended with a result.
     *
     * @param count bytes of its elements at each rank, 0 or more
     * @param contributors members with which it ended
     */
    public void ended(long count, int contributors) {
        bytes = Math.min(bytes + count, FIRST_MAX);
        members = contributors;
    }

    /** The agreement ended with a result. */
    public void agreed() {
        while (due <= bytes && due < spanMax) {
            due *= GROWTH;
        }
        if (due <= bytes) {
            due += (1 + (bytes - due) / spanMax) * spanMax;
        }
    }

    /** A step began. */
    public void begunStep() {
        due = Long.MAX_VALUE;
    }
}
