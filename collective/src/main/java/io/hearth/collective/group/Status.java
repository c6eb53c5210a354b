package io.hearth.collective.group;

import io.hearth.election.View;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A frozen member's report on its group's collectives.
 *
 * @param called highest called number; 0 before the first
 * @param doneUpTo all numbers up to this one are done here
 * @param kept ended numbers whose outcomes this member still holds, rising
 * @param broken reason why its streams of this group epoch are unusable, with the peer's name; empty while they work
 * @param boundary whether the highest called number is the beginning of a step, open, and all before it are done
 * @param links measured by this member, for the next plan
 */
public record Status(
        long called, long doneUpTo, List<Kept> kept, Optional<String> broken, boolean boundary, MeasuredLinks links) {
    /** Most kept numbers in a status. */
    public static final int KEPT_MAX = 8;

    /** Upper limit of call numbers and of sizes in control data: far from overflow, and never reached. */
    public static final long NUMBER_MAX = 1L << 48;

    public Status {
        kept = List.copyOf(kept);
        if (doneUpTo < 0
                || called < doneUpTo
                || called > NUMBER_MAX
                || kept.size() > KEPT_MAX
                || (boundary && doneUpTo != called - 1)) {
            throw new IllegalArgumentException("a status needs 0 <= doneUpTo <= called <= " + NUMBER_MAX + ", at most "
                    + KEPT_MAX + " kept and at a boundary one open number; got " + called + " called, " + doneUpTo
                    + " done and " + kept.size() + " kept" + (boundary ? " at a boundary" : ""));
        }
        long before = 0;
        for (Kept entry : kept) {
            if (entry.number() <= before || entry.number() > called) {
                throw new IllegalArgumentException("kept numbers must rise and be called, got number " + entry.number()
                        + " after " + before + " with " + called + " called");
            }
            before = entry.number();
        }
    }

    /** Whether a call can have this number. */
    static boolean isNumber(long number) {
        return number >= 1 && number <= NUMBER_MAX;
    }

    /** Whether a result can have this size and number of contributors. */
    static boolean isResult(int contributors, long bytes) {
        return contributors >= 0 && contributors <= View.MEMBERS_MAX && bytes >= 0 && bytes <= NUMBER_MAX;
    }

    /** Status of a member without measurements. */
    public Status(long called, long doneUpTo, List<Kept> kept, Optional<String> broken) {
        this(called, doneUpTo, kept, broken, false, MeasuredLinks.NONE);
    }

    /** The same with measurements. */
    public Status measured(MeasuredLinks measured) {
        return new Status(called, doneUpTo, kept, broken, boundary, measured);
    }

    /** The same with another state of the streams. */
    public Status broken(Optional<String> why) {
        return new Status(called, doneUpTo, kept, why, boundary, links);
    }

    /** The same for a subgroup's part of a report: the state of the streams is in the group's part, and texts are short. */
    public Status brief() {
        List<Kept> outcomes = kept.stream()
                .map(outcome -> new Kept(
                        outcome.number(),
                        outcome.contributors(),
                        outcome.bytes(),
                        outcome.refusal().map(CallRejection::brief)))
                .toList();
        return new Status(called, doneUpTo, outcomes, Optional.empty(), boundary, links);
    }

    /** The first number of a member that would enter now; empty in the middle of a step. */
    OptionalLong entry() {
        if (called == 0) {
            return OptionalLong.of(1);
        }
        return boundary ? OptionalLong.of(called) : OptionalLong.empty();
    }

    /**
     * The outcome of a number that ended.
     *
     * @param number of the collective
     * @param contributors members whose input is in the result
     * @param bytes size of the result
     * @param refusal the reason, if it ended without a result
     */
    public record Kept(long number, int contributors, long bytes, Optional<CallRejection> refusal) {
        public Kept {
            if (!isNumber(number) || !isResult(contributors, bytes) || (refusal.isPresent() && bytes > 0)) {
                throw new IllegalArgumentException(
                        "an outcome needs a valid number and size, and no bytes with a rejection; got number " + number
                                + ", " + contributors + " contributors and " + bytes + " bytes"
                                + (refusal.isPresent() ? " of a rejection" : ""));
            }
        }
    }
}
