package io.hearth.transport;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Common;
import java.util.Optional;

/** The owner's decision about nodes that proved the namespace's secret. Called on the links' thread; it must not block. */
@FunctionalInterface
public interface AdmissionPolicy {
    /** Admits each node that proves the secret. */
    AdmissionPolicy BY_SECRET = _ -> Optional.empty();

    /** The reason why the node is not admitted, as one line for people of both sides; empty if it is admitted. */
    Optional<String> refuses(NodeId node);

    /** The same for a machine that proved another secret than the current one here. If it is admitted, it gets a {@link RekeyChannel}. */
    default Optional<String> refusesRekey(PeerId peer, Common common) {
        return Optional.of("no machine is re-keyed here");
    }

    /** The message for both sides if the machine is a member without any secret that is still known; empty if it is a stranger. */
    default Optional<String> outdated(PeerId peer) {
        return Optional.empty();
    }
}
