package io.hearth.agent.guest;

import io.hearth.core.MalformedMessageException;
import io.hearth.core.SetupException;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.transport.LinkInfo;
import java.util.List;

/**
 * A part above the node, which talks to its like on other nodes over the node's links. Its messages have a kind from {@link #KIND_MIN} to
 * {@link #KIND_MAX}. The owner thread of the node calls it, if nothing else is said; no call may block.
 */
public interface NodeGuest extends AutoCloseable {
    /** The lowest kind of a guest's message. */
    int KIND_MIN = 96;

    /** The highest kind of a guest's message. */
    int KIND_MAX = 111;

    /** Makes the guest of a node that is about to start. */
    interface Maker {
        /** No guest. */
        Maker NONE = _ -> new NodeGuest() {};

        /**
         * Makes the guest. The node starts after it, and closes it.
         *
         * @throws SetupException if it cannot start; the node does not start then, either
         */
        NodeGuest make(NodeHost host) throws SetupException;
    }

    /** A link to this node is up. */
    default void linked(LinkInfo link) {}

    /** Another connection carries the link. The other end may have seen a loss and a new link. */
    default void moved(LinkInfo link) {}

    /** The link is gone; what was on its way is lost. */
    default void unlinked(NodeId peer) {}

    /** This node lives in this view now. */
    default void viewed(View view) {}

    /**
     * A message of a linked node.
     *
     * @throws MalformedMessageException which ends the link
     */
    default void heard(NodeId from, int kind, byte[] message) throws MalformedMessageException {}

    /** The services that this guest offers to programs of this machine. Any thread may call it. */
    default List<GuestService> services() {
        return List.of();
    }

    @Override
    default void close() {}
}
