package io.hearth.scheduler.machine;

import io.hearth.core.Bytes;
import io.hearth.scheduler.ledger.SchedulerLedger;
import io.hearth.serve.Failure;

/** Events of a scheduler. */
public sealed interface SchedulerEvent {
    record Called(long call, Request request) implements SchedulerEvent {}

    /** The caller of an open call is gone, or its time is up. */
    record Ended(long call) implements SchedulerEvent {}

    /** This is the newest ledger of this machine; comes before {@link Stored} of a command that is in it. */
    record Applied(SchedulerLedger ledger) implements SchedulerEvent {}

    /** The command of this attempt was applied, with this answer. */
    record Stored(long attempt, Bytes answer) implements SchedulerEvent {}

    /** This machine still orders commands, so it knew the newest ledger when it was asked. */
    record Confirmed(long attempt) implements SchedulerEvent {}

    /** Nobody knows what became of the command or the question. */
    record NotStored(long attempt, Failure why) implements SchedulerEvent {}

    /**
     * This machine answers from now on.
     *
     * @param queue tells queues of messages from those of other machines and times; not 0
     */
    record Elected(SchedulerLedger ledger, long queue) implements SchedulerEvent {}

    /** This machine answers no more; open calls end. */
    record Deposed(Failure why) implements SchedulerEvent {}

    record Tick() implements SchedulerEvent {}
}
