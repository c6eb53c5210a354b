package io.hearth.collective;

/** A rank's buffer does not hold a block for each rank, which no rank could know before. */
final class TooSmall {
    private TooSmall() {}

    static Refusal refusal(Mesh mesh, long bytes, long block) {
        return new Refusal(
                Refusal.Cause.MISMATCH,
                mesh.name(mesh.self()) + ": its buffer of " + bytes + " bytes holds no " + mesh.world() + " blocks of "
                        + block + " bytes, one for each rank");
    }
}
