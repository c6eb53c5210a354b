package io.hearth.election.view.state;

/** How far this node's leave is. */
public sealed interface LeaveState {
    LeaveState STAYING = new Staying();
    LeaveState GONE = new Gone();

    record Staying() implements LeaveState {}

    /** It waits until the others have done the collectives that it has done. */
    record Draining(long sinceNanos) implements LeaveState {}

    /** It asks to be left out, and still votes and serves results. */
    record Asking(long sinceNanos, long sentNanos) implements LeaveState {}

    /** The process may exit. */
    record Gone() implements LeaveState {}
}
