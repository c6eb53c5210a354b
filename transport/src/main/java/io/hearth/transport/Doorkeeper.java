package io.hearth.transport;

import io.hearth.identity.PeerId;
import java.net.InetSocketAddress;
import java.util.Optional;

/** What a connection in its handshake asks of the table of links; on the event loop. */
interface Doorkeeper {
    /** May that node, which proved membership, have a link? */
    HandshakeMachine.Event decide(RemoteNode node);

    /** It has one from now on. */
    void admit(Link link);

    /** The connection became no link. */
    void refuse(InetSocketAddress address, Optional<PeerId> peer, Refusal refusal, String why, boolean byPeer);

    /** Handles what an admitted link brings. */
    LinkHandler handlerOf(Link link);
}
