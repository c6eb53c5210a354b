package io.hearth.transport.control;

import io.hearth.identity.NodeId;
import io.hearth.transport.machine.LinkMessage;

/** What links tell the data streams; on the event loop, so nothing here blocks. */
public interface StreamMessages {
    /** There is a link, over which streams may be opened. */
    void linked(Link link);

    /** The peer, which dialled {@code link}, asks for a ticket. */
    void requested(Link link, LinkMessage.StreamRequest request);

    /** A ticket that this node asked for. */
    void granted(LinkMessage.StreamTicket ticket);

    /** There is no link to that node any more: its streams end. */
    void lost(NodeId peer);
}
