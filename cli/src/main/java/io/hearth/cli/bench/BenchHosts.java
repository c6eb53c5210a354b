package io.hearth.cli.bench;

import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import io.hearth.discovery.HostPort;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceLookup;
import io.hearth.identity.NetworkNamespace;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Addresses of the ranks of a measurement that users start by hand, and the index of this machine among them. */
public final class BenchHosts {
    private static final String NAMESPACE = "bench";

    private BenchHosts() {}

    /**
     * Reads {@code host:port,…}, by rank.
     *
     * @throws IllegalArgumentException one entry is not an address
     */
    static List<InetSocketAddress> parse(String list) {
        var addresses = new ArrayList<InetSocketAddress>();
        for (String peer : list.split(",", -1)) {
            HostPort parsed = HostPort.parse(peer);
            addresses.add(new InetSocketAddress(parsed.host(), parsed.port()));
        }
        return addresses;
    }

    /**
     * The rank of this machine.
     *
     * @throws IllegalArgumentException no address or more than one belongs to this machine; the message names the remedy
     */
    static int rank(List<InetSocketAddress> hosts) {
        return rank(hosts, BenchHosts::isOwn);
    }

    static int rank(List<InetSocketAddress> hosts, Predicate<InetAddress> isOwn) {
        int[] own = IntStream.range(0, hosts.size())
                .filter(rank -> !hosts.get(rank).isUnresolved()
                        && isOwn.test(hosts.get(rank).getAddress()))
                .toArray();
        if (own.length != 1) {
            throw new IllegalArgumentException("--hosts: "
                    + (own.length == 0
                            ? "none of them is an address of this machine"
                            : own.length + " of them are this machine")
                    + "; set --rank to the index of this process, from 0");
        }
        return own[0];
    }

    private static boolean isOwn(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException unreadable) {
            return false;
        }
    }

    /**
     * The namespace of the ranks: that of the secret in the environment, else the open namespace, whose key is public.
     *
     * @param warns whether this process prints a warning when it uses the public key
     */
    static NetworkNamespace namespace(Terminal terminal, boolean warns) throws HearthException {
        if (terminal.environment().containsKey("HEARTH_SECRET")
                || terminal.environment().containsKey("HEARTH_SECRET_FILE")) {
            return new NamespaceLookup(HearthHome.open(terminal.environment()), terminal.environment())
                    .named(NAMESPACE);
        }
        if (warns) {
            terminal.err()
                    .println(
                            "hearth: no secret is set: the ranks use a published key, which is safe for benchmarks only");
        }
        return NetworkNamespace.open(NAMESPACE);
    }
}
