package io.hearth.transport;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.transport.links.Links;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Hears what happens on the links of a node. Called on the one thread that serves them all: an implementation hands on and
 * returns, it never blocks and never throws.
 *
 * <p>Between {@link #admitted} and {@link #lost} of a node there is exactly one link to it as far as an observer can see;
 * duplicates come and go unseen.
 */
public interface LinkObserver {
    /** A node proved itself, and can be sent to from now on. */
    void admitted(LinkInfo link);

    /** A connection that this node dialled reached a node that is linked already: that dial is over, and nothing else changes. */
    default void reached(LinkInfo link) {}

    /**
     * A message came.
     *
     * @param from as its link proved it
     * @param incarnation of {@code from}
     * @param kind 16 to 65,535
     * @param message given away: the caller keeps no reference
     */
    void received(NodeId from, long incarnation, int kind, byte[] message);

    /** The link to a node ended; {@code reason} is one line for people. */
    void lost(NodeId peer, String reason);

    /**
     * A connection in either direction did not become a link. Not told of those that were closed unheard, which the counters have.
     *
     * @param address of the other side
     * @param peer the identity at the other side if TLS came so far
     * @param text one line for people; says so when it was the other side that refused
     */
    void refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String text);

    /**
     * Two computers each use the identity of one of these machines, none of them this one, and of no other as far as this node saw.
     * Called when that changes.
     */
    default void doubled(SortedMap<PeerId, DoubledIdentity> machines) {}

    /**
     * Another computer uses the identity of this one. Called once.
     *
     * @param found this node, and the other one
     * @param by who says so: a member, or this node itself when it met the other one
     */
    default void told(DoubledIdentity found, NodeId by) {}

    /** Two machines with only a former secret in common can talk for some seconds. */
    default void rekeyOpened(RekeyChannel channel) {
        channel.close("no machine is re-keyed here");
    }

    /** A message of kind 16 to 65,535 came on such a channel; it is given away. */
    default void rekeyReceived(RekeyChannel channel, int kind, byte[] message) {}

    /** It ended. */
    default void rekeyClosed(RekeyChannel channel) {}

    /** A thread that these links cannot do without ended by an error; whoever owns them should end. Called on that thread. */
    default void failed(Throwable why) {}

    /** A connection asked for by {@link Links#dial} could not be made; {@code text} is one line for people. */
    void dialFailed(InetSocketAddress address, DialFailure failure, String text);
}
