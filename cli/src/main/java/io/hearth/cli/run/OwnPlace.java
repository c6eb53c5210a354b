package io.hearth.cli.run;

import io.hearth.agent.status.ClusterStatus;
import io.hearth.core.SetupException;
import io.hearth.discovery.HostPort;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.util.List;
import java.util.Optional;

/** The place of this machine in a {@link RankTable}, as the system's routes and free ports give it. */
final class OwnPlace {
    private OwnPlace() {}

    /**
     * Finds the address by which the other machines reach this one, and two free ports. The ports are free now and may be taken before the
     * program opens them, as with every program that is told a port.
     *
     * @throws SetupException no port is free
     */
    static RankTable.Place find(ClusterStatus status) throws SetupException {
        try (var master = new ServerSocket(0);
                var ring = new ServerSocket(0)) {
            return new RankTable.Place(address(status), master.getLocalPort(), ring.getLocalPort());
        } catch (IOException failed) {
            throw new SetupException(
                    "no TCP port can be opened: " + failed.getMessage() + "; check the limits of this user", failed);
        }
    }

    /** This machine's address on the way to the first other machine, IPv4 if there is one; loopback without another machine. */
    private static InetAddress address(ClusterStatus status) throws IOException {
        Optional<InetAddress> best = Optional.empty();
        for (InetAddress peer : peers(status)) {
            try (var probe = new DatagramSocket()) {
                probe.connect(new InetSocketAddress(peer, 1)); // sends nothing: the system only chooses the way
                InetAddress own = probe.getLocalAddress();
                if (best.isEmpty() || worth(own) > worth(best.get())) {
                    best = Optional.of(own);
                }
            }
        }
        return best.orElse(InetAddress.ofLiteral("127.0.0.1"));
    }

    private static List<InetAddress> peers(ClusterStatus status) {
        return status.nodes().stream()
                .filter(node -> !node.isSelf() && node.rank().isPresent())
                .flatMap(node -> node.address().stream())
                .map(address -> InetAddress.ofLiteral(HostPort.parse(address).host()))
                .toList();
    }

    /** Other machines reach no loopback address; programs read IPv4 addresses best. */
    private static int worth(InetAddress address) {
        return (address.isLoopbackAddress() ? 0 : 2) + (address.getAddress().length == 4 ? 1 : 0);
    }

    /** The name of the network interface with that address. */
    static Optional<String> networkInterface(InetAddress address) {
        try {
            return Optional.ofNullable(NetworkInterface.getByInetAddress(address))
                    .map(NetworkInterface::getName);
        } catch (IOException unknown) {
            return Optional.empty();
        }
    }
}
