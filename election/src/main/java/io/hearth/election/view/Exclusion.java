package io.hearth.election.view;

import io.hearth.identity.PeerId;
import java.util.SortedSet;

/**
 * Machines that a person put out of the namespace. Such a machine has no vote that counts, no ballot of it is answered, nobody waits
 * for it, and no view that this node builds lists it: its members go with the next view, which is due at once.
 *
 * <p>A view that another node proposed before may still be decided and list it; the one after it does not.
 */
final class Exclusion {
    private Exclusion() {}

    static void onExcluded(Transition transition, SortedSet<PeerId> machines) {
        boolean isNews = !transition.excluded.containsAll(machines);
        transition.excluded = machines;
        if (isNews && !(transition.campaign instanceof Campaign.None)) {
            Proposer.retreat(transition); // what it collected may be votes and answers of them
        }
    }

    /** Where the others are no quorum, no successor of the view can be decided. */
    static void drive(Transition transition) {
        if (!transition.excluded.isEmpty() && !transition.current.isLone()) {
            LostVotes.giveUpWithoutQuorum(transition, "too many machines of view %d were put out or lost their votes");
        }
    }
}
