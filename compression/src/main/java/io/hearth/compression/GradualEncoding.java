package io.hearth.compression;

import java.util.Optional;

/**
 * An encoding of known length that is made from its beginning on, so that its first bytes can travel while values further on are
 * searched. One thread at a time.
 */
@FunctionalInterface
public interface GradualEncoding {
    /**
     * Makes what is not made yet of the first {@code bytes}, which do not change any more.
     *
     * @param bytes 0 to the length of the encoding
     * @return how many values were encoded for that, 0 or more
     * @throws NonFiniteException if one of them is not finite; the encoding is without meaning then
     */
    long make(long bytes) throws NonFiniteException;

    /** What is remembered of it, to be committed only once all of it was made; empty if nothing is remembered. */
    default Optional<Pending> pending() {
        return Optional.empty();
    }
}
