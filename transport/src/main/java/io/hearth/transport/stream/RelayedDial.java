package io.hearth.transport.stream;

import io.hearth.identity.NodeId;
import java.io.IOException;
import java.nio.channels.SocketChannel;

/** Connects to the data port of a node that only a third one can reach. */
@FunctionalInterface
public interface RelayedDial {
    /**
     * Connects through a relay; blocking.
     *
     * @param via the node that passes the bytes on; it sees only encrypted bytes
     * @param limitNanos longest time
     * @return a connection to the target's data port, in blocking mode
     */
    SocketChannel connect(NodeId via, NodeId target, long limitNanos) throws IOException, InterruptedException;
}
