package io.hearth.coordinator.machine;

import io.hearth.core.Bytes;
import io.hearth.serve.Failure;

/** Events of a coordinator. */
public sealed interface CoordinatorEvent {
    /** A call; it is answered by an effect with its number. */
    record Call(long call, Request request) implements CoordinatorEvent {}

    /** What a call asks for. */
    sealed interface Request {}

    /** {@code session} is 0 if the caller does not say. */
    record Register(String id, String address, long session) implements Request {}

    record Unregister(String id, long session) implements Request {}

    /** {@code version} is that of the workers that the caller knows. */
    record Heartbeat(String id, long session, long version) implements Request {}

    record StartCheckpoint(long epoch, String path) implements Request {}

    record EndCheckpoint(String workerId, long epoch, String checkpointId) implements Request {}

    /** The caller of an open call is gone, or its time is up. */
    record Ended(long call) implements CoordinatorEvent {}

    /** The command of this attempt is stored; {@code ledger} has it. */
    record Stored(long attempt, Bytes answer, WorkerLedger ledger) implements CoordinatorEvent {}

    /** Nobody knows whether the command of this attempt is stored. */
    record NotStored(long attempt, Failure why) implements CoordinatorEvent {}

    /** This node answers from now on. */
    record Elected(WorkerLedger ledger) implements CoordinatorEvent {}

    /** This node answers no more; open calls end. */
    record Deposed(Failure why) implements CoordinatorEvent {}

    record Tick() implements CoordinatorEvent {}
}
