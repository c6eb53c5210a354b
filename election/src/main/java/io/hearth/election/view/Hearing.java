package io.hearth.election.view;

import io.hearth.election.ElectionConfig;

/**
 * Whether a quorum of the view is in hearing. Ballots begun while nobody is heard do not wait for suspects: the first quorum that
 * meets would remove the rest. So after an outage a node waits until all that come back are back.
 */
sealed interface Hearing {
    Hearing QUORUM = new Quorum();

    /** Enough machines are heard; ballots may begin. */
    record Quorum() implements Hearing {}

    /** Too few machines are heard. */
    record Lost(long sinceNanos) implements Hearing {}

    /** Enough are heard again, and more may follow. {@code members} were heard at {@code newestNanos}. */
    record Returning(long sinceNanos, int members, long newestNanos) implements Hearing {}

    /** Does what is due, before any ballot. */
    static void drive(Transition transition) {
        boolean hasQuorum = MemberStatus.hasQuorum(transition);
        if (!hasQuorum) {
            transition.hearing = transition.hearing instanceof Lost ? transition.hearing : new Lost(transition.now);
            if (!(transition.campaign instanceof Campaign.Accepting)) {
                transition.campaign = Campaign.NONE; // its promises are older than the outage
            }
            if (transition.hearing instanceof Lost(long since)) {
                transition.lapses = transition.lapses.deaf(since, transition.now);
            }
            return;
        }
        if (transition.hearing instanceof Quorum) {
            return;
        }
        int heard = MemberStatus.heardMembers(transition);
        switch (transition.hearing) {
            case Quorum() -> {}
            case Lost _ -> transition.hearing = new Returning(transition.now, heard, transition.now);
            case Returning returning -> {
                if (heard > returning.members()) {
                    transition.hearing = new Returning(returning.sinceNanos(), heard, transition.now);
                }
            }
        }
        if (transition.hearing instanceof Returning returning && isOver(transition, returning, heard)) {
            transition.hearing = QUORUM;
            transition.change = transition.change.restarted(transition.now);
        }
    }

    private static boolean isOver(Transition transition, Returning returning, int heard) {
        ElectionConfig.Returning spans = transition.config.returning();
        return heard == transition.view().members().size()
                || transition.now - returning.newestNanos() >= spans.quietNanos()
                || transition.now - returning.sinceNanos() >= spans.mostNanos();
    }
}
