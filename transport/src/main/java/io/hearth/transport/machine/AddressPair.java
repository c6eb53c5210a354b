package io.hearth.transport.machine;

import io.hearth.core.Bytes;

/**
 * The addresses of one lane.
 *
 * @param from address of the side that dials, 4 or 16 bytes
 * @param to address of the side that accepts, of the same size
 */
public record AddressPair(Bytes from, Bytes to) {
    public AddressPair {
        if ((from.size() != 4 && from.size() != 16) || from.size() != to.size()) {
            throw new IllegalArgumentException(
                    "addresses of a lane must have 4 or 16 bytes each, got " + from.size() + " and " + to.size());
        }
    }
}
