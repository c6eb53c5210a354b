package io.hearth.scheduler.machine;

import io.hearth.core.Bytes;
import io.hearth.serve.Failure;

/** Effects that the shell of a scheduler carries out. */
public sealed interface SchedulerEffect {
    /** Have the command applied, then report it. */
    record Store(long attempt, Bytes command) implements SchedulerEffect {}

    /** Ask whether this machine still orders commands, then report it. */
    record Confirm(long attempt) implements SchedulerEffect {}

    record Answer(long call, Reply reply) implements SchedulerEffect {}

    record Fail(long call, Failure why) implements SchedulerEffect {}
}
