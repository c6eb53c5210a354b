package io.hearth.collective.schedule;

/**
 * What one position of a group sends and receives in one collective, and in which order: pure arithmetic, no list is ever built.
 *
 * <p>Positions are 0 to {@code world - 1}, in an order that all members know. There is one stream between two positions, which
 * keeps its order; so of what a sends to b, entry by entry, b receives the same, and nothing has to be matched.
 *
 * <p>A player may send and receive at the same time, each sequence in its order, or do both in turn on one thread: it sends an
 * entry once {@link Transfer#after} receives are complete, and receives what is left in the end. Every schedule ends for every
 * member whichever way each of them plays, if a stream takes at least one segment before it is read; in turn, if it takes {@link
 * #bytesToOneMax}.
 *
 * <p>Whoever is through a schedule knows that every member began it. Unequal calls are seen: every member receives from its
 * previous position at least, so wherever two members play different schedules, some two neighbours see it.
 */
public interface Schedule {
    /** Number of segments that this position sends. */
    long sends();

    /** Number of segments that this position receives. */
    long receives();

    /** Describes the segment sent as number {@code index}, from 0. */
    void send(long index, Transfer into);

    /** Describes the segment received as number {@code index}, from 0. */
    void receive(long index, Transfer into);

    /** Whether every segment goes to the next position and comes from the previous one, so that no other streams are needed. */
    default boolean isAround() {
        return false;
    }

    /** Payload bytes that this position sends. */
    long bytesSent();

    /** Most payload bytes that any position sends to any one other; the same for all positions. */
    long bytesToOneMax();
}
