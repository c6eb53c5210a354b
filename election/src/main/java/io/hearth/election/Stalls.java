package io.hearth.election;

import io.hearth.election.ElectionConfig.OnPartition;
import io.hearth.election.ViewMachine.Effect;
import java.util.Optional;

/** Notices that no view can be committed, says what is waited for, and goes on alone where that was asked for. */
final class Stalls {
    private Stalls() {}

    static void drive(Turn turn) {
        Optional<String> why = why(turn);
        if (why.isEmpty()) {
            turn.stall = Stall.FLOWING;
            return;
        }
        switch (turn.stall) {
            case Stall.Flowing() -> {
                turn.stall = new Stall.Stalled(why.get(), turn.now);
                turn.announce(new ElectionEvent.Stalled(
                        turn.home.lineage(), turn.view().epoch(), why.get(), Standing.silentMembers(turn)));
            }
            case Stall.Stalled stalled -> {
                ElectionConfig.Stalling spans = turn.config.stalling();
                if (spans.onPartition() == OnPartition.CONTINUE
                        && turn.now - stalled.sinceNanos() >= spans.continueNanos()) {
                    goOnAlone(turn, why.get());
                }
            }
        }
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

    private static void goOnAlone(Turn turn, String why) {
        turn.effect(new Effect.Removed(
                Effect.Removed.Cause.LINEAGE_LOST,
                "lineage " + turn.home.lineage().shortText() + " is given up, as asked for: " + why));
        turn.progress = turn.progress.interrupted();
        Learner.found(turn, true);
    }
}
