package io.hearth.election.view.state;

/**
 * Whether this node hears a quorum of the view. A ballot that begins while no member is heard does not wait for suspects, so the first
 * quorum to reconnect would remove the rest. Therefore a node waits after an outage until all returning members are back.
 */
public sealed interface HearingState {
    HearingState QUORUM = new Quorum();

    /** Enough machines are heard; ballots may begin. */
    record Quorum() implements HearingState {}

    /** Too few machines are heard. */
    record Lost(long sinceNanos) implements HearingState {}

    /** Enough are heard again, and more may follow. {@code members} were heard at {@code newestNanos}. */
    record Returning(long sinceNanos, int members, long newestNanos) implements HearingState {}
}
