package io.hearth.collective.engine;

import io.hearth.election.GroupPhase;
import io.hearth.identity.NodeId;

/**
 * Whom an engine tells. Called on the engine's threads under its lock: offer an event to a queue and return, never call back.
 */
public interface CollectiveListener {
    /** More numbers ended here, or another phase began. */
    void progress(long doneUpTo, GroupPhase phase);

    /** A stream to a member broke: the group needs a new group epoch, or a view without that member. */
    void streamBroken(NodeId peer, String why);

    /**
     * This member gave an error to its application that the others do not have: it is out of its group, and comes back
     * with the beginning of a step, if at all.
     */
    void gaveUp(String why);

    /**
     * A data thread met an error that no caller can handle, such as a class that cannot be loaded: the engine has ended for good, and
     * whoever owns it should end.
     */
    void failed(Throwable why);

    /** For a group that nobody watches. */
    static CollectiveListener none() {
        return new CollectiveListener() {
            @Override
            public void progress(long doneUpTo, GroupPhase phase) {}

            @Override
            public void streamBroken(NodeId peer, String why) {}

            @Override
            public void gaveUp(String why) {}

            @Override
            public void failed(Throwable why) {}
        };
    }
}
