package io.hearth.collective;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a frozen member says of its group's collectives.
 *
 * @param called highest number called; 0 if none ever was
 * @param doneUpTo all numbers up to this one are done here
 * @param kept ended numbers that this member still holds, rising
 * @param broken why its streams of this group epoch are unusable, naming the peer; empty while they are fine
 * @param boundary the highest called number is the beginning of a step, all before it are done, and it is not
 * @param roundTrips that it measured, to plan the next ring with
 */
public record Status(
        long called, long doneUpTo, List<Kept> kept, Optional<String> broken, boolean boundary, RoundTrips roundTrips) {
    /** Most numbers that a status names. */
    public static final int KEPT_MAX = 8;

    public Status {
        kept = List.copyOf(kept);
        if (doneUpTo < 0 || called < doneUpTo || kept.size() > KEPT_MAX || (boundary && doneUpTo != called - 1)) {
            throw new IllegalArgumentException("no status has " + called + " called, " + doneUpTo + " done and "
                    + kept.size() + " kept" + (boundary ? " at a boundary" : ""));
        }
    }

    /** Of a member that measured nothing. */
    public Status(long called, long doneUpTo, List<Kept> kept, Optional<String> broken) {
        this(called, doneUpTo, kept, broken, false, RoundTrips.NONE);
    }

    /** The same of a member that measured this. */
    Status measured(RoundTrips measured) {
        return new Status(called, doneUpTo, kept, broken, boundary, measured);
    }

    /** The number that would be its next one if somebody entered now; empty in the middle of a step. */
    OptionalLong entry() {
        if (called == 0) {
            return OptionalLong.of(1);
        }
        return boundary ? OptionalLong.of(called) : OptionalLong.empty();
    }

    /**
     * A number that ended and what it ended with.
     *
     * @param number of the collective
     * @param contributors members whose input is in the result
     * @param bytes size of the result
     * @param refusal if it ended without a result
     */
    public record Kept(long number, int contributors, long bytes, Optional<Refusal> refusal) {
        public Kept {
            if (number < 1 || contributors < 0 || bytes < 0) {
                throw new IllegalArgumentException("no collective has number " + number + ", " + contributors
                        + " contributors and " + bytes + " bytes");
            }
        }
    }
}
