package io.hearth.compression;

/** How a lossy codec handles a tensor with a value that it cannot carry. */
public enum OnNonFinite {
    /** Reject the tensor with an error that names the value; the collective fails on all ranks. */
    ERROR,
    /** Send the plain values in this step. */
    DENSE
}
