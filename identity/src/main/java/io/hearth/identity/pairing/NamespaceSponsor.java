package io.hearth.identity.pairing;

import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.roster.RosterDesk;
import java.util.Optional;

/** Lets a newcomer into the namespace of this machine, which signs that it belongs. */
public final class NamespaceSponsor implements Sponsor {
    private final RosterDesk desk;
    private final Clock clock;

    /**
     * The sponsor of one namespace.
     *
     * @param namespace closed
     * @param label what people call this machine
     * @param clock its wall clock dates the grant
     * @throws SetupException the namespace is open, or this machine has no sound identity; says what to do
     */
    public NamespaceSponsor(HearthHome home, NetworkNamespace namespace, String label, Clock clock)
            throws SetupException {
        this.desk = new RosterDesk(home, namespace, IdentityFile.in(home).loadOrCreate(), label);
        this.clock = clock;
    }

    /**
     * Checks, before a code is shown, that this machine may let others in.
     *
     * @return what the person should know first
     * @throws SetupException it may not; says why and what to do
     */
    public Optional<String> requireReady() throws SetupException {
        return desk.requireSponsor();
    }

    /** The grant is on disk when this returns. */
    @Override
    public byte[] welcome(NodeId joiner, String joinerLabel) throws SetupException {
        return desk.welcome(joiner, joinerLabel, clock.epochMillis());
    }
}
