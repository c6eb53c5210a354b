package io.hearth.bench;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Addresses of the ranks of a measurement.
 *
 * @param where {@code loopback} or {@code lab}, as in {@code lab/peers}, or {@code hosts}
 * @param addresses on which the ranks listen, {@code host:port}, in the order of the ranks
 * @param networkInterface that has these addresses; empty for hosts
 */
public record BenchPlace(String where, List<String> addresses, String networkInterface) {
    private static final Logger LOG = LoggerFactory.getLogger(BenchPlace.class);
    private static final int LAB_PORT = 17_000; // of rank 0; as in lab/peers/run

    /** Below the ports for outgoing connections: Linux takes them from 32,768 on, macOS and Windows from 49,152 on. */
    private static final int PORT_END = 32_000;

    private static final int PORT_MIN = 20_000;
    private static final int PORTS = PORT_END - PORT_MIN;
    private static final int TRIES = 200;

    /** Counts the ports that were tried: groups of one process may start at the same time, and none must get a port of another. */
    private static final AtomicInteger TRIED =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(PORTS));

    public BenchPlace {
        addresses = List.copyOf(addresses);
    }

    /**
     * Ports of this machine's loopback that are free now: all addresses must be known before the first rank starts. The ports are outside the range of ports for outgoing connections, because the system could give such a port to another process before the rank listens.
     *
     * @param networkInterface name of the loopback interface
     */
    public static BenchPlace loopback(int ranks, String networkInterface) throws IOException {
        var held = new ArrayList<ServerSocket>();
        try {
            for (int i = 0; i < ranks; i++) {
                held.add(free());
            }
            return new BenchPlace(
                    "loopback",
                    held.stream()
                            .map(socket -> "127.0.0.1:" + socket.getLocalPort())
                            .toList(),
                    networkInterface);
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
    }

    private static ServerSocket free() throws IOException {
        for (int i = 0; i < TRIES; i++) {
            int port = PORT_MIN + Math.floorMod(TRIED.getAndIncrement(), PORTS);
            try {
                return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
            } catch (BindException taken) {
                LOG.debug("port {} is taken", port, taken);
            }
        }
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    /**
     * Hosts of a lab, one for each rank.
     *
     * @param hosts their IPv4 addresses
     */
    public static BenchPlace lab(List<String> hosts) {
        var addresses = new ArrayList<String>();
        for (String host : hosts) {
            addresses.add(host + ":" + (LAB_PORT + addresses.size()));
        }
        return new BenchPlace("lab", addresses, "eth0");
    }

    /**
     * Hosts on which users start the ranks.
     *
     * @param addresses on which the ranks listen, {@code host:port}, in the order of the ranks
     */
    public static BenchPlace hosts(List<String> addresses) {
        return new BenchPlace("hosts", addresses, "");
    }

    int ranks() {
        return addresses.size();
    }
}
