package io.hearth.identity.pairing;

import io.hearth.core.SetupException;
import io.hearth.identity.NodeId;

/** What a member tells a machine that proved a pairing code. */
@FunctionalInterface
public interface Sponsor {
    /**
     * What the new member needs; asked for once, when the newcomer proved the code.
     *
     * @param joinerLabel what people call it, cleaned; possibly empty
     * @return at most 300 KiB, opaque to pairing; given away, and wiped once it is sealed
     * @throws SetupException there is none; says why
     */
    byte[] welcome(NodeId joiner, String joinerLabel) throws SetupException;
}
