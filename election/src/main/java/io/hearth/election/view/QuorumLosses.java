package io.hearth.election.view;

import io.hearth.election.ElectionConfig;
import io.hearth.election.ElectionConfig.OnPartition;
import io.hearth.election.ElectionEvent;
import io.hearth.election.Member;
import io.hearth.election.view.lineage.Learner;
import io.hearth.election.view.opinion.MemberStatus;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.Change;
import io.hearth.election.view.state.HearingState;
import io.hearth.election.view.state.QuorumLoss;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.state.ViewState;
import io.hearth.election.view.step.Transition;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Notices that no view can be committed, reports the missing members, and goes on alone if configured. */
public final class QuorumLosses {
    private static final long DRIVEN_NANOS = 5_000_000_000L; // a proposer repeats itself much more often

    private QuorumLosses() {}

    static void drive(Transition transition) {
        Optional<String> why = why(transition);
        if (why.isEmpty()) {
            transition.stall = QuorumLoss.FLOWING;
            return;
        }
        List<NodeId> silent = MemberStatus.silentMembers(transition);
        switch (transition.stall) {
            case QuorumLoss.Flowing() ->
                tell(transition, new QuorumLoss.Stalled(transition.now, silent, List.of(), transition.now));
            case QuorumLoss.Stalled stalled -> {
                ElectionConfig.Stalling spans = transition.config.stalling();
                var present = new QuorumLoss.Stalled(stalled.sinceNanos(), silent, stalled.told(), stalled.toldNanos());
                transition.stall = present;
                if (spans.onPartition() == OnPartition.CONTINUE
                        && transition.now - stalled.sinceNanos() >= spans.continueNanos()) {
                    goOnAlone(transition, why.get());
                } else if (transition.now - stalled.toldNanos() >= spans.afterNanos()
                        && !waitingFor(transition.state(), present).equals(stalled.told())) {
                    tell(transition, present);
                }
            }
        }
    }

    private static void tell(Transition transition, QuorumLoss.Stalled stalled) {
        transition.stall = stalled;
        ViewState state = transition.state();
        List<NodeId> waitingFor = waitingFor(state, stalled);
        transition.stall = new QuorumLoss.Stalled(stalled.sinceNanos(), stalled.silent(), waitingFor, transition.now);
        transition.announce(new ElectionEvent.Stalled(
                transition.current.lineage(),
                transition.view().epoch(),
                text(state).orElseThrow(),
                waitingFor));
    }

    private static Optional<String> why(Transition transition) {
        if (transition.isLeaving() || transition.current.isLone()) {
            return Optional.empty();
        }
        switch (transition.hearing) {
            case HearingState.Quorum() -> {}
            case HearingState.Lost _ -> {
                return Optional.of("no quorum of the machines is heard");
            }
            case HearingState.Returning _ -> {
                return Optional.empty(); // a quorum is back, and this node waits for the rest
            }
        }
        long after = transition.config.stalling().afterNanos();
        boolean isStuck = transition.change.needed().isPresent()
                && transition.now - transition.change.neededNanos() >= after
                && transition.now - transition.current.learnedNanos() >= after;
        return isStuck
                ? Optional.of("no quorum answers, and a change is needed: "
                        + transition.change.needed().get())
                : Optional.empty();
    }

    /** A report for people: what is missing, since when, and which members; empty while views can be committed. */
    public static Optional<String> text(ViewState state) {
        if (!(state.stall() instanceof QuorumLoss.Stalled stalled)) {
            return Optional.empty();
        }
        Change change = state.change();
        var line = new StringBuilder();
        if (change.needed().isPresent() && state.hearing() instanceof HearingState.Quorum) {
            line.append("the view needs a change (")
                    .append(change.needed().get())
                    .append("), and no quorum has voted for one for ")
                    .append(Apartness.seconds(state.now() - change.neededNanos()));
        } else {
            line.append("no quorum of the machines has been heard for ")
                    .append(Apartness.seconds(state.now() - stalled.sinceNanos()));
        }
        var missed = new ArrayList<String>();
        for (NodeId node : waitingFor(state, stalled)) {
            boolean isSilent = stalled.silent().contains(node);
            missed.add(
                    node.equals(state.self().node())
                            ? "the disk of this node"
                            : node.shortText() + (isSilent ? " (not heard)" : " (heard, but it does not vote)"));
        }
        if (!missed.isEmpty()) {
            line.append("; waiting for ").append(String.join(", ", missed));
        }
        change.driver()
                .filter(driver -> state.hearing() instanceof HearingState.Quorum
                        && state.campaign() instanceof Campaign.None
                        && state.now() - change.drivenNanos() < DRIVEN_NANOS)
                .ifPresent(driver -> line.append("; ")
                        .append(driver.shortText())
                        .append(" collects the votes: its status says who does not vote"));
        return Optional.of(line.toString());
    }

    /** Members whose machine is not heard, or has not voted for a while though this node asked; in view order. */
    private static List<NodeId> waitingFor(ViewState state, QuorumLoss.Stalled stalled) {
        return state.view().members().stream()
                .filter(member -> stalled.silent().contains(member.node())
                        || Apartness.unvotedNanos(state, member.machine()).isPresent())
                .map(Member::node)
                .toList();
    }

    private static void goOnAlone(Transition transition, String why) {
        transition.effect(new ViewEffect.Removed(
                ViewEffect.Removed.Cause.LINEAGE_LOST,
                "lineage " + transition.current.lineage().shortText() + " is given up, as asked for: " + why));
        transition.progress = transition.progress.interrupted();
        Learner.found(transition, true);
    }
}
