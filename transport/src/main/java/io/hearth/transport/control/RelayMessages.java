package io.hearth.transport.control;

import io.hearth.identity.NodeId;
import io.hearth.transport.machine.LinkMessage;

/** Events of links for relays. Called on the event loop, so an implementation must not block. */
public interface RelayMessages {
    /** The node at the other end of {@code link} asks this node to pass a connection on. */
    void requested(Link link, LinkMessage.RelayRequest request);

    /** The answer to a request of this node. */
    void answered(LinkMessage.RelayTicket answer);

    /** The last link to that node ended: nothing is passed on for it or to it any more. */
    void lost(NodeId peer);
}
