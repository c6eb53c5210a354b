package io.hearth.election;

/** How far this node is on its way out. */
sealed interface Departure {
    Departure STAYING = new Staying();
    Departure GONE = new Gone();

    record Staying() implements Departure {}

    /** It waits until the others have done what it has done. */
    record Draining(long sinceNanos) implements Departure {}

    /** It asks to be left out, and votes and serves on. */
    record Asking(long sinceNanos, long sentNanos) implements Departure {}

    /** The process may exit. */
    record Gone() implements Departure {}
}
