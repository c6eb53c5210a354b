package io.hearth.election.view;

import io.hearth.core.Bytes;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.Message;
import io.hearth.election.Resolver;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Optional;
import java.util.SortedSet;

/** What may happen to a {@link ViewMachine}. */
public sealed interface ViewEvent {
    /** A link to a node is up; its identity and incarnation were proven. */
    record Linked(NodeId node, long incarnation) implements ViewEvent {}

    /** The link to that start of a node is down; {@code why} is for people and may be empty. */
    record Unlinked(NodeId node, long incarnation, String why) implements ViewEvent {
        public Unlinked(NodeId node, long incarnation) {
            this(node, incarnation, "");
        }
    }

    /** The failure detector gives a node up. */
    record Suspected(NodeId node, long incarnation) implements ViewEvent {}

    /** Nobody listens any more where a suspected node's link led to. */
    record Refused(NodeId node, long incarnation) implements ViewEvent {}

    /** The failure detector hears a node again. */
    record Trusted(NodeId node, long incarnation) implements ViewEvent {}

    /** A message came; author and incarnation are the link's. */
    record Received(NodeId from, long incarnation, Message message) implements ViewEvent {}

    /**
     * All data threads stopped for {@link ViewEffect.Freeze}, and then this was taken.
     *
     * @param status of the collectives, at most {@link Resolver#BYTES_MAX} bytes; empty for a node without
     * @param doneUpTo as in {@link Progress}
     */
    record Frozen(Lineage lineage, long epoch, Optional<Bytes> status, long doneUpTo) implements ViewEvent {}

    /**
     * The collectives of the own group went on.
     *
     * @param doneUpTo all up to this number are done; -1 for none
     * @param phase what they are doing now
     */
    record Progress(long doneUpTo, GroupPhase phase) implements ViewEvent {}

    /** A data stream between two members that both stay broke: the group needs new ones. */
    record GroupBroken(NodeId peer, String why) implements ViewEvent {}

    /**
     * This node's application was given an error that the others of its group do not have: it is out, and comes back
     * as if it were new.
     */
    record Resign() implements ViewEvent {}

    /**
     * Two computers each use the identity of one of these machines, and of no other: what is not listed is not doubled any
     * more. For this node's own machine that is final.
     */
    record Doubled(SortedSet<PeerId> machines) implements ViewEvent {}

    /** These machines, this node's own not among them, are out of the namespace by the word of a person; no others are. */
    record Excluded(SortedSet<PeerId> machines) implements ViewEvent {}

    /** The voter is done with the task that {@link ViewEffect.Vote} gave it last. */
    record Voted(VoterTask task, VoterAnswer answer) implements ViewEvent {}

    /** This node wants to go. */
    record Leave() implements ViewEvent {}

    /** Time passed. */
    record Tick() implements ViewEvent {}
}
