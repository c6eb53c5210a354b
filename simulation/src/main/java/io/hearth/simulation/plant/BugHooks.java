package io.hearth.simulation.plant;

import io.hearth.collective.Signature;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.pair.machine.ReceiveMachine;
import io.hearth.collective.pair.machine.SendMachine;
import io.hearth.collective.state.StateClaim;
import io.hearth.core.Bytes;
import io.hearth.election.ElectionConfig;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Resolver;
import io.hearth.election.view.ViewMachine;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.election.view.state.ViewState;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;

/**
 * The places where a {@code PlantedBug} changes the simulated shell of a node. The default body of each method is the correct one.
 * The machines do not know of the hooks.
 */
public interface BugHooks {
    BugHooks NONE = new BugHooks() {};

    /** Hooks that break one rule. */
    static BugHooks breaking(ShellRule broken) {
        return new BugHooks() {
            @Override
            public boolean keeps(ShellRule rule) {
                return rule != broken;
            }
        };
    }

    /** The node that a hook changes. */
    interface Node {
        NodeId id();

        /** Whether this is the first start of the first node of its machine. */
        boolean isFirstOfMachine();

        /** The state of its view machine. */
        ViewState state();

        /** The report of its collectives for a view change; empty for an agent. */
        Bytes status(Lineage lineage);

        /** Whether that node would receive a message now and answer it. */
        boolean wouldAnswer(NodeId node);

        /** Delivers a message in the name of a member after a delay. */
        void forge(long delayNanos, Member from, Message message);
    }

    /** Whether the shell keeps a rule. */
    default boolean keeps(ShellRule rule) {
        return true;
    }

    default ElectionConfig config(ElectionConfig honest) {
        return honest;
    }

    default Resolver resolver(Resolver honest) {
        return honest;
    }

    default ViewMachine.Start start(ViewMachine.Start honest) {
        return honest;
    }

    /** Replaces the effects of one step. */
    default List<ViewEffect> effects(Node node, ViewEvent cause, List<ViewEffect> effects) {
        return effects;
    }

    /** More messages for the view machine of {@code node}, after a received one. */
    default List<Forged> more(Node node, NodeId from, Message message) {
        return List.of();
    }

    /** A message in the name of a node that did not send it. */
    record Forged(NodeId from, long incarnation, Message message) {}

    /** Whether a record reaches the disk. */
    default boolean isDurable(Optional<LineageRecord> before, LineageRecord record) {
        return true;
    }

    /** The record that a start restores in place of a damaged one; empty if it sets the damaged one aside. */
    default Optional<LineageRecord> rebuild(LineageRecord lost) {
        return Optional.empty();
    }

    /** Time after which a freeze ends by itself; {@link Long#MAX_VALUE} for never. */
    default long thawNanos() {
        return Long.MAX_VALUE;
    }

    /** Time for which the data threads run on after the status was taken. */
    default long lateFreezeNanos() {
        return 0;
    }

    /** The state of the group machine after a step. */
    default GroupMachine.State remembered(GroupMachine.State state) {
        return state;
    }

    /** Whether a group at work reports itself as open. */
    default boolean admitsAtWork() {
        return false;
    }

    /** The ranks that an application sees when it calls its next number. */
    default List<NodeId> ranks(GroupMachine.State state) {
        return state.ranks();
    }

    /** Whether a member that holds its part returns only when all hold theirs. */
    default boolean partWaitsForHolders(Signature signature, NodeId self) {
        return true;
    }

    /** The order of the blocks of a gather. */
    default List<NodeId> layout(GroupMachine.State state) {
        return state.layout().members();
    }

    /** The reason why a call ends without a result on all ranks. */
    default Optional<CallRejection> doom(Signature signature, Optional<CallRejection> doomed) {
        return doomed;
    }

    /** The state of a sender to one rank after an event. */
    default SendMachine.State sent(SendMachine.Event event, SendMachine.State state) {
        return state;
    }

    /** The state of a receiver from one rank after an event. */
    default ReceiveMachine.State received(ReceiveMachine.Event event, ReceiveMachine.State state) {
        return state;
    }

    /** The members' claims, by rank, from which the right state is chosen. */
    default List<StateClaim> votes(List<StateClaim> claims) {
        return claims;
    }
}
