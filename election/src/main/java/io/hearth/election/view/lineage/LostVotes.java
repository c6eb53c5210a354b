package io.hearth.election.view.lineage;

import io.hearth.election.Message;
import io.hearth.election.MessageRejection;
import io.hearth.election.View;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.LeaveState;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.step.Transition;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.TreeSet;

/**
 * Machines whose seat is dead because their record was lost, deleted or copied. If the other machines are no quorum, no successor of the
 * view can be decided any more, so its members give the lineage up and join again.
 *
 * <p>Giving up is safe at any time: for the others it is a crash of the member.
 */
public final class LostVotes {
    private LostVotes() {}

    /** A machine reports that it will never vote with a seat again; only its own processes may report it. */
    public static void onGone(Transition transition, NodeId from, Message.Gone gone) {
        View view = transition.view();
        PeerId machine = from.peer();
        if (!gone.lineage().equals(view.lineage())
                || gone.epoch() != view.epoch()
                || view.seat(machine) != gone.seat()
                || machine.equals(transition.self.node().peer())) {
            transition.refuse(MessageRejection.STRAY_ANSWER);
            return;
        }
        transition.change = transition.change.gone(machine);
        giveUpWithoutQuorum(transition, "too many machines of view %d lost their votes");
    }

    /** Gives the lineage up if the machines whose votes may still count are no quorum. */
    public static void giveUpWithoutQuorum(Transition transition, String why) {
        View view = transition.view();
        var dead = new TreeSet<>(transition.change.gone());
        dead.removeAll(transition.doubled); // one computer lost a record that the other may still have
        dead.addAll(transition.excluded);
        var left = new TreeSet<>(view.machines());
        left.removeAll(dead);
        if (!view.isQuorum(left)) {
            giveUp(transition, why.formatted(view.epoch()));
        }
    }

    /** Ends all open work and goes on alone, to join again. */
    public static void giveUp(Transition transition, String why) {
        if (transition.isLeaving()) {
            transition.leave = LeaveState.GONE;
            transition.campaign = Campaign.NONE;
            transition.effect(new ViewEffect.Left());
            return;
        }
        if (!transition.current.isLone() || transition.progress.isBusy()) {
            transition.effect(new ViewEffect.Removed(
                    ViewEffect.Removed.Cause.LINEAGE_LOST,
                    "lineage " + transition.current.lineage().shortText() + " is given up: " + why));
            transition.progress = transition.progress.interrupted();
        }
        Learner.found(transition, false);
    }
}
