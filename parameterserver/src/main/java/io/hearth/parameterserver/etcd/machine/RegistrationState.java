package io.hearth.parameterserver.etcd.machine;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A server's registration.
 *
 * @param index that it has, had, or tries to get
 * @param lease that etcd granted and may still know
 * @param hasNote whether there is a note on checkpoints
 * @param isNoteNew whether etcd does not have the note yet
 * @param isWarned whether the log says that etcd is out of reach
 * @param dueNanos when a waiting server tries again, and a registered one renews its lease
 */
public record RegistrationState(
        Phase phase,
        OptionalInt index,
        OptionalLong lease,
        boolean hasNote,
        boolean isNoteNew,
        boolean isWarned,
        long dueNanos) {
    /** What it does. */
    public enum Phase {
        /** Waits until it tries again. */
        WAITING,
        /** Waits for an answer of etcd. */
        ASKING,
        /** Has its key. */
        REGISTERED
    }

    /** A server that registers at its first tick. */
    public static RegistrationState start(long nowNanos) {
        return new RegistrationState(
                Phase.WAITING, OptionalInt.empty(), OptionalLong.empty(), false, false, false, nowNanos);
    }

    RegistrationState asking() {
        return new RegistrationState(Phase.ASKING, index, lease, hasNote, isNoteNew, isWarned, dueNanos);
    }

    RegistrationState index(int newest) {
        return new RegistrationState(phase, OptionalInt.of(newest), lease, hasNote, isNoteNew, isWarned, dueNanos);
    }

    RegistrationState lease(OptionalLong newest) {
        return new RegistrationState(phase, index, newest, hasNote, isNoteNew, isWarned, dueNanos);
    }

    RegistrationState note(boolean has, boolean isNew) {
        return new RegistrationState(phase, index, lease, has, isNew, isWarned, dueNanos);
    }

    RegistrationState warned(boolean is) {
        return new RegistrationState(phase, index, lease, hasNote, isNoteNew, is, dueNanos);
    }

    RegistrationState until(Phase next, long nanos) {
        return new RegistrationState(next, index, lease, hasNote, isNoteNew, isWarned, nanos);
    }
}
