package io.hearth.transport;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.transport.links.Links;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Receives the events of a node's links. Called on the one thread that serves all links: an implementation must pass the event on and
 * return. It must neither block nor throw.
 *
 * <p>Between {@link #admitted} and {@link #lost} of a node an observer sees exactly one link to it. Of duplicate links it learns only which
 * one stays ({@link #moved}).
 */
public interface LinkObserver {
    /** A node was admitted; messages can be sent to it from now on. */
    void admitted(LinkInfo link);

    /** Another connection carries a node's link from now on, perhaps between other addresses; nothing was lost. */
    default void moved(LinkInfo link) {}

    /** A connection that this node dialled reached a node that is already linked: the dial is over, and nothing else changes. */
    default void reached(LinkInfo link) {}

    /** {@link Links#dialThrough} made no connection; {@code text} is one line for people. */
    default void relayFailed(NodeId via, NodeId target, String text) {}

    /**
     * A message arrived.
     *
     * @param from as its link proved it
     * @param incarnation of {@code from}
     * @param kind 16 to 65,535
     * @param message now owned by the observer: the caller keeps no reference
     */
    void received(NodeId from, long incarnation, int kind, byte[] message);

    /** The link to a node ended; {@code reason} is one line for people. */
    void lost(NodeId peer, String reason);

    /**
     * A connection in either direction did not become a link. Connections that were closed unread are only counted.
     *
     * @param address of the other side
     * @param peer the identity at the other side, if TLS proved it
     * @param text one line for people; it says if the other side rejected the connection
     */
    void refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String text);

    /** The machines, other than this one, whose identity two computers use, as far as this node knows. Called when the set changes. */
    default void doubled(SortedMap<PeerId, DoubledIdentity> machines) {}

    /**
     * Another computer uses the identity of this one. Called once.
     *
     * @param found this node's start and the other one
     * @param by the node that reported it: a member, or this node itself
     */
    default void ownDoubled(DoubledIdentity found, NodeId by) {}

    /** A channel opened between two machines with only a former secret in common; it lives for some seconds. */
    default void rekeyOpened(RekeyChannel channel) {
        channel.close("no machine is re-keyed here");
    }

    /** A message of kind 16 to 65,535 arrived on such a channel; the observer owns it. */
    default void rekeyReceived(RekeyChannel channel, int kind, byte[] message) {}

    /** Such a channel ended. */
    default void rekeyClosed(RekeyChannel channel) {}

    /** A thread that these links need ended by an error; the node should end. Called on that thread. */
    default void failed(Throwable why) {}

    /** A connection requested by {@link Links#dial} could not be made; {@code text} is one line for people. */
    void dialFailed(InetSocketAddress address, DialFailure failure, String text);
}
