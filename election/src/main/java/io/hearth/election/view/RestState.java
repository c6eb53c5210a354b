package io.hearth.election.view;

/**
 * Whether the data threads stand still after a local pause: frames of a time in which this node was a member lie in its sockets,
 * and it may be none any more.
 */
sealed interface RestState {
    RestState AWAKE = new Awake();

    record Awake() implements RestState {}

    record Until(long nanos) implements RestState {}
}
