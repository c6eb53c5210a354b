package io.hearth.collective.ring;

import io.hearth.accel.select.Engines;
import io.hearth.collective.EngineOptions;
import io.hearth.transport.DataTransport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * A group set up by hand: everybody gets the same list.
 *
 * @param nodes where each rank listens, by rank; 1 to {@link #NODES_MAX}
 * @param rank of this process
 * @param connectTimeout positive; how long the others may take to be there
 * @param options of the collectives; the same segment size on all ranks
 * @param transport how data travels between ranks of this machine
 * @param reducer the engine that reduces; need not be the same on all ranks
 */
public record DistributedConfig(
        List<InetSocketAddress> nodes,
        int rank,
        Duration connectTimeout,
        EngineOptions options,
        DataTransport transport,
        Engines.Choice reducer) {
    /** Most ranks of a group set up by hand. */
    public static final int NODES_MAX = 64;

    public DistributedConfig {
        nodes = List.copyOf(nodes);
        if (nodes.isEmpty() || nodes.size() > NODES_MAX || rank < 0 || rank >= nodes.size()) {
            throw new IllegalArgumentException("need 1 to " + NODES_MAX + " nodes and a rank among them, got "
                    + nodes.size() + " nodes and rank " + rank);
        }
        if (nodes.stream().distinct().count() < nodes.size()) {
            throw new IllegalArgumentException("two ranks have one address: " + nodes);
        }
        if (!connectTimeout.isPositive()) {
            throw new IllegalArgumentException("a time to connect is positive, got " + connectTimeout);
        }
    }

    /** Waits 30 seconds for the others; default collectives, on the best engine of the CPU. */
    public DistributedConfig(List<InetSocketAddress> nodes, int rank) {
        this(nodes, rank, Duration.ofSeconds(30), EngineOptions.DEFAULTS, DataTransport.AUTO, Engines.best());
    }

    /** The same with another time to connect. */
    public DistributedConfig connectWithin(Duration limit) {
        return new DistributedConfig(nodes, rank, limit, options, transport, reducer);
    }

    /** The same with other options. */
    public DistributedConfig with(EngineOptions chosen) {
        return new DistributedConfig(nodes, rank, connectTimeout, chosen, transport, reducer);
    }

    /** The same with another way for data. */
    public DistributedConfig transport(DataTransport way) {
        return new DistributedConfig(nodes, rank, connectTimeout, options, way, reducer);
    }

    /** The same with another engine. */
    public DistributedConfig reducer(Engines.Choice engine) {
        return new DistributedConfig(nodes, rank, connectTimeout, options, transport, engine);
    }
}
