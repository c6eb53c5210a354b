package io.hearth.discovery.gossip;

import java.util.List;

/**
 * A report from one node to another of the addresses at which it reaches third nodes.
 *
 * @param reached 1 to {@value #NODES_MAX}
 */
public record AddressNews(List<Reached> reached) {
    /** Most nodes in one message. */
    public static final int NODES_MAX = 64;

    public AddressNews {
        reached = List.copyOf(reached);
        if (reached.isEmpty() || reached.size() > NODES_MAX) {
            throw new IllegalArgumentException("reached must list 1 to " + NODES_MAX + " nodes, got " + reached.size());
        }
    }
}
