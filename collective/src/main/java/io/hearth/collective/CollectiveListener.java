package io.hearth.collective;

import io.hearth.identity.NodeId;

/**
 * Whom an engine tells. Called on the engine's threads under its lock: offer an event to a queue and return, never call back.
 */
public interface CollectiveListener {
    /** More numbers ended here, or the first one was called ({@code open} turned false). */
    void progress(long doneUpTo, boolean open);

    /** A stream to a member broke: the group needs a new group epoch, or a view without that member. */
    void streamBroken(NodeId peer, String why);

    /** This member gave an error to its application that the others do not have: it must leave its group. */
    void gaveUp(String why);

    /** For a group that nobody watches. */
    static CollectiveListener none() {
        return new CollectiveListener() {
            @Override
            public void progress(long doneUpTo, boolean open) {}

            @Override
            public void streamBroken(NodeId peer, String why) {}

            @Override
            public void gaveUp(String why) {}
        };
    }
}
