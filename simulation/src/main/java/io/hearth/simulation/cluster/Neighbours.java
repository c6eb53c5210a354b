package io.hearth.simulation.cluster;

import io.hearth.discovery.PeerAddress;
import io.hearth.identity.NodeId;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.process.ProcessContext;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The processes that one process can find and dial. */
interface Neighbours {
    /** Of all processes that run. */
    List<DiscoveryStub> stubs();

    Optional<DiscoveryStub> stub(NodeId node);

    boolean areLinked(ProcessContext one, ProcessContext other);

    /**
     * Closes the link to a silent node.
     *
     * @return the incarnation at the other end; empty if the link was closed there before
     */
    OptionalLong close(ProcessContext process, NodeId node);

    /** Whether a machine was put out of the namespace. */
    boolean isOut(Host host);

    /** Dials an address; the stub of {@code from} hears of the outcome once. */
    void dial(ProcessContext from, PeerAddress address);
}
