package io.hearth.collective.schedule;

import io.hearth.collective.schedule.Transfer.Action;

/**
 * A sum around the ring, in steps. In each step a position sends one chunk to the next position and receives the chunk before it from the
 * previous one. It sends in a step what it received in the step before, and forwards each segment as soon as it has added it (cut-through).
 * The first {@code world - 1} steps add; all further steps copy.
 */
sealed interface RingSum extends Ring permits RingAllReduce, RingReduceScatter {
    int steps();

    /** The chunk that this position sends in its first step. */
    int firstChunk();

    /** Segments of each chunk; the last ones of a shorter chunk are shorter or empty. */
    long segmentsPerChunk();

    /** One segment of a chunk. */
    Transfer cut(Transfer into, int peer, int chunk, long segment);

    @Override
    default long sends() {
        return steps() * segmentsPerChunk();
    }

    @Override
    default long receives() {
        return sends();
    }

    @Override
    default void send(long index, Transfer into) {
        long segments = segmentsPerChunk();
        long step = index / segments;
        cut(into, Segments.around(position(), 1, world()), chunk(step), index % segments)
                .sent(step == 0, step == 0 ? 0 : index - segments + 1);
    }

    @Override
    default void receive(long index, Transfer into) {
        long segments = segmentsPerChunk();
        long step = index / segments;
        cut(into, Segments.around(position(), -1, world()), chunk(step + 1), index % segments)
                .received(step < world() - 1 ? Action.COMBINE_WITH_INPUT : Action.COPY, step == world() - 2);
    }

    private int chunk(long step) {
        return Segments.around(firstChunk(), -step, world());
    }
}
