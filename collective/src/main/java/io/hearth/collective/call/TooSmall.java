package io.hearth.collective.call;

import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.group.CallRejection;

/** The rejection for a buffer that is too small for a block of each rank; a rank can check this only with the mesh's world size. */
public final class TooSmall {
    private TooSmall() {}

    public static CallRejection refusal(Mesh mesh, long bytes, long block) {
        return new CallRejection(
                CallRejection.Cause.MISMATCH,
                mesh.name(mesh.self()) + ": buffer must hold a block of " + block + " bytes for each of " + mesh.world()
                        + " ranks, got " + bytes + " bytes");
    }
}
