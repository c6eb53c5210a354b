package io.hearth.identity.pairing;

import io.hearth.core.MalformedMessageException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.Labels;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.RosterDesk;
import io.hearth.identity.roster.RosterEntry;
import io.hearth.identity.roster.RosterFile;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Adds this machine to the namespace of its sponsor. A machine that is in a namespace already stays in that one; it may pair there again,
 * to get a secret that it missed.
 */
public final class NamespaceNewcomer implements Newcomer {
    private final HearthHome home;
    private final NamespaceFile file;
    private final AtomicReference<Optional<Joined>> joined =
            new AtomicReference<>(Optional.empty()); // written by accept(), read by joined()

    /**
     * The namespace that this machine joined.
     *
     * @param forgotten machines that this machine knew as removed, and that the sponsor's roster does not remove
     */
    public record Joined(String namespace, String keyId, List<PeerId> forgotten) {}

    /** A newcomer whose files are in {@code home}. */
    public NamespaceNewcomer(HearthHome home) {
        this.home = home;
        this.file = NamespaceFile.in(home);
    }

    /**
     * Checks, before a code is used, that this machine can join.
     *
     * @throws SetupException if this machine is in a namespace already and was not paired there; names it, and how to leave it
     */
    public void requireRoom() throws SetupException {
        List<String> names = file.names();
        for (String name : names) {
            if (wasPaired(name)) {
                return; // the code may be for that namespace; accept() checks
            }
        }
        if (!names.isEmpty()) {
            throw inTheWay(names.getFirst());
        }
    }

    private SetupException inTheWay(String name) {
        return new SetupException("this machine is in namespace " + Labels.clean(name)
                + " already, and its secret is not overwritten: to join another home, remove the table ["
                + Labels.clean(name) + "] from " + file.path() + " first");
    }

    /** Whether this machine has a roster of that namespace, so that it may pair there again. */
    private boolean wasPaired(String name) throws SetupException {
        return NetworkNamespace.isName(name)
                && RosterFile.in(home, name)
                        .stored()
                        .filter(book -> book.roster().root().isPresent())
                        .isPresent();
    }

    @Override
    public void accept(NodeId sponsor, String sponsorLabel, byte[] welcome) throws SetupException {
        try {
            String name = RosterDesk.namespace(welcome);
            List<String> names = file.names();
            if (!names.isEmpty() && !names.contains(name)) {
                throw inTheWay(names.getFirst()); // a person may have run another command meanwhile
            }
            Optional<RosterBook> before = RosterFile.in(home, name).stored();
            RosterBook after =
                    RosterDesk.accept(home, IdentityFile.in(home).loadOrCreate().peer(), welcome);
            List<PeerId> forgotten = before.stream()
                    .flatMap(book -> book.roster().removals().stream())
                    .map(RosterEntry.Removal::subject)
                    .filter(machine -> !after.roster().isRemoved(machine))
                    .toList();
            NetworkNamespace namespace = after.current();
            joined.set(Optional.of(new Joined(namespace.name(), namespace.keyId(), forgotten)));
        } catch (MalformedMessageException malformed) {
            throw new SetupException(
                    "the other machine sent no usable welcome (" + malformed.getMessage()
                            + "): update Hearth on both machines, then pair again",
                    malformed);
        }
    }

    /** Set once {@link #accept} returned. */
    public Optional<Joined> joined() {
        return joined.get();
    }
}
