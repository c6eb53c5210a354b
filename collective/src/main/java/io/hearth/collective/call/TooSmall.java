package io.hearth.collective.call;

import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.group.CallRejection;

/** A rank's buffer does not hold a block for each rank, which no rank could know before. */
public final class TooSmall {
    private TooSmall() {}

    public static CallRejection refusal(Mesh mesh, long bytes, long block) {
        return new CallRejection(
                CallRejection.Cause.MISMATCH,
                mesh.name(mesh.self()) + ": its buffer of " + bytes + " bytes holds no " + mesh.world() + " blocks of "
                        + block + " bytes, one for each rank");
    }
}
