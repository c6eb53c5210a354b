package io.hearth.accel;

import jdk.incubator.vector.FloatVector;

/** The width of vectors that a run of these tests is for. */
public final class VectorWidth {
    private VectorWidth() {}

    /**
     * Whether vectors have the width that this run is for. On a processor whose vectors are narrower they have not: it would only repeat the
     * run for its own width.
     */
    public static boolean isPresent() {
        int bits = FloatVector.SPECIES_PREFERRED.vectorBitSize();
        return Integer.getInteger("hearth.vectorBits", bits) == bits;
    }
}
