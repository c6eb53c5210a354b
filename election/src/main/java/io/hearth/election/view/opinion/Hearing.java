package io.hearth.election.view.opinion;

import io.hearth.election.ElectionConfig;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.HearingState;
import io.hearth.election.view.step.Transition;

/** Loses and finds the quorum: {@link HearingState}. */
public final class Hearing {
    private Hearing() {}

    /** Does what is due, before any ballot. */
    public static void drive(Transition transition) {
        boolean hasQuorum = MemberStatus.hasQuorum(transition);
        if (!hasQuorum) {
            transition.hearing = transition.hearing instanceof HearingState.Lost
                    ? transition.hearing
                    : new HearingState.Lost(transition.now);
            if (!(transition.campaign instanceof Campaign.Accepting)) {
                transition.campaign = Campaign.NONE; // its promises are from before the outage
            }
            if (transition.hearing instanceof HearingState.Lost(long since)) {
                transition.lapses = transition.lapses.deaf(since, transition.now);
            }
            return;
        }
        if (transition.hearing instanceof HearingState.Quorum) {
            return;
        }
        int heard = MemberStatus.heardMembers(transition);
        switch (transition.hearing) {
            case HearingState.Quorum() -> {}
            case HearingState.Lost _ ->
                transition.hearing = new HearingState.Returning(transition.now, heard, transition.now);
            case HearingState.Returning returning -> {
                if (heard > returning.members()) {
                    transition.hearing = new HearingState.Returning(returning.sinceNanos(), heard, transition.now);
                }
            }
        }
        if (transition.hearing instanceof HearingState.Returning returning && isOver(transition, returning, heard)) {
            transition.hearing = HearingState.QUORUM;
            transition.change = transition.change.restarted(transition.now);
        }
    }

    private static boolean isOver(Transition transition, HearingState.Returning returning, int heard) {
        ElectionConfig.Returning spans = transition.config.returning();
        return heard == transition.view().members().size()
                || transition.now - returning.newestNanos() >= spans.quietNanos()
                || transition.now - returning.sinceNanos() >= spans.mostNanos();
    }
}
