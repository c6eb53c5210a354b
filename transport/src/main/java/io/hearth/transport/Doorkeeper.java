package io.hearth.transport;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.net.InetSocketAddress;
import java.util.Optional;

/** What a connection in its handshake asks of the table of links; on the event loop. */
interface Doorkeeper {
    /** May that node at {@code address}, which proved membership, have a link? */
    HandshakeMachine.Event decide(RemoteNode node, InetSocketAddress address);

    /** Another computer uses this node's identity, says a node that can be believed; it was met at {@code address}. */
    void told(DoubledIdentity found, NodeId by, InetSocketAddress address);

    /** It has one from now on. */
    void admit(Link link);

    /** The connection became no link. */
    void refuse(InetSocketAddress address, Optional<PeerId> peer, Refusal refusal, String why, boolean byPeer);

    /** Handles what an admitted link brings. */
    LinkHandler handlerOf(Link link);
}
