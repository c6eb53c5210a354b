package io.hearth.collective.choice;

import java.util.List;

/** What holds for sums of one size, from one vote to the next. The same on all members, but for the times. */
public final class SizeVotes {
    private final SumTimes times;
    private CodecDecision decision = new CodecDecision(0, 1, 0, CodecDecision.Kind.RESTART, Double.NaN, Double.NaN);
    private int left; // sums until the next vote
    private int current; // what was settled on last
    private int members;

    /** Before the first vote on so many codecs. */
    public SizeVotes(int codecs) {
        times = new SumTimes(codecs);
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

    /** This member's next one; {@code costs} of the codecs are its own. */
    public CodecBallot ballot(long count, List<CodecCost> costs) {
        boolean moved = decision.isOver(times.nanos(decision.chosen()));
        return new CodecBallot(count, current, decision.round(), moved, times.nanos(), costs);
    }

    /** A vote of so many members ended. */
    public void decided(CodecDecision made, int voters) {
        if (made.kind() == CodecDecision.Kind.RESTART) {
            current = 0;
            times.forget();
        } else if (made.kind() == CodecDecision.Kind.SETTLED) {
            current = made.chosen();
        }
        decision = made;
        left = made.calls();
        members = voters;
    }

    /** How long a sum took that all began together; arguments as in {@link SumTimes#took}. */
    public void took(int choice, long nanos) {
        times.took(choice, nanos);
    }

    /** A sum of so many members has a result on all of them, whatever becomes of it here. */
    public void ended(int contributors) {
        if (contributors == members) {
            left--;
        } else { // all that was seen was among others
            left = 0;
            current = 0;
            times.forget();
        }
    }
}
