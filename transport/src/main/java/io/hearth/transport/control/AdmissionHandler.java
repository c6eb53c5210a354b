package io.hearth.transport.control;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.transport.DoubledIdentity;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.machine.HandshakeMachine;
import io.hearth.transport.machine.RemoteNode;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetSocketAddress;
import java.util.Optional;

/** What a connection in its handshake asks of the table of links; on the event loop. */
interface AdmissionHandler {
    /** May that node at {@code address}, which proved membership, have a link? */
    HandshakeMachine.Event decide(RemoteNode node, InetSocketAddress address);

    /** Another computer uses this node's identity, says a node that can be believed; it was met at {@code address}. */
    void told(DoubledIdentity found, NodeId by, InetSocketAddress address);

    /** What a machine on the roster is told that has no secret which is still known. */
    Optional<String> outdated(PeerId peer);

    /** Serves a machine that proved a former secret; the handler takes the place of that of the handshake. */
    RekeyHandler rekey(RemoteNode node, ChannelHandlerContext handshake, InetSocketAddress address);

    /** It has one from now on. */
    void admit(Link link);

    /** The connection became no link. */
    void refuse(InetSocketAddress address, boolean dialed, Optional<PeerId> peer, LinkRejection refusal, String why);

    /** Handles what an admitted link brings. */
    LinkHandler handlerOf(Link link);
}
