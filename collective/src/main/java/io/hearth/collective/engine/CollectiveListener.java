package io.hearth.collective.engine;

import io.hearth.election.GroupPhase;
import io.hearth.identity.NodeId;

/**
 * Gets the events of an engine. The engine calls it on its threads with its lock held: offer an event to a queue and return, never
 * call the engine.
 */
public interface CollectiveListener {
    /** More numbers ended here, or another phase began. */
    void progress(long doneUpTo, GroupPhase phase);

    /** A stream to a member broke: the group needs a new group epoch, or a view without that member. */
    void streamBroken(NodeId peer, String why);

    /**
     * This member gave its application an error that the others do not have. It is out of its group, and can return only when it
     * begins a step.
     */
    void gaveUp(String why);

    /**
     * A data thread met an error that no caller can handle, such as a class that cannot be loaded. The engine has ended for good,
     * and its owner should end too.
     */
    void failed(Throwable why);

    /** A listener that ignores all events. */
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
