package io.hearth.identity.pairing;

import io.hearth.core.SetupException;
import io.hearth.identity.NodeId;

/** Stores the welcome that a member sent to this machine. */
@FunctionalInterface
public interface Newcomer {
    /**
     * Stores the welcome; it is on disk when this returns.
     *
     * @param sponsorLabel the member's name for people, cleaned; possibly empty
     * @param welcome as {@link Sponsor#welcome} made it; borrowed
     * @throws SetupException if it cannot be stored; names the reason and the remedy
     */
    void accept(NodeId sponsor, String sponsorLabel, byte[] welcome) throws SetupException;
}
