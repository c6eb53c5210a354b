package io.hearth.accel.vector;

import jdk.incubator.vector.ByteVector;

/** The width of vectors on this machine. Loading this class needs the module {@code jdk.incubator.vector}. */
public final class VectorSpeciesSize {
    private VectorSpeciesSize() {}

    /** 64 to 512, or more on future processors. */
    public static int bits() {
        return ByteVector.SPECIES_PREFERRED.vectorBitSize();
    }
}
