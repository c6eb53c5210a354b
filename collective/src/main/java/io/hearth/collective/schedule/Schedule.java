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
 * <p>Whoever is through a schedule knows that every member began it; for those that a {@link CompletionBarrier} has to follow, whoever is
 * through both.
 *
 * <p>What no receive writes is left alone: where a result has bytes of the own input in it unchanged (the root's of a broadcast,
 * the own block of a gather, everything in a world of one), whoever plays copies them. Offsets are those of the whole; a memory
 * may hold only the part of it that its member's schedule touches.
 *
 * <p>Unequal calls are seen. The first segment of each stream carries what its sender plays, and a receiver compares. Every
 * schedule's first send goes to the next position and needs no receive before. Its first receive is from the previous position; or
 * else its first {@code world - 1} sends go to all others, need no receive before, and its first {@code world - 1} receives come
 * from all others. If members play different schedules, either one of the first kind has a previous position that plays another
 * one, and sees it at once; or all are of the second kind, and then everybody hears everybody. (If all of the first kind have
 * previous positions that play the same, so have those, all round the ring.) Patterns that would break the rule begin with a
 * note to the next position.
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

    /**
     * How many segments later than contributions this position has results, 1 or more. Where it is more for anybody, each tells the
     * others with its first segment.
     */
    default long lag() {
        return 1;
    }

    /**
     * Tells the greatest {@link #lag} of all, once a first segment came from every other position and before the next receive. What
     * {@link #send} says of an entry may be another thing from then on, unless that needs no receive before.
     */
    default void agree(long lag) {}

    /** Whether every segment goes to the next position and comes from the previous one, so that no other streams are needed. */
    default boolean isAround() {
        return false;
    }

    /** Payload bytes that this position sends. */
    long bytesSent();

    /** Most payload bytes that any position sends to any one other; the same for all positions. */
    long bytesToOneMax();
}
