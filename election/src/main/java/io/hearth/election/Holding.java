package io.hearth.election;

import io.hearth.election.ViewMachine.Effect;

/**
 * Keeps the own group's next step from beginning while somebody waits to enter before it, or while this lineage is to end for a
 * better one: the group's lead does not give its share, so nobody can pass. Only for a while, so that no stranger can stop a
 * training; a node that is alone waits for as long as there is a better place to go to.
 */
final class Holding {
    private Holding() {}

    /** Does what is due. */
    static void drive(Turn turn) {
        boolean wasHeld = turn.hold.held();
        turn.hold = next(turn);
        if (turn.hold.held() != wasHeld) {
            if (wasHeld && turn.home.isLone() && turn.progress.phase() == GroupPhase.BOUNDARY) {
                turn.progress = turn.progress.in(GroupPhase.BUSY); // alone it passes at once; it says so if it does not
            }
            turn.effect(new Effect.Hold(turn.hold.held()));
        }
    }

    private static Hold next(Turn turn) {
        if (turn.self.role() != Role.TRAINER || turn.isLeaving()) {
            return turn.hold.over();
        }
        if (!isLead(turn)) {
            return turn.hold.over(); // a lone trainer leads its group
        }
        boolean isDrawn = Merge.isDrawn(turn);
        if (isDrawn && turn.home.isLone()) {
            return turn.hold.from(turn.now);
        }
        boolean isWanted = isDrawn || Admissions.isAwaited(turn);
        if (!isWanted || turn.now - turn.hold.notBeforeNanos() < 0) {
            return turn.hold.over();
        }
        if (turn.progress.phase() != GroupPhase.BOUNDARY) {
            return new Hold(true, turn.now, turn.hold.notBeforeNanos()); // nobody waits for it yet
        }
        ElectionConfig.Joining spans = turn.config.joining();
        Hold held = turn.hold.from(turn.now);
        return turn.now - held.sinceNanos() < spans.holdNanos()
                ? held
                : held.overUntil(turn.now + spans.dissolveNanos());
    }

    private static boolean isLead(Turn turn) {
        for (Member member : turn.view().members()) {
            if (member.role() == Role.TRAINER && member.group().equals(turn.self.group())) {
                return turn.isSelf(member);
            }
        }
        return false;
    }
}
