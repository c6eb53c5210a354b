package io.hearth.lighthouse.machine;

import io.hearth.lighthouse.QuorumMember;
import io.hearth.serve.Failure;
import java.util.List;

/** Events of a lighthouse. */
public sealed interface LighthouseEvent {
    /** A replica sent a heartbeat; {@code call} is answered at once. */
    record Heartbeat(long call, String replicaId) implements LighthouseEvent {}

    /** A replica asks for a quorum, and waits. */
    record Ask(long call, QuorumMember member) implements LighthouseEvent {}

    /** The caller of an open call is gone, or its time is up. */
    record Ended(long call) implements LighthouseEvent {}

    /** The quorum of this attempt has this id; {@code nowMillis} is the wall clock. */
    record Formed(long attempt, long quorumId, long nowMillis) implements LighthouseEvent {}

    /** The quorum of this attempt was not formed: this node does not order commands any more. */
    record NotFormed(long attempt, Failure why) implements LighthouseEvent {}

    /** This node answers from now on; the last quorum had these members, if any. */
    record Elected(List<String> members) implements LighthouseEvent {}

    /** This node answers no more; open calls end. */
    record Deposed(Failure why) implements LighthouseEvent {}

    record Tick() implements LighthouseEvent {}
}
