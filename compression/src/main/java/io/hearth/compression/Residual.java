package io.hearth.compression;

/** The form in which a member keeps what an encoding leaves out of a tensor, to add it to the next gradient. */
public enum Residual {
    /** No residual: what is left out is lost. */
    NONE,
    /** Exact: 4 bytes per value. */
    FLOAT32,
    /** Rounded up or down at random to a bfloat16, so that nothing is lost in the mean: 2 bytes per value. */
    BFLOAT16
}
