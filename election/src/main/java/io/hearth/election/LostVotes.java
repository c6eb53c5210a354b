package io.hearth.election;

import io.hearth.election.ViewMachine.Effect;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.TreeSet;

/**
 * Machines whose seat is dead: their record was lost, deleted or copied. Where the other machines are no quorum, no successor of the
 * view can be decided any more, so its members give the lineage up and join again.
 *
 * <p>Giving up is safe at any time: for the others it is a crash of the member.
 */
final class LostVotes {
    private LostVotes() {}

    /** A machine says that it will never vote with a seat; only its own processes can say so. */
    static void onGone(Turn turn, NodeId from, Message.Gone gone) {
        View view = turn.view();
        PeerId machine = from.peer();
        if (!gone.lineage().equals(view.lineage())
                || gone.epoch() != view.epoch()
                || view.seat(machine) != gone.seat()
                || machine.equals(turn.self.node().peer())) {
            turn.refuse(Refusal.STRAY_ANSWER);
            return;
        }
        turn.change = turn.change.gone(machine);
        giveUpWithoutQuorum(turn, "too many machines of view %d lost their votes");
    }

    /** Gives the lineage up where those whose votes may still count are no quorum. */
    static void giveUpWithoutQuorum(Turn turn, String why) {
        View view = turn.view();
        var dead = new TreeSet<>(turn.change.gone());
        dead.removeAll(turn.doubled); // one computer lost what the other may still have
        dead.addAll(turn.excluded);
        var left = new TreeSet<>(view.machines());
        left.removeAll(dead);
        if (!view.isQuorum(left)) {
            giveUp(turn, why.formatted(view.epoch()));
        }
    }

    /** All open work ends; this node is alone from now on, and joins again. */
    static void giveUp(Turn turn, String why) {
        if (turn.isLeaving()) {
            turn.departure = Departure.GONE;
            turn.campaign = Campaign.NONE;
            turn.effect(new Effect.Left());
            return;
        }
        if (!turn.home.isLone() || turn.progress.isBusy()) {
            turn.effect(new Effect.Removed(
                    Effect.Removed.Cause.LINEAGE_LOST,
                    "lineage " + turn.home.lineage().shortText() + " is given up: " + why));
            turn.progress = turn.progress.interrupted();
        }
        Learner.found(turn, false);
    }
}
