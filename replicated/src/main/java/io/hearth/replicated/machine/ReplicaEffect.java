package io.hearth.replicated.machine;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.replicated.CommandKey;
import io.hearth.replicated.DiskTask;
import io.hearth.replicated.ReplicaMessage;

/** Effects that the shell of a replica carries out, in order. */
public sealed interface ReplicaEffect {
    /** Lost if there is no link. */
    record Send(NodeId to, ReplicaMessage message) implements ReplicaEffect {}

    /** Write and sync, in the order of tickets, then report {@link ReplicaEvent.Written}. */
    record Write(long ticket, DiskTask task) implements ReplicaEffect {}

    /** The command is applied, now or by an earlier submission. */
    record Answered(CommandKey key, Bytes answer) implements ReplicaEffect {}

    /** The command was not taken. It may be submitted again, here or elsewhere. */
    record NotTaken(CommandKey key, Refusal why) implements ReplicaEffect {}

    /** The state of this replica has everything that was committed before the read. */
    record Confirmed(long readId) implements ReplicaEffect {}

    /** Nothing is known about what others committed. */
    record NotConfirmed(long readId) implements ReplicaEffect {}

    /** From now on this replica orders commands; its state has everything that was committed. */
    record Elected() implements ReplicaEffect {}

    /** From now on it does not; commands that were not answered may be applied or not. */
    record Deposed(String why) implements ReplicaEffect {}

    /** Why a command is not taken. */
    enum Refusal {
        /** Another replica is the primary, or none is. */
        NOT_PRIMARY,
        /** Too many commands wait. */
        BUSY,
        /** The node's incarnation or number is outdated. */
        OUTDATED
    }
}
