package io.hearth.election;

import io.hearth.election.ElectionConfig.OnPartition;
import io.hearth.election.ViewMachine.Effect;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Notices that no view can be committed, says what is waited for, and goes on alone where that was asked for. */
final class Stalls {
    private static final long DRIVEN_NANOS = 5_000_000_000L; // a proposer repeats itself much more often

    private Stalls() {}

    static void drive(Turn turn) {
        Optional<String> why = why(turn);
        if (why.isEmpty()) {
            turn.stall = Stall.FLOWING;
            return;
        }
        List<NodeId> silent = Standing.silentMembers(turn);
        switch (turn.stall) {
            case Stall.Flowing() -> tell(turn, new Stall.Stalled(turn.now, silent, List.of(), turn.now));
            case Stall.Stalled stalled -> {
                ElectionConfig.Stalling spans = turn.config.stalling();
                var present = new Stall.Stalled(stalled.sinceNanos(), silent, stalled.told(), stalled.toldNanos());
                turn.stall = present;
                if (spans.onPartition() == OnPartition.CONTINUE
                        && turn.now - stalled.sinceNanos() >= spans.continueNanos()) {
                    goOnAlone(turn, why.get());
                } else if (turn.now - stalled.toldNanos() >= spans.afterNanos()
                        && !waitingFor(turn.state(), present).equals(stalled.told())) {
                    tell(turn, present);
                }
            }
        }
    }

    private static void tell(Turn turn, Stall.Stalled stalled) {
        turn.stall = stalled;
        ViewState state = turn.state();
        List<NodeId> waitingFor = waitingFor(state, stalled);
        turn.stall = new Stall.Stalled(stalled.sinceNanos(), stalled.silent(), waitingFor, turn.now);
        turn.announce(new ElectionEvent.Stalled(
                turn.home.lineage(), turn.view().epoch(), text(state).orElseThrow(), waitingFor));
    }

    private static Optional<String> why(Turn turn) {
        if (turn.isLeaving() || turn.home.isLone()) {
            return Optional.empty();
        }
        switch (turn.hearing) {
            case Hearing.Quorum() -> {}
            case Hearing.Lost _ -> {
                return Optional.of("no quorum of the machines is heard");
            }
            case Hearing.Returning _ -> {
                return Optional.empty(); // a quorum is back, and the rest is waited for
            }
        }
        long after = turn.config.stalling().afterNanos();
        boolean isStuck = turn.change.needed().isPresent()
                && turn.now - turn.change.neededNanos() >= after
                && turn.now - turn.home.learnedNanos() >= after;
        return isStuck
                ? Optional.of("no quorum answers, and a change is needed: "
                        + turn.change.needed().get())
                : Optional.empty();
    }

    /** For people, at this moment: what is missing, since when, and whom that waits for; empty while views can be committed. */
    static Optional<String> text(ViewState state) {
        if (!(state.stall() instanceof Stall.Stalled stalled)) {
            return Optional.empty();
        }
        Change change = state.change();
        var line = new StringBuilder();
        if (change.needed().isPresent() && state.hearing() instanceof Hearing.Quorum) {
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
                .filter(driver -> state.hearing() instanceof Hearing.Quorum
                        && state.campaign() instanceof Campaign.None
                        && state.now() - change.drivenNanos() < DRIVEN_NANOS)
                .ifPresent(driver -> line.append("; ")
                        .append(driver.shortText())
                        .append(" collects the votes: its status says who does not vote"));
        return Optional.of(line.toString());
    }

    /** Members whose machine is not heard, or has not voted for a while though this node asked; in view order. */
    private static List<NodeId> waitingFor(ViewState state, Stall.Stalled stalled) {
        return state.view().members().stream()
                .filter(member -> stalled.silent().contains(member.node())
                        || Apartness.unvotedNanos(state, member.machine()).isPresent())
                .map(Member::node)
                .toList();
    }

    private static void goOnAlone(Turn turn, String why) {
        turn.effect(new Effect.Removed(
                Effect.Removed.Cause.LINEAGE_LOST,
                "lineage " + turn.home.lineage().shortText() + " is given up, as asked for: " + why));
        turn.progress = turn.progress.interrupted();
        Learner.found(turn, true);
    }
}
