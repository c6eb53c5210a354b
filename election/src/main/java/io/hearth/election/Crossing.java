package io.hearth.election;

/** Whether this lone node is on its way into another lineage. */
sealed interface Crossing {
    Crossing STAYING = new Staying();

    record Staying() implements Crossing {}

    /** It waits until the machine's record of that lineage is on disk; only then it may ask. */
    record Entering(Lineage target, long sinceNanos) implements Crossing {}

    /**
     * It asks for entry; meanwhile it proposes nothing and admits nobody.
     *
     * @param seat of the machine's record
     * @param epochKnown of the newest view known when it began to ask, 0 for none: only a newer one can admit it
     */
    record Joining(Lineage target, long seat, long epochKnown, long sinceNanos, long sentNanos) implements Crossing {
        Joining sent(long now) {
            return new Joining(target, seat, epochKnown, sinceNanos, now);
        }
    }
}
