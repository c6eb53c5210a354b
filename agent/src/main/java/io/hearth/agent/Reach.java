package io.hearth.agent;

import io.hearth.discovery.HostPort;
import io.hearth.discovery.InterfacePolicy;
import io.hearth.election.Role;
import io.hearth.transport.LinkOptions;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HashSet;

/** Where a node can be reached, from its configuration. */
final class Reach {
    private static final int PORTS_TRIED = 32;

    private Reach() {}

    /** Which interfaces mDNS uses. */
    static InterfacePolicy interfaces(HearthConfig config) {
        return new InterfacePolicy(new HashSet<>(config.interfaces()), new HashSet<>(config.excludedInterfaces()));
    }

    /**
     * How links are accepted. An agent has the well-known port or the next free one, so that a person can name it; trainers have
     * any free one, because there may be several.
     */
    static LinkOptions links(HearthConfig config) {
        int port = config.port().orElse(config.role() == Role.AGENT ? HostPort.PORT_DEFAULT : 0);
        LinkOptions options = LinkOptions.anyAddress(port).localAddresses(address -> accepts(config, address));
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
