package io.hearth.transport;

import io.hearth.identity.PeerId;

/**
 * Evidence that two computers use one identity: two starts that cannot both be of one computer, and both were there at the same
 * time.
 *
 * @param machine whose identity it is
 * @param one a start; where a node is told of itself, its own
 * @param other another one
 */
public record DoubledIdentity(PeerId machine, Appearance one, Appearance other) {}
