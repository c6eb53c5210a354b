package io.hearth.parameterserver.machine;

import com.google.protobuf.ByteString;
import io.hearth.identity.NodeId;

/** What the shell of a part carries out, in order. */
public sealed interface PartEffect {
    /** Fills the table from the newest checkpoint, or empties it, and reports {@link PartEvent.Loaded}. */
    record Load(long term) implements PartEffect {}

    /** Replaces the table by a copy. */
    record Install(ByteString copy) implements PartEffect {}

    /** Applies an update, and answers its caller if it is of this machine. */
    record Apply(ByteString update) implements PartEffect {}

    /** Sends the table as it is now. */
    record SendCopy(long attempt, NodeId holder, long term, long index) implements PartEffect {}

    /** Sends an update. */
    record SendUpdate(long attempt, NodeId holder, long term, long index, ByteString update) implements PartEffect {}

    /** Answers {@link PartEvent.Delivered}. */
    record Reply(long call, boolean isAccepted, long term) implements PartEffect {}

    /** This machine does not serve the part any more: fails its open calls, and drops the table if it is not whole. */
    record Stopped() implements PartEffect {}
}
