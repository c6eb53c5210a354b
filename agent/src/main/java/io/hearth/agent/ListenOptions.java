package io.hearth.agent;

import io.hearth.agent.peers.DataPaths;
import io.hearth.core.SetupException;
import io.hearth.discovery.HostPort;
import io.hearth.discovery.mdns.InterfacePolicy;
import io.hearth.election.Role;
import io.hearth.identity.HearthHome;
import io.hearth.identity.Labels;
import io.hearth.identity.NodeId;
import io.hearth.transport.AesSpeed;
import io.hearth.transport.DataTransport;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.Paths;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HashSet;
import java.util.List;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The addresses, ports and interfaces of a node, from its configuration. */
public final class ListenOptions {
    private static final Logger LOG = LoggerFactory.getLogger(ListenOptions.class);
    private static final int PORTS_TRIED = 32;
    private static final int PAIRING_PORTS_TRIED = HostPort.PORT_DEFAULT - HostPort.PORT_PAIRING;

    private ListenOptions() {}

    /**
     * Checks the names of interfaces before anything is opened.
     *
     * @throws SetupException if this machine has no interface with a name given by {@code --interface}; its text lists the interfaces
     */
    public static void checkInterfaces(HearthConfig config) throws SetupException {
        if (!restricts(config)) {
            return;
        }
        try {
            checkInterfaces(
                    config,
                    NetworkInterface.networkInterfaces()
                            .map(NetworkInterface::getName)
                            .sorted()
                            .toList());
        } catch (SocketException unreadable) {
            throw new SetupException(
                    "the network interfaces of this machine cannot be listed (" + unreadable.getMessage()
                            + "): start without --interface and --exclude-interface",
                    unreadable);
        }
    }

    /**
     * As {@link #checkInterfaces(HearthConfig)}, for a machine with those interfaces. An excluded interface may be absent, because that of
     * a VPN comes and goes.
     */
    static void checkInterfaces(HearthConfig config, List<String> here) throws SetupException {
        for (String wanted : config.interfaces()) {
            if (!here.contains(wanted)) {
                throw new SetupException("this machine has no network interface '" + Labels.clean(wanted)
                        + "': choose with --interface from " + String.join(", ", here));
            }
        }
        for (String excluded : config.excludedInterfaces()) {
            if (!here.contains(excluded)) {
                LOG.warn(
                        "this machine has no network interface '{}' to leave out now, only {}",
                        Labels.clean(excluded),
                        String.join(", ", here));
            }
        }
    }

    private static boolean restricts(HearthConfig config) {
        return !config.interfaces().isEmpty() || !config.excludedInterfaces().isEmpty();
    }

    /** The interfaces that mDNS uses. */
    public static InterfacePolicy interfaces(HearthConfig config) {
        return new InterfacePolicy(new HashSet<>(config.interfaces()), new HashSet<>(config.excludedInterfaces()));
    }

    /**
     * Options of a node's links. The machine's agent has the well-known port or the next free one, so that a person can name it. Trainers,
     * of which there may be several, and short-lived nodes have any free port. Only trainers send data, so only they open a data port and
     * shared memory.
     */
    static LinkOptions links(HearthConfig config, HearthHome home) {
        boolean isTheAgent = config.role() == Role.AGENT && config.slot().equals(NodeId.AGENT);
        int port = config.port().orElse(isTheAgent ? HostPort.PORT_DEFAULT : 0);
        LinkOptions options = LinkOptions.anyAddress(port)
                .transport(config.role() == Role.TRAINER ? config.transport() : DataTransport.TCP)
                .home(home)
                .paths(config.role() == Role.TRAINER ? new DataPaths(interfaces(config)) : Paths.NONE);
        options = restricted(config, options);
        options = config.role() == Role.AGENT ? options.withoutStreams() : options.aesSlow(AesSpeed.isSlow());
        return config.port().isPresent() ? options : options.portsTried(port == 0 ? 1 : PORTS_TRIED);
    }

    /** Options of a machine that shows a pairing code. It has another port than the agent, which may run at the same time. */
    public static LinkOptions sponsor(HearthConfig config) {
        LinkOptions options =
                restricted(config, LinkOptions.anyAddress(config.port().orElse(HostPort.PORT_PAIRING)));
        return config.port().isPresent() ? options : options.portsTried(PAIRING_PORTS_TRIED);
    }

    /** Options of a joining machine, which only dials; no other machine can dial it. */
    public static LinkOptions newcomer(HearthConfig config) {
        return restricted(config, LinkOptions.loopback(0).remoteAddresses(_ -> false));
    }

    private static LinkOptions restricted(HearthConfig config, LinkOptions options) {
        return restricts(config) ? options.localAddresses(address -> isUsable(config, address)) : options;
    }

    /** Which addresses of the machine connections may come in at. */
    static Predicate<InetAddress> usable(HearthConfig config) {
        return restricts(config) ? address -> isUsable(config, address) : _ -> true;
    }

    /** Whether links may use this address of the machine. */
    private static boolean isUsable(HearthConfig config, InetAddress own) {
        try {
            NetworkInterface found = NetworkInterface.getByInetAddress(own);
            return found != null
                    && !config.excludedInterfaces().contains(found.getName())
                    && (config.interfaces().isEmpty() || config.interfaces().contains(found.getName()));
        } catch (SocketException unreadable) {
            return false;
        }
    }
}
