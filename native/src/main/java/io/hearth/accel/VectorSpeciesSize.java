package io.hearth.accel;

import jdk.incubator.vector.ByteVector;

/** How wide vectors are here. Loading this class needs the module {@code jdk.incubator.vector}. */
final class VectorSpeciesSize {
    private VectorSpeciesSize() {}

    /** 64 to 512, or more on processors to come. */
    static int bits() {
        return ByteVector.SPECIES_PREFERRED.vectorBitSize();
    }
}
