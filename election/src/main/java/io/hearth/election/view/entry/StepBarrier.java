package io.hearth.election.view.entry;

import io.hearth.election.ElectionConfig;
import io.hearth.election.GroupPhase;
import io.hearth.election.Member;
import io.hearth.election.Role;
import io.hearth.election.view.state.StepBarrierHold;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.step.Transition;

/**
 * Delays the next step of this node's group while a node waits to enter before it, or while this lineage must end for a better one. The
 * group's lead does not contribute, so no rank can pass. The delay is bounded, so that no stranger can stop a training; a lone node waits
 * for as long as there is a better lineage.
 */
public final class StepBarrier {
    private StepBarrier() {}

    /** Does what is due. */
    public static void drive(Transition transition) {
        boolean wasHeld = transition.hold.held();
        transition.hold = next(transition);
        if (transition.hold.held() != wasHeld) {
            if (wasHeld && transition.current.isLone() && transition.progress.phase() == GroupPhase.BOUNDARY) {
                transition.progress =
                        transition.progress.in(GroupPhase.BUSY); // alone it passes at once, or reports that it does not
            }
            transition.effect(new ViewEffect.Hold(transition.hold.held()));
        }
    }

    private static StepBarrierHold next(Transition transition) {
        if (transition.self.role() != Role.TRAINER || transition.isLeaving()) {
            return transition.hold.over();
        }
        if (!isLead(transition)) {
            return transition.hold.over(); // a lone trainer leads its group
        }
        boolean isDrawn = BetterLineage.isDrawn(transition);
        if (isDrawn && transition.current.isLone()) {
            return transition.hold.from(transition.now);
        }
        boolean isWanted = isDrawn || Admissions.isAwaited(transition);
        if (!isWanted || transition.now - transition.hold.notBeforeNanos() < 0) {
            return transition.hold.over();
        }
        if (transition.progress.phase() != GroupPhase.BOUNDARY) {
            return new StepBarrierHold(
                    true, transition.now, transition.hold.notBeforeNanos()); // no rank waits for it yet
        }
        ElectionConfig.Joining spans = transition.config.joining();
        StepBarrierHold held = transition.hold.from(transition.now);
        return transition.now - held.sinceNanos() < spans.holdNanos()
                ? held
                : held.overUntil(transition.now + spans.dissolveNanos());
    }

    private static boolean isLead(Transition transition) {
        for (Member member : transition.view().members()) {
            if (member.role() == Role.TRAINER && member.group().equals(transition.self.group())) {
                return transition.isSelf(member);
            }
        }
        return false;
    }
}
