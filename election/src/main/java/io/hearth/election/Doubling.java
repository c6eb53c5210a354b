package io.hearth.election;

import io.hearth.election.ViewMachine.Effect;
import io.hearth.identity.PeerId;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Machines whose identity two computers use, as after a restored snapshot of a whole disk. Such a machine has two records for one
 * seat, so no vote of it can be trusted: it proposes nothing, its votes do not count, and no node admits it.
 *
 * <p>Both computers walk out and stay alone until their restart. Only a person can say which of the two is the copy.
 */
final class Doubling {
    private Doubling() {}

    /** The own machine stays doubled once it is: this process cannot know whether the other computer is off for good. */
    static void onDoubled(Turn turn, SortedSet<PeerId> machines) {
        boolean wasDoubled = turn.isDoubled();
        var doubled = new TreeSet<>(machines);
        if (wasDoubled) {
            doubled.add(turn.self.node().peer());
        }
        boolean isNews = !turn.doubled.containsAll(doubled);
        turn.doubled = doubled;
        if (isNews && !(turn.campaign instanceof Campaign.None)) {
            Proposer.retreat(turn); // what it collected may be votes of two computers
        }
        if (turn.isDoubled() && !wasDoubled) {
            walkOut(turn);
        }
    }

    private static void walkOut(Turn turn) {
        turn.campaign = Campaign.NONE;
        turn.crossing = Crossing.STAYING;
        if (turn.isLeaving()) {
            return;
        }
        Leaving.tellToGoOn(turn);
        turn.effect(new Effect.Removed(Effect.Removed.Cause.DOUBLED, "another computer uses the identity of this one"));
        Learner.walkOut(turn);
    }
}
