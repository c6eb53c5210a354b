package io.hearth.collective.ring;

import io.hearth.accel.select.Engines;
import io.hearth.collective.EngineOptions;
import io.hearth.transport.DataTransport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * Configuration of a group set up by hand; the list of nodes must be the same on all ranks.
 *
 * @param nodes listening address of each rank, by rank; 1 to {@link #NODES_MAX}
 * @param rank of this process
 * @param connectTimeout time for all ranks to connect; positive
 * @param options of the collectives; the same segment size on all ranks
 * @param transport data transport between ranks of one machine
 * @param reducer the engine that reduces; may differ between ranks
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
            throw new IllegalArgumentException("addresses of ranks must differ, got " + nodes);
        }
        if (!connectTimeout.isPositive()) {
            throw new IllegalArgumentException("connectTimeout must be positive, got " + connectTimeout);
        }
    }

    /** Waits up to 30 seconds for the others; default collective options, the best engine of the CPU. */
    public DistributedConfig(List<InetSocketAddress> nodes, int rank) {
        this(nodes, rank, Duration.ofSeconds(30), EngineOptions.DEFAULTS, DataTransport.AUTO, Engines.best());
    }

    /** A copy with another time to connect. */
    public DistributedConfig connectWithin(Duration limit) {
        return new DistributedConfig(nodes, rank, limit, options, transport, reducer);
    }

    /** A copy with other options of the collectives. */
    public DistributedConfig with(EngineOptions chosen) {
        return new DistributedConfig(nodes, rank, connectTimeout, chosen, transport, reducer);
    }

    /** A copy with another data transport. */
    public DistributedConfig transport(DataTransport way) {
        return new DistributedConfig(nodes, rank, connectTimeout, options, way, reducer);
    }

    /** A copy with another engine. */
    public DistributedConfig reducer(Engines.Choice engine) {
        return new DistributedConfig(nodes, rank, connectTimeout, options, transport, engine);
    }
}
