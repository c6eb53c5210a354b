package io.hearth.transport.control;

import io.hearth.identity.NodeId;
import io.hearth.transport.machine.LinkMessage;

/** Events of links for the data streams. Called on the event loop, so an implementation must not block. */
public interface StreamMessages {
    /** A link was admitted; streams may be opened over it. */
    void linked(Link link);

    /** The peer, which dialled {@code link}, asks for a ticket. */
    void requested(Link link, LinkMessage.StreamRequest request);

    /** A ticket arrived that this node asked for. */
    void granted(LinkMessage.StreamTicket ticket);

    /** The last link to that node ended, and its streams end too. */
    void lost(NodeId peer);
}
