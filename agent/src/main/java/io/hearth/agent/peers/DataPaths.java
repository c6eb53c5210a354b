package io.hearth.agent.peers;

import io.hearth.discovery.mdns.InterfaceMonitor;
import io.hearth.discovery.mdns.InterfacePolicy;
import io.hearth.discovery.mdns.InterfaceState;
import io.hearth.discovery.mdns.LinkPrefix;
import io.hearth.transport.LocalPath;
import io.hearth.transport.Paths;
import java.net.SocketException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The interfaces of this machine over which data may go: those of discovery, without loopback. */
public final class DataPaths implements Paths {
    private static final Logger LOG = LoggerFactory.getLogger(DataPaths.class);

    private final InterfacePolicy policy;
    private final InterfaceMonitor.Reader reader;

    /** @param policy excludes the interfaces of containers, virtual machines and VPNs, and those that a person excluded */
    public DataPaths(InterfacePolicy policy) {
        this(policy, InterfaceMonitor::thisMachine);
    }

    DataPaths(InterfacePolicy policy, InterfaceMonitor.Reader reader) {
        this.policy = policy;
        this.reader = reader;
    }

    @Override
    public List<LocalPath> read() {
        try {
            return reader.read().stream()
                    .filter(state ->
                            !state.loopback() && policy.objection(state).isEmpty())
                    .map(DataPaths::path)
                    .filter(path -> !path.networks().isEmpty())
                    .toList();
        } catch (SocketException unreadable) {
            LOG.debug("data takes the links' interfaces only: {}", unreadable.getMessage());
            return List.of();
        }
    }

    private static LocalPath path(InterfaceState state) {
        return new LocalPath(
                state.name(), state.prefixes().stream().map(DataPaths::network).toList());
    }

    private static LocalPath.Network network(LinkPrefix prefix) {
        return new LocalPath.Network(prefix.address(), prefix.bits());
    }
}
