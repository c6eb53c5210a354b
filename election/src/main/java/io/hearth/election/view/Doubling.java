package io.hearth.election.view;

import io.hearth.election.view.ballot.Proposer;
import io.hearth.election.view.lineage.Learner;
import io.hearth.election.view.lineage.Leaving;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.JoinState;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.step.Transition;
import io.hearth.identity.PeerId;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Machines whose identity two computers use, for example after a restore of a whole disk. Such a machine has two records for one seat,
 * so none of its votes can be trusted: it proposes nothing, its votes do not count, and no node admits it.
 *
 * <p>Both computers leave and stay alone until their restart. Only a person knows which of the two is the copy.
 */
final class Doubling {
    private Doubling() {}

    /** This node's machine stays doubled: the process cannot know whether the other computer is off for good. */
    static void onDoubled(Transition transition, SortedSet<PeerId> machines) {
        boolean wasDoubled = transition.isDoubled();
        var doubled = new TreeSet<>(machines);
        if (wasDoubled) {
            doubled.add(transition.self.node().peer());
        }
        boolean isNews = !transition.doubled.containsAll(doubled);
        transition.doubled = doubled;
        if (isNews && !(transition.campaign instanceof Campaign.None)) {
            Proposer.retreat(transition); // its collected votes may come from two computers
        }
        if (transition.isDoubled() && !wasDoubled) {
            walkOut(transition);
        }
    }

    private static void walkOut(Transition transition) {
        transition.campaign = Campaign.NONE;
        transition.join = JoinState.STAYING;
        if (transition.isLeaving()) {
            return;
        }
        Leaving.tellToGoOn(transition);
        transition.effect(new ViewEffect.Removed(
                ViewEffect.Removed.Cause.DOUBLED, "another computer uses the identity of this one"));
        Learner.walkOut(transition);
    }
}
