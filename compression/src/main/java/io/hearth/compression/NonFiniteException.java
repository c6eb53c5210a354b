package io.hearth.compression;

import io.hearth.core.CollectiveException;

/** A gradient holds NaN or infinity and the chosen codec cannot carry it; says where the first one is. */
public final class NonFiniteException extends CollectiveException {
    private static final long serialVersionUID = 1L;

    private final long index;
    private final float value;

    /**
     * Names the value and the ways out.
     *
     * @param index of the first such value in what was to be encoded
     * @param value NaN or an infinity
     */
    public NonFiniteException(long index, float value) {
        super("gradient value " + index + " is " + value
                + ", which a lossy codec cannot carry: look at loss and learning rate, or use compression 'none'");
        this.index = index;
        this.value = value;
    }

    /** Where the first such value stands in what was to be encoded. */
    public long index() {
        return index;
    }

    /** That value: NaN or an infinity. */
    public float value() {
        return value;
    }
}
