package io.hearth.agent;

import io.hearth.discovery.Sighting;
import io.hearth.election.GroupPhase;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.RosterBook;
import io.hearth.transport.DialFailure;
import io.hearth.transport.DoubledIdentity;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.RekeyChannel;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/** What reaches a node's owner thread from the threads around it. */
sealed interface NodeEvent {
    /** A node proved itself and is linked. */
    record Admitted(LinkInfo link) implements NodeEvent {}

    /** A dial reached a node that is linked already. */
    record Reached(LinkInfo link) implements NodeEvent {}

    /** The link to a node ended. */
    record Lost(NodeId peer, String why) implements NodeEvent {}

    /** A message of a linked node; the bytes are the event's own. */
    @SuppressWarnings("ArrayRecordComponent") // handed over once, never compared
    record Message(NodeId from, long incarnation, int kind, byte[] bytes) implements NodeEvent {}

    /** A connection that did not become a link. */
    record Refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String why)
            implements NodeEvent {}

    /** Two computers use the identity of each of these machines, and of no other. */
    record Doubled(SortedMap<PeerId, DoubledIdentity> machines) implements NodeEvent {}

    /** Another computer uses this node's identity, says {@code by}. */
    record OwnDoubled(DoubledIdentity found, NodeId by) implements NodeEvent {}

    /** Nobody answered there. */
    record DialFailed(InetSocketAddress address, DialFailure failure, String why) implements NodeEvent {}

    /** A source of peers told of one. */
    record Sighted(Sighting sighting) implements NodeEvent {}

    /** This machine's interfaces changed. */
    record NetworkChanged() implements NodeEvent {}

    /** The collectives of the own group went on. */
    record Progress(long doneUpTo, GroupPhase phase) implements NodeEvent {}

    /** The group's data streams need to be set up anew. */
    record GroupBroken(NodeId peer, String why) implements NodeEvent {}

    /** The application was given an error that its group does not have: this trainer is out until it begins a step. */
    record Resign(String why) implements NodeEvent {}

    /** The voter is done with a task. */
    record Voted(VoterTask task, VoterAnswer answer) implements NodeEvent {}

    /** A thread of this node ended by an error that nobody can handle: the node cannot go on. */
    record Failed(String thread, Throwable why) implements NodeEvent {}

    /** Rosters can be told to a machine that has only a former secret in common with this one. */
    record RekeyOpened(RekeyChannel channel) implements NodeEvent {}

    /** A message of it; the bytes are the event's own. */
    @SuppressWarnings("ArrayRecordComponent") // handed over once, never compared
    record RekeyMessage(RekeyChannel channel, int kind, byte[] bytes) implements NodeEvent {}

    /** That is over. */
    record RekeyClosed(RekeyChannel channel) implements NodeEvent {}

    /** This is what the home's roster file holds now. */
    record RosterStored(RosterBook book) implements NodeEvent {}

    /** The roster's files cannot be used; {@code line} says what to do. */
    record RosterProblem(String line) implements NodeEvent {}

    /** The machines that this one does not admit, by its owner's word. */
    record Blocked(SortedSet<PeerId> machines) implements NodeEvent {}

    /** This node wants to leave in order. */
    record Leave(String why) implements NodeEvent {}
}
