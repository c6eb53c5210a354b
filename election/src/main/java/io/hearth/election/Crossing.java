package io.hearth.election;

/** Whether this lone node is on its way into another lineage. */
sealed interface Crossing {
    Crossing STAYING = new Staying();

    record Staying() implements Crossing {}

    /** It asks for entry; meanwhile it proposes nothing and admits nobody. */
    record Joining(Lineage target, long sinceNanos, long sentNanos) implements Crossing {}
}
