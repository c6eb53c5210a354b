package io.hearth.simulation.report;

import java.util.Locale;

/** The kinds of faults of a simulated world; each seed draws some of them. */
public enum FaultKind {
    /** A message is lost. */
    LOSS,
    /** A message arrives twice. */
    DUPLICATION,
    /** Messages overtake each other. */
    REORDERING,
    /** One link takes much longer than the others. */
    SLOW_LINK,
    /** Two sides do not hear each other. */
    PARTITION,
    /** Some pairs do not hear each other though others hear both. */
    PARTIAL_PARTITION,
    /** A hears B, B does not hear A. */
    ONE_WAY_CUT,
    /** A control link closes and comes back. */
    LINK_DROP,
    /** A data stream between two members breaks. */
    STREAM_BREAK,
    /** A process dies and its sockets close. */
    KILL,
    /** A machine dies silently. */
    UNPLUG,
    /** A process dies between two effects of one step. */
    SHARP_CRASH,
    /** A voter dies right after it accepted, before its answer leaves. */
    DIE_ON_ACCEPT,
    /** The proposer alone knows that a view is committed, and is cut off. */
    CUT_OFF_ON_COMMIT,
    /** A voter's record on disk is torn or damaged when its process dies. */
    DAMAGED_RECORD,
    /** A process stands still for up to a second. */
    PAUSE,
    /** A laptop sleeps for some seconds. */
    SLEEP,
    /** The wall clock jumps at a restart. */
    CLOCK_JUMP,
    /** A node leaves in order in the middle of its work. */
    LEAVE,
    /** One more node, with a valid secret and a link to every node, sends messages that are well formed and false. */
    NONSENSE,
    /** A bit of a trainer's model flips before its next step. */
    WRONG_MEMORY,
    /** A member that is asked for a chunk of the state sends a wrong one. */
    LYING_SOURCE,
    /** A switch restarts: no machine hears another; then the pairs come back one by one. */
    OUTAGE,
    /** One machine is away for longer than every span, asleep or not. */
    AWAY,
    /** One of several processes on a machine dies and stays away. */
    LOST_PROCESS,
    /** Each write of a machine takes long. */
    SLOW_DISK,
    /** A write fails. */
    DISK_ERROR,
    /** All writes of a machine fail for some seconds. */
    FULL_DISK,
    /** A message arrives after its ballot has ended. */
    LATE_MESSAGE,
    /** The wall clock steps while processes run. */
    CLOCK_STEP,
    /** Most machines do not hear each other's mDNS: they learn of each other from members between them. */
    OUT_OF_SIGHT,
    /** A person puts a machine out of the namespace. */
    PUT_OUT,
    /** A member lies about itself and the others; see {@code LieKind}. */
    LIES;

    /** As in reports: lower case with dashes. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
