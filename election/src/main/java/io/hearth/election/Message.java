package io.hearth.election;

import io.hearth.core.Bytes;
import java.util.Optional;

/**
 * The messages of membership.
 *
 * <p>No message names its author: the link proved the author's identity and incarnation.
 */
public sealed interface Message {
    /** The sender is alive, and where it lives. */
    record Heartbeat(Presence presence, Beat beat) implements Message {}

    /** Asks for a promise for the successor of {@code view}, and carries that view. */
    record Prepare(View view, Ballot ballot) implements Message {}

    /**
     * The answer of a process to Prepare; no disk is involved.
     *
     * @param epoch of the view whose successor is voted on
     * @param status empty if the sender must not be kept
     */
    record Here(Lineage lineage, long epoch, Ballot ballot, Optional<Status> status) implements Message {}

    /**
     * The answer of a machine to Prepare: it takes part in no lower ballot from now on. The promise is on disk before this message leaves.
     *
     * @param epoch of the view whose successor is voted on
     * @param accepted the last accepted proposal for that successor
     */
    record Promise(Lineage lineage, long epoch, Ballot ballot, Optional<Proposal> accepted) implements Message {}

    /**
     * The machine does not hold the record that the view of this epoch lists for it, and never will again. So it never votes with that
     * seat.
     */
    record Gone(Lineage lineage, long epoch, long seat) implements Message {
        public Gone {
            if (!ViewRules.isSeat(seat)) {
                throw new IllegalArgumentException("seat must be 1 to 2^63 - 1, got " + seat);
            }
        }
    }

    /** The status of a frozen member. {@code collective} is at most {@link Resolver#BYTES_MAX} bytes, opaque here. */
    record Status(boolean leaving, Bytes collective) {
        public Status {
            if (collective.size() > Resolver.BYTES_MAX) {
                throw new IllegalArgumentException(
                        "a status has at most " + Resolver.BYTES_MAX + " bytes, got " + collective.size());
            }
        }
    }

    /** Asks to accept {@code next} as the successor of {@code view}, and carries {@code view}. */
    record Accept(View view, Ballot ballot, View next) implements Message {}

    /** The machine accepted, on disk. {@code epoch} is that of the predecessor. */
    record Accepted(Lineage lineage, long epoch, Ballot ballot) implements Message {}

    /** The machine promised a higher ballot. {@code epoch} is that of the predecessor. */
    record Refuse(Lineage lineage, long epoch, Ballot promised) implements Message {}

    /** A committed view, which any node may send. */
    record Commit(View view) implements Message {}

    /**
     * Asks for entry into a lineage, repeatedly.
     *
     * @param seat of the machine's record of that lineage, which is on disk
     * @param group empty for agents, which are always FRESH
     */
    record Join(Lineage lineage, long seat, Role role, String group, GroupPhase phase) implements Message {
        public Join {
            if (!ViewRules.isSeat(seat)) {
                throw new IllegalArgumentException("seat must be 1 to 2^63 - 1, got " + seat);
            }
        }
    }

    /** Why a joining node has to wait; at most {@link #REASON_CHARACTERS_MAX} characters. */
    record NotYet(Lineage lineage, String reason) implements Message {
        public NotYet {
            reason = reason.length() > REASON_CHARACTERS_MAX
                    ? reason.substring(0, REASON_CHARACTERS_MAX).strip()
                    : reason;
        }
    }

    /**
     * Asks to be left out of the next view, repeatedly.
     *
     * @param entryEpoch of the entry that it gives up; if the node has entered again since, the message is outdated
     * @param returns whether it will ask for entry again
     */
    record Leave(Lineage lineage, long entryEpoch, boolean returns) implements Message {}

    /** Most characters of a reason. */
    int REASON_CHARACTERS_MAX = 80;
}
