package io.hearth.election.view.state;

/**
 * Whether the data threads rest after a local pause. Its sockets may hold frames from a time when this node was a member, and it may be
 * none any more.
 */
public sealed interface RestState {
    RestState AWAKE = new Awake();

    record Awake() implements RestState {}

    record Until(long nanos) implements RestState {}
}
