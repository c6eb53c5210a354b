package io.hearth.collective.choice;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The codec choice for sums of one size, from one vote to the next. The same on all members, except for the times. */
public final class SizeVotes {
    private final int codecs;
    private final List<Double> nanos =
            new ArrayList<>(); // times of the last sums since the vote; NaN for those without a result here
    private CodecDecision decision;
    private int left; // sums until the next vote
    private int members;

    /** The state before the first vote on {@code codecs} codecs. */
    public SizeVotes(int codecs) {
        this.codecs = codecs;
        decision = CodecDecision.none(codecs, 0);
        forgetTimes();
    }

    private void forgetTimes() {
        nanos.clear();
        nanos.addAll(Collections.nCopies(CodecMeasurements.NANOS, Double.NaN));
    }

    /** Whether the next sum needs a vote first. */
    public boolean isDue() {
        return left == 0;
    }

    /** The newest decision. */
    public CodecDecision decision() {
        return decision;
    }

    /** Number of members that took part in the last vote. */
    public int members() {
        return members;
    }

    /** This member's next ballot; {@code costs} are its own costs of the codecs, empty while they are being measured. */
    public CodecMeasurements ballot(long count, List<CodecCost> costs) {
        return new CodecMeasurements(count, decision.round(), nanos, costs);
    }

    /** A vote of {@code voters} members ended. */
    public void decided(CodecDecision made, int voters) {
        decision = made;
        left = made.calls();
        members = voters;
        forgetTimes();
    }

    /** A sum of {@code contributors} members has a result on all of them; on this member it may still fail. */
    public void ended(int contributors) {
        if (contributors == members) {
            left--;
            nanos.removeFirst();
            nanos.add(Double.NaN);
        } else { // all measurements were in a group of another size
            left = 0;
            decision = CodecDecision.none(codecs, decision.round());
            forgetTimes();
        }
    }

    /** Sets the nanoseconds of the last sum that {@link #ended}. */
    public void took(long each) {
        nanos.set(nanos.size() - 1, (double) Math.max(1, each));
    }
}
