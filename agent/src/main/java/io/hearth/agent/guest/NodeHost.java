package io.hearth.agent.guest;

import io.hearth.core.Clock;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import java.net.InetAddress;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * The node of a guest.
 *
 * @param incarnation of the node; higher than at each earlier start
 * @param namespace name of the namespace that it lives in
 * @param computer hash of the operating system's machine id, if it is known
 * @param usable whether connections may come in at this address of the machine
 * @param links of the node
 * @param failed stops the node because a thread of the guest (the first value) ended by an error
 */
public record NodeHost(
        NodeId self,
        long incarnation,
        HearthHome home,
        String namespace,
        NodeIdentity identity,
        Optional<String> computer,
        Predicate<InetAddress> usable,
        GuestLinks links,
        BiConsumer<String, Throwable> failed,
        Clock clock) {
    /** The links of a node, for its guest. Any thread. */
    public interface GuestLinks {
        /** Sends a message, of at most 64 KiB; it is lost if there is no link. */
        void send(NodeId to, int kind, byte[] message);

        /** Closes the link to a peer. */
        void close(NodeId peer, String why);
    }
}
