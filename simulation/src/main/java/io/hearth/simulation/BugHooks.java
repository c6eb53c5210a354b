package io.hearth.simulation;

import io.hearth.collective.Signature;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.pair.machine.ReceiveMachine;
import io.hearth.collective.pair.machine.SendMachine;
import io.hearth.collective.state.StateClaim;
import io.hearth.election.ElectionConfig;
import io.hearth.election.LineageRecord;
import io.hearth.election.Message;
import io.hearth.election.Resolver;
import io.hearth.election.view.ViewEffect;
import io.hearth.election.view.ViewEvent;
import io.hearth.election.view.ViewMachine;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;

/**
 * Where a {@link PlantedBug} reaches into the simulated shell of a node; every method's own body is the honest one. The machines
 * know nothing of it.
 */
interface BugHooks {
    BugHooks NONE = new BugHooks() {};

    default ElectionConfig config(ElectionConfig honest) {
        return honest;
    }

    default Resolver resolver(Resolver honest) {
        return honest;
    }

    default ViewMachine.Start start(ViewMachine.Start honest) {
        return honest;
    }

    /** What is carried out instead of the effects of one step. */
    default List<ViewEffect> effects(NodeProcess process, ViewEvent cause, List<ViewEffect> effects) {
        return effects;
    }

    /** More messages that the view machine of {@code process} is told, after one that came. */
    default List<Forged> more(NodeProcess process, NodeId from, Message message) {
        return List.of();
    }

    /** A message in the name of a node that did not send it. */
    record Forged(NodeId from, long incarnation, Message message) {}

    /** Whether a record reaches the disk. */
    default boolean isDurable(Optional<LineageRecord> before, LineageRecord record) {
        return true;
    }

    /** Whether the thread that sends heartbeats waits for the disk. */
    default boolean syncsOnLoop() {
        return false;
    }

    /** What a start makes of a record that was damaged. */
    default Optional<LineageRecord> rebuild(LineageRecord lost) {
        return Optional.empty();
    }

    /** After how long a freeze ends by itself; {@link Long#MAX_VALUE} for never. */
    default long thawNanos() {
        return Long.MAX_VALUE;
    }

    /** How long the data threads run on after the status was taken. */
    default long lateFreezeNanos() {
        return 0;
    }

    /** Whether a frame of another group epoch is dropped. */
    default boolean fences() {
        return true;
    }

    /** What the group remembers after a step. */
    default GroupMachine.State remembered(GroupMachine.State state) {
        return state;
    }

    /** Whether a group at work calls itself open. */
    default boolean admitsAtWork() {
        return false;
    }

    /** Whether an application that got an error for a number goes on with the next. */
    default boolean goesOnAfterDeadline() {
        return false;
    }

    /** By rank, as an application sees them when it calls its next number. */
    default List<NodeId> ranks(GroupMachine.State state) {
        return state.ranks();
    }

    /** Whether a broadcast's root returns only when all hold its value. */
    default boolean rootWaitsForHolders() {
        return true;
    }

    /** Whether a sum in place, which nobody keeps, returns only when all hold it. */
    default boolean sumWaitsForHolders() {
        return true;
    }

    /** Whether a member that holds its part returns only when all hold theirs. */
    default boolean partWaitsForHolders(Signature signature, NodeId self) {
        return true;
    }

    /** In which order the blocks of a gather lie. */
    default List<NodeId> layout(GroupMachine.State state) {
        return state.layout().members();
    }

    /** Why a call ends without a result on all ranks. */
    default Optional<CallRejection> doom(Signature signature, Optional<CallRejection> doomed) {
        return doomed;
    }

    /** What a sender to one rank remembers after an event. */
    default SendMachine.State sent(SendMachine.Event event, SendMachine.State state) {
        return state;
    }

    /** What a receiver from one rank remembers after an event. */
    default ReceiveMachine.State received(ReceiveMachine.Event event, ReceiveMachine.State state) {
        return state;
    }

    /** Whether a send to one rank returns only when that has the values. */
    default boolean sendWaitsForReceiver() {
        return true;
    }

    /** Whether the group's lead holds the next step back while somebody waits to enter. */
    default boolean holds() {
        return true;
    }

    /** Whether a member that lacks the state of a step takes it over. */
    default boolean takesStateOver() {
        return true;
    }

    /** Whether a member that was in before and lacks the state of a step stays. */
    default boolean keepsWhoDiffers() {
        return true;
    }

    /** Whether a chunk that came is compared with its fingerprint. */
    default boolean checksChunks() {
        return true;
    }

    /** Whether chunks that are left from an earlier attempt are given up if they are not of the state that is fetched now. */
    default boolean sweepsLeftovers() {
        return true;
    }

    /** Whether a step begins only when all hold its state. */
    default boolean waitsForHolders() {
        return true;
    }

    /** What the members' claims, by rank, are taken for when it is decided which state is right. */
    default List<StateClaim> votes(List<StateClaim> claims) {
        return claims;
    }

    /** Whether an open beginning of a step gets the number that it has in the lineage that is entered. */
    default boolean renumbers() {
        return true;
    }

    /** Whether error-feedback memory is rolled back. */
    default boolean rollsBack() {
        return true;
    }

    /** Whether closing ends the process at once. */
    default boolean leavesAbruptly() {
        return false;
    }

    /** Whether members tell where they reach the others. */
    default boolean gossips() {
        return true;
    }

    /** Whether a node takes out of its views who was put out. */
    default boolean excludes() {
        return true;
    }

    /** Whether the collectives hear that their node was removed. */
    default boolean tellsCollectivesOfRemoval() {
        return true;
    }
}
