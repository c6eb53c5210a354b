package io.hearth.collective.schedule;

/**
 * The sends and receives of one position in one collective, in order. Pure arithmetic: no list is ever built.
 *
 * <p>Positions are 0 to {@code world - 1}, in an order that all members know. There is one stream between two positions, which keeps its
 * order. So b receives exactly the entries that a sends to it, in the same order, and needs no matching.
 *
 * <p>A member may send and receive at the same time, each sequence in its order. Or it does both in turn on one thread: it sends an entry
 * once {@link Transfer#after} receives are complete, and does the remaining receives at the end. Every schedule ends for every member, in
 * whichever of the two ways each of them plays it, under one condition. A stream must take at least one segment before its receiver reads,
 * and in turn {@link #bytesToOneMax}.
 *
 * <p>A member that completes a schedule knows that every member began it. If a {@link CompletionBarrier} must follow, this holds for a
 * member that completes both.
 *
 * <p>The player of a schedule copies the parts of the result that equal its own input: the root's buffer of a broadcast, its own block of a
 * gather, everything in a world of one. No receive writes them. Offsets count from the start of the whole buffer; a member's memory may
 * hold only the part that its schedule accesses.
 *
 * <p>Unequal calls are detected. The first segment of each stream carries its sender's call, and the receiver compares it with its own.
 * Every schedule's first send goes to the next position and needs no receive before it. Beyond that there are two kinds of schedules. In
 * the first kind, the first receive comes from the previous position. In the second kind, the first {@code world - 1} sends go to all
 * others and need no receive before them, and the first {@code world - 1} receives come from all others.
 *
 * <p>If members play different schedules, there are two cases. Either a position with a schedule of the first kind has a previous position
 * with another schedule, and detects this at once. Or all schedules are of the second kind, and every position hears from all others. (If
 * every position of the first kind follows one with the same schedule, all positions of the ring have it.) Patterns that would break the
 * rule begin with a note to the next position.
 */
public interface Schedule {
    /** Number of segments that this position sends. */
    long sends();

    /** Number of segments that this position receives. */
    long receives();

    /** Describes the segment sent as number {@code index}, from 0 to {@code sends() - 1}. */
    void send(long index, Transfer into);

    /** Describes the segment received as number {@code index}, from 0 to {@code receives() - 1}. */
    void receive(long index, Transfer into);

    /** Whether every segment goes to the next position and comes from the previous one, so that no other stream is needed. */
    default boolean isAround() {
        return false;
    }

    /** Payload bytes that this position sends. */
    long bytesSent();

    /** Most payload bytes that any position sends to any other one; the same for all positions. */
    long bytesToOneMax();
}
