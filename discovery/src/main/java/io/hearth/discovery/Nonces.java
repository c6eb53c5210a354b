package io.hearth.discovery;

import io.hearth.core.Bytes;

/**
 * The nonces under which two nodes announce themselves on one network. Each node knows both, so both agree without a message which of them
 * dials first.
 *
 * @param own of this node
 * @param peers of the other node
 */
public record Nonces(Bytes own, Bytes peers) {
    /** Whether this node dials first. The node with the smaller nonce does, read as an unsigned number. */
    public boolean ownTurn() {
        return own.hex().compareTo(peers.hex()) < 0;
    }
}
