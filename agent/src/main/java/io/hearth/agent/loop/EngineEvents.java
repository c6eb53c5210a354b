package io.hearth.agent.loop;

import io.hearth.collective.engine.CollectiveListener;
import io.hearth.election.GroupPhase;
import io.hearth.identity.NodeId;

/** Turns the reports of the collectives into events of the owner thread. */
public record EngineEvents(NodeInbox inbox) implements CollectiveListener {
    @Override
    public void progress(long doneUpTo, GroupPhase phase) {
        inbox.progress(new NodeEvent.Progress(doneUpTo, phase));
    }

    @Override
    public void streamBroken(NodeId peer, String why) {
        inbox.event(new NodeEvent.GroupBroken(peer, "the stream to " + peer.shortText() + " broke: " + why));
    }

    @Override
    public void gaveUp(String why) {
        inbox.event(new NodeEvent.Resign(why));
    }

    @Override
    public void failed(Throwable why) {
        inbox.event(new NodeEvent.Failed("a thread of the collectives", why));
    }
}
