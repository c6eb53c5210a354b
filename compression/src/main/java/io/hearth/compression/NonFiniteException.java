package io.hearth.compression;

import io.hearth.core.CollectiveException;

/**
 * A gradient holds NaN or infinity, or a value so large that it would become infinite, and the chosen codec cannot carry it. Names the
 * index of the first such value.
 */
public final class NonFiniteException extends CollectiveException {
    private static final long serialVersionUID = 1L;

    private final long index;
    private final float value;
    private final String advice;

    /**
     * Names the value and the remedies.
     * @param index of the first such value in what was to be encoded
     * @param value NaN or an infinity
     */
    public NonFiniteException(long index, float value) {
        this(
                index,
                value,
                "which a lossy codec cannot carry: look at loss and learning rate, or use compression 'none'");
    }

    /** Of a member of the group, maybe another one: {@code text} names member and value, {@link #index} and {@link #value} do not. */
    public NonFiniteException(String text) {
        super(text);
        this.index = -1;
        this.value = Float.NaN;
        this.advice = text;
    }

    private NonFiniteException(long index, float value, String advice) {
        this("gradient value ", index, value, advice);
    }

    private NonFiniteException(String what, long index, float value, String advice) {
        super(what + index + " is " + value + ", " + advice);
        this.index = index;
        this.value = value;
        this.advice = advice;
    }

    /** For a finite value that {@code codec} would make infinite. */
    public static NonFiniteException beyond(long index, float value, String codec, float largest) {
        return new NonFiniteException(
                index,
                value,
                "beyond the range of '" + codec + "' (at most " + largest
                        + "): scale the loss down, or use compression 'none'");
    }

    /** For a finite value whose product with the factors of {@code powersgd} is not finite. */
    public static NonFiniteException tooLarge(long index, float value) {
        return new NonFiniteException(
                index,
                value,
                "too large for 'powersgd', whose products with it are beyond float32: scale the loss down, or use compression 'none'");
    }

    /** For a value of a factor of {@code powersgd} that is finite on each member, but whose sum is not. */
    public static NonFiniteException inFactors(long index, float value) {
        return new NonFiniteException(
                "summed factor value ",
                index,
                value,
                "because the gradients together are too large for 'powersgd': scale the loss down, or use compression 'none'");
    }

    /** The same, found in a part that starts at value {@code first}. */
    public NonFiniteException from(long first) {
        return new NonFiniteException(first + index, value, advice);
    }

    /** The same, found in the sum of several members' gradients, in a part that starts at value {@code first}. */
    public NonFiniteException inSum(long first) {
        return new NonFiniteException("summed gradient value ", first + index, value, advice);
    }

    /** Index of the first such value in what was to be encoded; -1 if only the text has it. */
    public long index() {
        return index;
    }

    /** That value; NaN if only the text has it. */
    public float value() {
        return value;
    }

    @Override
    public int number() {
        return 14;
    }
}
