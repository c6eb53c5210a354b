package io.hearth.election.view.state;

import io.hearth.election.ElectionEvent;
import io.hearth.election.Lineage;
import io.hearth.election.Message;
import io.hearth.election.View;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;

/** Effects that the shell carries out in order, each before the next. */
public sealed interface ViewEffect {
    /** Give the task to the voter, which answers with {@link ViewEvent.Voted}. One task at a time; no other work waits for it. */
    record Vote(VoterTask task) implements ViewEffect {}

    /** Send on the link to {@code to}; the message is lost if there is none. */
    record Send(NodeId to, Message message) implements ViewEffect {}

    /** Stop all data threads of all groups, take the status, and answer {@link ViewEvent.Frozen}. */
    record Freeze(Lineage lineage, long epoch) implements ViewEffect {}

    /** A committed view that lists this node; data threads may run. */
    record Install(View view) implements ViewEffect {}

    /** End all open work: this node is in no view with others any more. {@code why} is for people. */
    record Removed(Cause cause, String why) implements ViewEffect {
        /** The cause of a removal. */
        public enum Cause {
            /** The others went on without this node. */
            REMOVED,
            /** No successor of the view can be decided any more, or this node went on alone on purpose. */
            LINEAGE_LOST,
            /** Another computer uses the identity of this one: it left, and joins no other node before its restart. */
            DOUBLED
        }
    }

    /** Whether data frames are dropped and not sent, because this node was asleep or paused a moment ago. */
    record Rest(boolean resting) implements ViewEffect {}

    /** The process may exit. */
    record Left() implements ViewEffect {}

    /** For observers. */
    record Announce(ElectionEvent event) implements ViewEffect {}

    /** Whether the next step of this node's group has to wait, because a node will enter before it, or this node will join others. */
    record Hold(boolean held) implements ViewEffect {}

    /** Why this node is not admitted where it asks; empty once the reason is gone. */
    record Pending(String reason) implements ViewEffect {}
}
