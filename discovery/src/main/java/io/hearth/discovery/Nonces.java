package io.hearth.discovery;

import io.hearth.core.Bytes;

/**
 * The nonces under which two nodes announce themselves on one network. Each node knows both, so both agree on whose turn it is to
 * dial without a word between them.
 *
 * @param own of this node
 * @param peers of the other one
 */
public record Nonces(Bytes own, Bytes peers) {
    /** Whether this node dials first: the one with the smaller nonce, read as an unsigned number, does. */
    public boolean ownTurn() {
        return own.hex().compareTo(peers.hex()) < 0;
    }
}
