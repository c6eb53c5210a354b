package io.hearth.identity.pairing;

import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.roster.RosterDesk;
import java.util.Optional;

/** Admits a joining machine to the namespace of this machine, which signs the grant. */
public final class NamespaceSponsor implements Sponsor {
    private final RosterDesk desk;
    private final Clock clock;

    /**
     * The sponsor of one namespace.
     *
     * @param namespace closed
     * @param label this machine's name for people
     * @param clock its wall clock dates the grant
     * @throws SetupException if the namespace is open, or this machine has no valid identity; names the remedy
     */
    public NamespaceSponsor(HearthHome home, NetworkNamespace namespace, String label, Clock clock)
            throws SetupException {
        this.desk = new RosterDesk(home, namespace, IdentityFile.in(home).loadOrCreate(), label);
        this.clock = clock;
    }

    /**
     * Checks, before a code is shown, that this machine may admit others.
     *
     * @return a warning for the person, if there is one
     * @throws SetupException if it may not; names the reason and the remedy
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
