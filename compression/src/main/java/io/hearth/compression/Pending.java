package io.hearth.compression;

/** An encoding that was made but is not yet known to have been summed. End it with one of the two calls. */
public interface Pending {
    /** Size of the encoding. */
    long encodedBytes();

    /**
     * The gradient's memory is about to be overwritten: what depends on it is made now. {@link #commit} must follow; if it is given up
     * all the same, nothing is owed to the tensor any more.
     */
    default void gradientEnds() {}

    /** It was summed: what it left out is now owed. */
    void commit();

    /** It was given up: what is remembered is as before it was begun. */
    void rollback();
}
