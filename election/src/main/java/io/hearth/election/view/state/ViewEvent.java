package io.hearth.election.view.state;

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

/** Events of a {@code ViewMachine}. */
public sealed interface ViewEvent {
    /** A link to a node is up; its identity and incarnation were proven. */
    record Linked(NodeId node, long incarnation) implements ViewEvent {}

    /** The link to that start of a node is down; {@code why} is for people and may be empty. */
    record Unlinked(NodeId node, long incarnation, String why) implements ViewEvent {
        public Unlinked(NodeId node, long incarnation) {
            this(node, incarnation, "");
        }
    }

    /** The failure detector suspects a node. */
    record Suspected(NodeId node, long incarnation) implements ViewEvent {}

    /** A re-dial of a suspected node was refused: its process ended. */
    record ProcessEnded(NodeId node, long incarnation) implements ViewEvent {}

    /** The failure detector hears a node again. */
    record Trusted(NodeId node, long incarnation) implements ViewEvent {}

    /** Another span of silence is in force, in nanoseconds. All spans that must outlast a suspicion follow it. */
    record SilenceChosen(long nanos) implements ViewEvent {}

    /** A message arrived; author and incarnation are those of the link. */
    record Received(NodeId from, long incarnation, Message message) implements ViewEvent {}

    /**
     * All data threads stopped for {@link ViewEffect.Freeze}, and then this status was taken.
     *
     * @param status of the collectives, at most {@link Resolver#BYTES_MAX} bytes; empty for a node without
     * @param doneUpTo as in {@link Progress}
     */
    record Frozen(Lineage lineage, long epoch, Optional<Bytes> status, long doneUpTo) implements ViewEvent {}

    /**
     * The collectives of this node's group made progress.
     *
     * @param doneUpTo all numbers up to this one are done; -1 for none
     * @param phase their present phase
     */
    record Progress(long doneUpTo, GroupPhase phase) implements ViewEvent {}

    /** A data stream between two members that both stay broke: the group needs new ones. */
    record GroupBroken(NodeId peer, String why) implements ViewEvent {}

    /**
     * This node's application got an error that no other member of its group got: it leaves the group and comes back like a new node.
     */
    record Resign() implements ViewEvent {}

    /**
     * The complete set of machines whose identity two computers use; other machines are not doubled any more. For this node's own machine
     * it is final.
     */
    record Doubled(SortedSet<PeerId> machines) implements ViewEvent {}

    /** The complete set of other machines that a person put out of the namespace. */
    record Excluded(SortedSet<PeerId> machines) implements ViewEvent {}

    /** The voter is done with the task that {@link ViewEffect.Vote} gave it last. */
    record Voted(VoterTask task, VoterAnswer answer) implements ViewEvent {}

    /** This node wants to leave. */
    record Leave() implements ViewEvent {}

    /** Time passed. */
    record Tick() implements ViewEvent {}
}
