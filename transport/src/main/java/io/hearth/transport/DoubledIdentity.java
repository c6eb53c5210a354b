package io.hearth.transport;

import io.hearth.identity.PeerId;

/**
 * Evidence that two computers use one identity: two starts that cannot both be of one computer, and that ran at the same time.
 *
 * @param machine the identity
 * @param one a start; in a message to a node with this identity, that node's own start
 * @param other another start
 */
public record DoubledIdentity(PeerId machine, Appearance one, Appearance other) {}
