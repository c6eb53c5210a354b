package io.hearth.compression;

/** An encoding that was made but is not yet known to have been summed. End it with one of the two calls. */
public interface Pending {
    /** Size of the encoding. */
    long encodedBytes();

    /** It was summed: what it left out is now owed. */
    void commit();

    /** It was given up: what is remembered is as before it was begun. */
    void rollback();
}
