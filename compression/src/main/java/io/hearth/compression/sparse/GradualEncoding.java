package io.hearth.compression.sparse;

import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import java.util.Optional;

/**
 * An encoding of known length that is made from its beginning on, so that its first bytes can travel while later values are searched. One
 * thread at a time.
 */
@FunctionalInterface
public interface GradualEncoding {
    /**
     * Completes the first {@code bytes}, which do not change after this call.
     *
     * @param bytes 0 to the length of the encoding
     * @return number of values that this call encoded, 0 or more
     * @throws NonFiniteException if one of them is not finite; the encoding is undefined then
     */
    long make(long bytes) throws NonFiniteException;

    /** The pending residual, to be committed only after all bytes were made; empty if no residual is kept. */
    default Optional<Pending> pending() {
        return Optional.empty();
    }
}
