package io.hearth.election;

/** Whether this node waits for a quorum. */
sealed interface Stall {
    Stall FLOWING = new Flowing();

    record Flowing() implements Stall {}

    record Stalled(String why, long sinceNanos) implements Stall {}
}
