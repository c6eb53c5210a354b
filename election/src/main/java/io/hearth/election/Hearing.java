package io.hearth.election;

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
    static void drive(Turn turn) {
        boolean hasQuorum = Standing.hasQuorum(turn);
        if (!hasQuorum) {
            turn.hearing = turn.hearing instanceof Lost ? turn.hearing : new Lost(turn.now);
            if (!(turn.campaign instanceof Campaign.Accepting)) {
                turn.campaign = Campaign.NONE; // its promises are older than the outage
            }
            if (turn.hearing instanceof Lost(long since)) {
                turn.lapses = turn.lapses.deaf(since, turn.now);
            }
            return;
        }
        if (turn.hearing instanceof Quorum) {
            return;
        }
        int heard = Standing.heardMembers(turn);
        switch (turn.hearing) {
            case Quorum() -> {}
            case Lost _ -> turn.hearing = new Returning(turn.now, heard, turn.now);
            case Returning returning -> {
                if (heard > returning.members()) {
                    turn.hearing = new Returning(returning.sinceNanos(), heard, turn.now);
                }
            }
        }
        if (turn.hearing instanceof Returning returning && isOver(turn, returning, heard)) {
            turn.hearing = QUORUM;
            turn.change = turn.change.restarted(turn.now);
        }
    }

    private static boolean isOver(Turn turn, Returning returning, int heard) {
        ElectionConfig.Returning spans = turn.config.returning();
        return heard == turn.view().members().size()
                || turn.now - returning.newestNanos() >= spans.quietNanos()
                || turn.now - returning.sinceNanos() >= spans.mostNanos();
    }
}
