package io.hearth.identity.pairing;

import io.hearth.core.MalformedMessageException;
import io.hearth.core.SetupException;
import io.hearth.identity.Labels;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Puts this machine into the namespace of its sponsor. A machine that is in a namespace already stays in that one. */
public final class NamespaceNewcomer implements Newcomer {
    private final NamespaceFile file;
    private final AtomicReference<Optional<Joined>> joined = new AtomicReference<>(Optional.empty()); // by accept()

    /** What this machine came into. */
    public record Joined(String namespace, String keyId) {}

    public NamespaceNewcomer(NamespaceFile file) {
        this.file = file;
    }

    /**
     * Checks, before a code is spent, that nothing is in the way.
     *
     * @throws SetupException this machine is in a namespace already; says which, and how to leave it
     */
    public void demandNone() throws SetupException {
        List<String> names = file.names();
        if (!names.isEmpty()) {
            throw new SetupException("this machine is in namespace " + Labels.clean(names.getFirst())
                    + " already, and its secret is not overwritten: to join another home, remove the table ["
                    + Labels.clean(names.getFirst()) + "] from " + file.path() + " first");
        }
    }

    @Override
    public void accept(NodeId sponsor, String sponsorLabel, byte[] welcome) throws SetupException {
        NetworkNamespace namespace;
        try {
            namespace = Welcome.decode(welcome).namespace();
        } catch (MalformedMessageException malformed) {
            throw new SetupException(
                    "the other machine sent no usable welcome (" + malformed.getMessage()
                            + "): update Hearth on both machines, then pair again",
                    malformed);
        }
        demandNoneBut(namespace);
        file.add(namespace);
        joined.set(Optional.of(new Joined(namespace.name(), namespace.keyId())));
        namespace.destroy();
    }

    /** Set once {@link #accept} returned. */
    public Optional<Joined> joined() {
        return joined.get();
    }

    /** A person may have run another command meanwhile. */
    private void demandNoneBut(NetworkNamespace namespace) throws SetupException {
        Optional<NetworkNamespace> stored = file.find(namespace.name());
        if (stored.isEmpty() || !stored.get().equals(namespace)) {
            demandNone();
        }
    }
}
