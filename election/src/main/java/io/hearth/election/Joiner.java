package io.hearth.election;

/**
 * A node that asks for entry here.
 *
 * @param heardNanos when it last asked
 * @param answeredNanos when it was last told why not
 */
record Joiner(long incarnation, Role role, String group, long heardNanos, long answeredNanos) {
    Joiner answered(long now) {
        return new Joiner(incarnation, role, group, heardNanos, now);
    }
}
