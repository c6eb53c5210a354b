package io.hearth.identity.pairing;

import io.hearth.core.SetupException;
import io.hearth.identity.NodeId;

/** Makes the welcome for a machine that proved a pairing code. */
@FunctionalInterface
public interface Sponsor {
    /**
     * The data that the new member needs; called once, after the joining machine proved the code.
     *
     * @param joinerLabel its name for people, cleaned; possibly empty
     * @return at most 300 KiB, opaque to pairing; the caller owns it, and wipes it after sealing it
     * @throws SetupException if there is no welcome; names the reason
     */
    byte[] welcome(NodeId joiner, String joinerLabel) throws SetupException;
}
