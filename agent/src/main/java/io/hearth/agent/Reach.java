package io.hearth.agent;

import io.hearth.discovery.HostPort;
import io.hearth.discovery.InterfacePolicy;
import io.hearth.election.Role;
import io.hearth.identity.HearthHome;
import io.hearth.identity.Labels;
import io.hearth.identity.NodeId;
import io.hearth.transport.DataTransport;
import io.hearth.transport.LinkOptions;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HashSet;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where a node can be reached, from its configuration. */
final class Reach {
    private static final Logger LOG = LoggerFactory.getLogger(Reach.class);
    private static final int PORTS_TRIED = 32;

    private Reach() {}

    /** Says so when an interface that was asked for is not here; it may still come. */
    static void checkInterfaces(HearthConfig config) {
        try {
            List<String> here = NetworkInterface.networkInterfaces()
                    .map(NetworkInterface::getName)
                    .toList();
            for (String wanted : config.interfaces()) {
                if (!here.contains(wanted)) {
                    LOG.warn(
                            "this machine has no interface '{}' now, only {}",
                            Labels.clean(wanted),
                            String.join(", ", here));
                }
            }
        } catch (SocketException unreadable) {
            LOG.debug("the interfaces cannot be listed: {}", unreadable.getMessage());
        }
    }

    /** Which interfaces mDNS uses. */
    static InterfacePolicy interfaces(HearthConfig config) {
        return new InterfacePolicy(new HashSet<>(config.interfaces()), new HashSet<>(config.excludedInterfaces()));
    }

    /**
     * How links are accepted. The machine's agent has the well-known port or the next free one, so that a person can name it;
     * trainers, of which there may be several, and those that are here for a moment only, have any free one. Only trainers
     * have data to send, and so shared memory to offer.
     */
    static LinkOptions links(HearthConfig config, HearthHome home) {
        boolean isTheAgent = config.role() == Role.AGENT && config.slot().equals(NodeId.AGENT);
        int port = config.port().orElse(isTheAgent ? HostPort.PORT_DEFAULT : 0);
        LinkOptions options = LinkOptions.anyAddress(port)
                .localAddresses(address -> accepts(config, address))
                .transport(config.role() == Role.TRAINER ? config.transport() : DataTransport.TCP)
                .home(home);
        return config.port().isPresent() ? options : options.portsTried(port == 0 ? 1 : PORTS_TRIED);
    }

    /** Whether connections to this address of the machine are wanted. */
    private static boolean accepts(HearthConfig config, InetAddress local) {
        if (config.interfaces().isEmpty() && config.excludedInterfaces().isEmpty()) {
            return true;
        }
        try {
            NetworkInterface found = NetworkInterface.getByInetAddress(local);
            String name = found == null ? "" : found.getName();
            return !config.excludedInterfaces().contains(name)
                    && (config.interfaces().isEmpty() || config.interfaces().contains(name));
        } catch (SocketException unreadable) {
            return false;
        }
    }
}
