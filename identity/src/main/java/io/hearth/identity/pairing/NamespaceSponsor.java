package io.hearth.identity.pairing;

import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;

/**
 * Lets a newcomer into one namespace.
 *
 * @param namespace closed; borrowed
 */
public record NamespaceSponsor(NetworkNamespace namespace) implements Sponsor {
    @Override
    public byte[] welcome(NodeId joiner, String joinerLabel) {
        return new Welcome(namespace, new byte[0]).encode();
    }
}
