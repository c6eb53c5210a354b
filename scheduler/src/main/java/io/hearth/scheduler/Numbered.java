package io.hearth.scheduler;

/** An enum whose values have numbers on the wire and in the ledger, which never change. */
public sealed interface Numbered permits NodeRole, Topology, ShardStrategy, NodeStatus, JobState {
    int number();

    /**
     * The value with this number.
     *
     * @throws IllegalArgumentException if this version knows none
     */
    static <E extends Enum<E> & Numbered> E of(Class<E> type, int number) {
        for (E value : type.getEnumConstants()) {
            if (value.number() == number) {
                return value;
            }
        }
        throw new IllegalArgumentException("no " + type.getSimpleName() + " has the number " + number);
    }
}
