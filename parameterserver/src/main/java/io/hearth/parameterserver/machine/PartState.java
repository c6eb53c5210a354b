package io.hearth.parameterserver.machine;

import com.google.protobuf.ByteString;
import io.hearth.identity.NodeId;
import java.util.Optional;

/**
 * A part on one machine.
 *
 * @param seat of this process
 * @param term the highest that this machine has heard of, 0 for none
 * @param role in that term
 * @param holder of the copy, if this machine is the primary and there is one
 * @param copyTerm the term in which the table has all that was acknowledged, 0 if it is not whole; one less than {@code term} in a holder
 *     that keeps its table until it gets the copy of the new term
 * @param index updates that the table has
 * @param holderHas whether the holder has the copy of this term
 * @param attempt number of the newest message to the holder
 * @param isSending whether that message is not answered
 * @param inFlight the update that the holder has to take next
 * @param retryNanos when to send again
 */
public record PartState(
        Assignment.Seat seat,
        long term,
        Role role,
        Optional<NodeId> holder,
        long copyTerm,
        long index,
        boolean holderHas,
        long attempt,
        boolean isSending,
        Optional<ByteString> inFlight,
        Optional<Long> retryNanos) {
    /** What a machine does for a part. */
    public enum Role {
        NONE,
        PRIMARY,
        HOLDER
    }

    /** A part of a process that has just started. */
    public static PartState start(Assignment.Seat seat) {
        return new PartState(
                seat, 0, Role.NONE, Optional.empty(), 0, 0, false, 0, false, Optional.empty(), Optional.empty());
    }

    /** Whether this machine may answer reads. */
    public boolean isServing() {
        return role == Role.PRIMARY && copyTerm == term;
    }

    /** Whether the next update can begin. */
    public boolean canPropose() {
        return isServing() && inFlight.isEmpty() && (holder.isEmpty() || holderHas);
    }
}
