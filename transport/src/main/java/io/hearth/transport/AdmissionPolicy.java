package io.hearth.transport;

import io.hearth.identity.NodeId;
import java.util.Optional;

/** The owner's word on nodes that proved the namespace's secret. Asked on the links' thread: it must not block. */
@FunctionalInterface
public interface AdmissionPolicy {
    /** Admits whoever proves the secret. */
    AdmissionPolicy BY_SECRET = _ -> Optional.empty();

    /** Why that node is not admitted, as one line for people of both sides; empty if it is. */
    Optional<String> refuses(NodeId node);
}
