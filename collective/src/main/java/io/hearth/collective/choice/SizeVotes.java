package io.hearth.collective.choice;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What holds for sums of one size, from one vote to the next. The same on all members, but for the times. */
public final class SizeVotes {
    private final int codecs;
    private final List<Double> nanos =
            new ArrayList<>(); // of the last sums since the vote; NaN for those without a result here
    private CodecDecision decision;
    private int left; // sums until the next vote
    private int members;

    /** Before the first vote on so many codecs. */
    public SizeVotes(int codecs) {
        this.codecs = codecs;
        decision = CodecDecision.none(codecs, 0);
        forgetTimes();
    }

    private void forgetTimes() {
        nanos.clear();
        nanos.addAll(Collections.nCopies(CodecBallot.NANOS, Double.NaN));
    }

    /** Whether a vote comes before the next sum. */
    public boolean isDue() {
        return left == 0;
    }

    /** What came out last. */
    public CodecDecision decision() {
        return decision;
    }

    /** How many voted last. */
    public int members() {
        return members;
    }

    /** This member's next one; {@code costs} of the codecs are its own, none while they are being measured. */
    public CodecBallot ballot(long count, List<CodecCost> costs) {
        return new CodecBallot(count, decision.round(), nanos, costs);
    }

    /** A vote of so many members ended. */
    public void decided(CodecDecision made, int voters) {
        decision = made;
        left = made.calls();
        members = voters;
        forgetTimes();
    }

    /** A sum of so many members has a result on all of them, whatever becomes of it here. */
    public void ended(int contributors) {
        if (contributors == members) {
            left--;
            nanos.removeFirst();
            nanos.add(Double.NaN);
        } else { // all that was seen was among others
            left = 0;
            decision = CodecDecision.none(codecs, decision.round());
            forgetTimes();
        }
    }

    /** How many nanoseconds the sum took that {@link #ended} last. */
    public void took(long each) {
        nanos.set(nanos.size() - 1, (double) Math.max(1, each));
    }
}
