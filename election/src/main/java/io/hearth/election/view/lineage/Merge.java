package io.hearth.election.view.lineage;

import io.hearth.election.Lineage;
import io.hearth.election.Message;
import io.hearth.election.View;
import io.hearth.election.ViewSource;
import io.hearth.election.view.entry.BetterLineage;
import io.hearth.election.view.state.Freeze;
import io.hearth.election.view.state.JoinState;
import io.hearth.election.view.state.KnownLineage;
import io.hearth.election.view.step.Transition;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import java.util.Optional;

/**
 * Merges lineages that meet. A lone node joins the better lineage; a larger lineage ends itself, and its nodes join one by one. Nothing is
 * negotiated: if two lineages end for each other, all nodes are alone and meet again.
 */
public final class Merge {
    private Merge() {}

    /** Does what is due for a lone node that wants to join others. */
    public static void drive(Transition transition) {
        if (!transition.current.isLone()
                || transition.isLeaving()
                || transition.isDoubled()
                || !(transition.freeze instanceof Freeze.Thawed)) {
            transition.join = JoinState.STAYING;
            return;
        }
        Optional<BetterLineage.Candidate> best = BetterLineage.best(transition);
        if (best.isPresent() && transition.progress.isBusy()) {
            transition.pending("this trainer works alone: it joins nobody before its next step begins");
            transition.join = JoinState.STAYING;
            return;
        }
        switch (transition.join) {
            case JoinState.Staying() -> best.ifPresent(target -> enter(transition, target.lineage()));
            case JoinState.Entering entering -> {
                if (!transition.voting.isEntering(entering.target())) {
                    transition.join = JoinState.STAYING; // the queue was full
                }
            }
            case JoinState.Joining joining -> goOn(transition, joining, best);
        }
    }

    private static void goOn(Transition transition, JoinState.Joining joining, Optional<BetterLineage.Candidate> best) {
        if (best.isEmpty()) {
            transition.join = JoinState.STAYING;
            transition.pending("");
            return;
        }
        boolean isHeld = transition.now - joining.sinceNanos()
                        < transition.config.joining().targetNanos()
                && !BetterLineage.dwellers(transition, joining.target()).isEmpty();
        Lineage target = isHeld ? joining.target() : best.get().lineage();
        if (!target.equals(joining.target())) {
            enter(transition, target);
        } else if (transition.now - joining.sentNanos()
                >= transition.config.joining().repeatNanos()) {
            ask(transition, joining);
        }
    }

    /** The machine's record is on disk before the node asks, because the view will list its seat. */
    private static void enter(Transition transition, Lineage target) {
        if (transition.now - transition.enterNotBeforeNanos >= 0) {
            transition.join = new JoinState.Entering(target, transition.now);
            VoteQueue.submit(transition, new VoterTask.Enter(target, transition.drawSeat()));
        }
    }

    public static void onEntered(Transition transition, Lineage target, VoterAnswer answer) {
        if (answer instanceof VoterAnswer.Entered(long seat, Optional<View> onDisk)) {
            KnownLineage known =
                    transition.known(target).orElseGet(() -> KnownLineage.of(seat, Optional.empty(), transition.now));
            transition.know(target, known.seated(seat, transition.now));
            onDisk.ifPresent(view -> Learner.learn(transition, view, new ViewSource.Disk()));
        }
        switch (transition.join) {
            case JoinState.Entering entering
            when entering.target().equals(target) -> mayAsk(transition, target, answer);
            case JoinState.Joining joining
            when joining.target().equals(target) -> {
                if (answer instanceof VoterAnswer.Entered(long seat, Optional<View> _) && seat != joining.seat()) {
                    ask(transition, joining.seated(seat)); // the record of its request is gone, and there is a new one
                }
            }
            case JoinState.Staying _, JoinState.Entering _, JoinState.Joining _ -> {}
        }
    }

    private static void mayAsk(Transition transition, Lineage target, VoterAnswer answer) {
        if (answer instanceof VoterAnswer.Entered(long seat, Optional<View> _)) {
            ask(transition, new JoinState.Joining(target, seat, transition.now, transition.now));
        } else {
            transition.join = JoinState.STAYING;
            transition.enterNotBeforeNanos =
                    transition.now + transition.config.joining().refusedNanos();
            transition.pending("this machine cannot write its vote record");
        }
    }

    private static void ask(Transition transition, JoinState.Joining joining) {
        transition.join = joining.sent(transition.now);
        var join = new Message.Join(
                joining.target(),
                joining.seat(),
                transition.self.role(),
                transition.self.group(),
                transition.progress.phase());
        BetterLineage.dwellers(transition, joining.target()).forEach(node -> transition.send(node, join));
    }

    public static void onNotYet(Transition transition, Message.NotYet notYet) {
        if (transition.join instanceof JoinState.Joining joining
                && joining.target().equals(notYet.lineage())) {
            transition.pending(notYet.reason());
        }
    }
}
