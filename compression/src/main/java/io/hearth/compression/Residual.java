package io.hearth.compression;

/** How a member keeps what an encoding leaves out of a tensor, to add it to the next gradient. */
public enum Residual {
    /** Not at all: what is left out is lost. */
    NONE,
    /** All of it: 4 bytes per value. */
    FLOAT32,
    /** Rounded up or down by chance to a bfloat16, so that nothing is lost in the mean: 2 bytes per value. */
    BFLOAT16
}
