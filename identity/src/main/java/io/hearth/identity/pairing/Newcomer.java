package io.hearth.identity.pairing;

import io.hearth.core.SetupException;
import io.hearth.identity.NodeId;

/** Takes what a member told this machine. */
@FunctionalInterface
public interface Newcomer {
    /**
     * Keeps the welcome; on disk when this returns.
     *
     * @param sponsorLabel what people call the member, cleaned; possibly empty
     * @param welcome as {@link Sponsor#welcome} made it; borrowed
     * @throws SetupException it cannot be kept; says why and what to do
     */
    void accept(NodeId sponsor, String sponsorLabel, byte[] welcome) throws SetupException;
}
