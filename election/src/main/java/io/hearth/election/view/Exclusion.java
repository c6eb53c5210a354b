package io.hearth.election.view;

import io.hearth.election.view.ballot.Proposer;
import io.hearth.election.view.lineage.LostVotes;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.step.Transition;
import io.hearth.identity.PeerId;
import java.util.SortedSet;

/**
 * Machines that a person put out of the namespace. The votes of such a machine do not count, its ballots get no answer, and no node waits
 * for it. No view that this node builds lists it: its members leave with the next view, which is due at once.
 *
 * <p>A view that another node proposed before may still be decided and list it; the one after it does not.
 */
final class Exclusion {
    private Exclusion() {}

    static void onExcluded(Transition transition, SortedSet<PeerId> machines) {
        boolean isNews = !transition.excluded.containsAll(machines);
        transition.excluded = machines;
        if (isNews && !(transition.campaign instanceof Campaign.None)) {
            Proposer.retreat(transition); // its collected votes and answers may be theirs
        }
    }

    /** Where the others are no quorum, no successor of the view can be decided. */
    static void drive(Transition transition) {
        if (!transition.excluded.isEmpty() && !transition.current.isLone()) {
            LostVotes.giveUpWithoutQuorum(transition, "too many machines of view %d were put out or lost their votes");
        }
    }
}
