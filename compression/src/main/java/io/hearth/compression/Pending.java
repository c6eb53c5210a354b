package io.hearth.compression;

/** An encoding that was made but is not yet known to have been summed. End it with {@link #commit} or {@link #rollback}. */
public interface Pending {
    /** Size of the encoding. */
    long encodedBytes();

    /**
     * Notes that the gradient's memory is about to be overwritten: a residual that depends on it is computed now. {@link #commit} must
     * follow; after a {@link #rollback} the tensor's residual is 0.
     */
    default void gradientEnds() {}

    /** The encoding was summed: its residual is kept. */
    void commit();

    /** The encoding was abandoned: the memory is as before, unless {@link #gradientEnds} changed it already. */
    void rollback();
}
