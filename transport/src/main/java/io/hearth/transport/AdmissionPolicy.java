package io.hearth.transport;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Common;
import java.util.Optional;

/** The owner's word on nodes that proved the namespace's secret. Asked on the links' thread: it must not block. */
@FunctionalInterface
public interface AdmissionPolicy {
    /** Admits whoever proves the secret. */
    AdmissionPolicy BY_SECRET = _ -> Optional.empty();

    /** Why that node is not admitted, as one line for people of both sides; empty if it is. */
    Optional<String> refuses(NodeId node);

    /** The same of a machine that proved another secret than the present one here; whoever asks serves it by a {@link RekeyChannel}. */
    default Optional<String> refusesRekey(PeerId peer, Common common) {
        return Optional.of("no machine is re-keyed here");
    }

    /** What both sides are told if the machine belongs here and has no secret that is still known; empty if it is a stranger. */
    default Optional<String> outdated(PeerId peer) {
        return Optional.empty();
    }
}
