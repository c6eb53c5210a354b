package io.hearth.election.view;

/**
 * Whether a quorum of the view is in hearing. Ballots begun while nobody is heard do not wait for suspects: the first quorum that
 * meets would remove the rest. So after an outage a node waits until all that come back are back.
 */
sealed interface HearingState {
    HearingState QUORUM = new Quorum();

    /** Enough machines are heard; ballots may begin. */
    record Quorum() implements HearingState {}

    /** Too few machines are heard. */
    record Lost(long sinceNanos) implements HearingState {}

    /** Enough are heard again, and more may follow. {@code members} were heard at {@code newestNanos}. */
    record Returning(long sinceNanos, int members, long newestNanos) implements HearingState {}
}
