package io.hearth.election.view;

/** How far this node is on its way out. */
sealed interface LeaveState {
    LeaveState STAYING = new Staying();
    LeaveState GONE = new Gone();

    record Staying() implements LeaveState {}

    /** It waits until the others have done what it has done. */
    record Draining(long sinceNanos) implements LeaveState {}

    /** It asks to be left out, and votes and serves on. */
    record Asking(long sinceNanos, long sentNanos) implements LeaveState {}

    /** The process may exit. */
    record Gone() implements LeaveState {}
}
