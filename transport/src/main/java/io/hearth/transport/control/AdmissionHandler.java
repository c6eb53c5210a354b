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

/** The table of links as a connection in its handshake uses it; called on the event loop. */
interface AdmissionHandler {
    /** Decides whether the node at {@code address}, which proved membership, may have a link. */
    HandshakeMachine.Event decide(RemoteNode node, InetSocketAddress address);

    /** A trusted node reports that another computer uses this node's identity; the other one was seen at {@code address}. */
    void ownDoubled(DoubledIdentity found, NodeId by, InetSocketAddress address);

    /** The message for a machine on the roster without any secret that is still known; empty for other machines. */
    Optional<String> outdated(PeerId peer);

    /** Serves a machine that proved a former secret; the handler replaces that of the handshake. */
    RekeyHandler rekey(RemoteNode node, ChannelHandlerContext handshake, InetSocketAddress address);

    /** Adds an admitted link. */
    void admit(Link link);

    /** The connection became no link. */
    void refuse(InetSocketAddress address, boolean dialed, Optional<PeerId> peer, LinkRejection refusal, String why);

    /** The handler for incoming frames of an admitted link. */
    LinkHandler handlerOf(Link link);
}
