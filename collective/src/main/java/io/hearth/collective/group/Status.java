package io.hearth.collective.group;

import io.hearth.election.View;
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

    /** Largest number that control data of collectives carries, of whatever kind: far from overflow, and never reached. */
    public static final long NUMBER_MAX = 1L << 48;

    public Status {
        kept = List.copyOf(kept);
        if (doneUpTo < 0
                || called < doneUpTo
                || called > NUMBER_MAX
                || kept.size() > KEPT_MAX
                || (boundary && doneUpTo != called - 1)) {
            throw new IllegalArgumentException("no status has " + called + " called, " + doneUpTo + " done and "
                    + kept.size() + " kept" + (boundary ? " at a boundary" : ""));
        }
        long before = 0;
        for (Kept entry : kept) {
            if (entry.number() <= before || entry.number() > called) {
                throw new IllegalArgumentException("kept numbers rise and were called, got number " + entry.number()
                        + " after " + before + " with " + called + " called");
            }
            before = entry.number();
        }
    }

    /** Whether it can be the number of a collective. */
    static boolean isNumber(long number) {
        return number >= 1 && number <= NUMBER_MAX;
    }

    /** Whether a result may have so many bytes of so many contributors. */
    static boolean isResult(int contributors, long bytes) {
        return contributors >= 0 && contributors <= View.MEMBERS_MAX && bytes >= 0 && bytes <= NUMBER_MAX;
    }

    /** Of a member that measured nothing. */
    public Status(long called, long doneUpTo, List<Kept> kept, Optional<String> broken) {
        this(called, doneUpTo, kept, broken, false, RoundTrips.NONE);
    }

    /** The same of a member that measured this. */
    public Status measured(RoundTrips measured) {
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
    public record Kept(long number, int contributors, long bytes, Optional<CallRejection> refusal) {
        public Kept {
            if (!isNumber(number) || !isResult(contributors, bytes) || (refusal.isPresent() && bytes > 0)) {
                throw new IllegalArgumentException("no collective has number " + number + ", " + contributors
                        + " contributors and " + bytes + " bytes" + (refusal.isPresent() ? " of a refusal" : ""));
            }
        }
    }
}
