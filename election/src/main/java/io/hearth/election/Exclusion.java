package io.hearth.election;

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

    static void onExcluded(Turn turn, SortedSet<PeerId> machines) {
        boolean isNews = !turn.excluded.containsAll(machines);
        turn.excluded = machines;
        if (isNews && !(turn.campaign instanceof Campaign.None)) {
            Proposer.retreat(turn); // what it collected may be votes and answers of them
        }
    }

    /** Where the others are no quorum, no successor of the view can be decided. */
    static void drive(Turn turn) {
        if (!turn.excluded.isEmpty() && !turn.home.isLone()) {
            LostVotes.giveUpWithoutQuorum(turn, "too many machines of view %d were put out or lost their votes");
        }
    }

    /** Whether a member is one of theirs. */
    static boolean isOut(Turn turn, Member member) {
        return turn.excluded.contains(member.machine());
    }
}
