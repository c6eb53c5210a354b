package io.hearth.collective.schedule;

/** A schedule in which each position sends to the next one of a ring, and as many bytes as its place on the ring requires. */
sealed interface Ring extends Schedule permits RingAllGather, RingSum {
    int position();

    int world();

    /** Payload bytes that a position sends. */
    long bytesSentBy(int sender);

    @Override
    default boolean isAround() {
        return true;
    }

    @Override
    default long bytesSent() {
        return bytesSentBy(position());
    }

    @Override
    default long bytesToOneMax() {
        return Segments.largest(world(), this::bytesSentBy);
    }
}
