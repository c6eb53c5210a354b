package io.hearth.agent.loop;

import io.hearth.discovery.Sighting;
import io.hearth.election.GroupPhase;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.RosterBook;
import io.hearth.topology.NodeLoad;
import io.hearth.topology.bandwidth.BandwidthMachine;
import io.hearth.transport.DialFailure;
import io.hearth.transport.DoubledIdentity;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.RekeyChannel;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/** Events for a node's owner thread from other threads. */
public sealed interface NodeEvent {
    /** A node was admitted and is linked. */
    record Admitted(LinkInfo link) implements NodeEvent {}

    /** Another connection carries a node's link from now on. */
    record Moved(LinkInfo link) implements NodeEvent {}

    /** A dial reached a node that is already linked. */
    record Reached(LinkInfo link) implements NodeEvent {}

    /** Node {@code via} did not connect this node with {@code target}. */
    record RelayFailed(NodeId via, NodeId target, String why) implements NodeEvent {}

    /** The link to a node ended. */
    record Lost(NodeId peer, String why) implements NodeEvent {}

    /** A message of a linked node; the event owns the bytes. */
    @SuppressWarnings("ArrayRecordComponent") // handed over once, never compared
    record Message(NodeId from, long incarnation, int kind, byte[] bytes) implements NodeEvent {}

    /** A connection that did not become a link. */
    record Refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String why)
            implements NodeEvent {}

    /** The machines other than this one whose identity two computers use. */
    record Doubled(SortedMap<PeerId, DoubledIdentity> machines) implements NodeEvent {}

    /** Node {@code by} reported that another computer uses this node's identity. */
    record OwnDoubled(DoubledIdentity found, NodeId by) implements NodeEvent {}

    /** A dial failed. */
    record DialFailed(InetSocketAddress address, DialFailure failure, String why) implements NodeEvent {}

    /** A source reported a peer. */
    record Sighted(Sighting sighting) implements NodeEvent {}

    /** The measurement of bandwidth that runs began to move bytes, or ended. */
    record Measuring(BandwidthMachine.Event event) implements NodeEvent {}

    /** This machine's interfaces changed. */
    record NetworkChanged() implements NodeEvent {}

    /** The load or the battery of this machine changed. */
    record Loaded(NodeLoad load) implements NodeEvent {}

    /** The collectives of this node's group made progress. */
    record Progress(long doneUpTo, GroupPhase phase) implements NodeEvent {}

    /** The group's data streams must be set up again. */
    record GroupBroken(NodeId peer, String why) implements NodeEvent {}

    /** The application got an error that its group does not have: this trainer is out of the group until it begins a step. */
    record Resign(String why) implements NodeEvent {}

    /** The voter finished a task. */
    record Voted(VoterTask task, VoterAnswer answer) implements NodeEvent {}

    /** A thread of this node ended by a fatal error: the node must stop. */
    record Failed(String thread, Throwable why) implements NodeEvent {}

    /** A channel opened to a machine that has only a former secret in common with this one, to exchange rosters. */
    record RekeyOpened(RekeyChannel channel) implements NodeEvent {}

    /** A message on such a channel; the event owns the bytes. */
    @SuppressWarnings("ArrayRecordComponent") // handed over once, never compared
    record RekeyMessage(RekeyChannel channel, int kind, byte[] bytes) implements NodeEvent {}

    /** Such a channel ended. */
    record RekeyClosed(RekeyChannel channel) implements NodeEvent {}

    /** The current content of the home's roster file. */
    record RosterStored(RosterBook book) implements NodeEvent {}

    /** The roster's files cannot be used; {@code line} is a message with a remedy. */
    record RosterProblem(String line) implements NodeEvent {}

    /** The machines that this one does not admit, because its owner blocked them. */
    record Blocked(SortedSet<PeerId> machines) implements NodeEvent {}

    /** This node leaves in order. */
    record Leave(String why) implements NodeEvent {}
}
