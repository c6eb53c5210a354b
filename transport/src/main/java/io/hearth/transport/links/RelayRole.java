package io.hearth.transport.links;

import io.hearth.identity.NodeId;
import io.hearth.transport.control.Link;
import io.hearth.transport.control.RelayMessages;
import io.hearth.transport.machine.LinkMessage;
import io.hearth.transport.relay.RelayDialer;
import io.hearth.transport.relay.RelayServer;

/** A node's two parts in relays: it asks others, and serves others. */
record RelayRole(RelayDialer dialer, RelayServer server) implements RelayMessages {
    @Override
    public void requested(Link link, LinkMessage.RelayRequest request) {
        server.requested(link, request);
    }

    @Override
    public void answered(LinkMessage.RelayTicket answer) {
        dialer.answered(answer);
    }

    @Override
    public void lost(NodeId peer) {
        server.lost(peer);
    }
}
