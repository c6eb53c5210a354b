package io.hearth.collective;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * The sizes of a tensor's dimensions in memory order, the outermost first, as in NumPy and PyTorch. Low-rank compression treats a tensor of
 * two or more dimensions as a matrix: the first dimension times all others.
 *
 * @param sizes each 1 or more; the product of all but the first is at most 2^31 - 1; empty for a single value
 */
public record TensorShape(List<Integer> sizes) {
    public TensorShape {
        sizes = List.copyOf(sizes);
        if (sizes.stream().anyMatch(size -> size < 1)) {
            throw new IllegalArgumentException("each size of a tensor must be 1 or more, got " + text(sizes));
        }
        try {
            Math.multiplyExact(columns(sizes), (long) (sizes.isEmpty() ? 1 : sizes.getFirst()));
        } catch (ArithmeticException tooLarge) {
            throw new IllegalArgumentException("a tensor of " + text(sizes) + " is larger than any memory", tooLarge);
        }
    }

    /** As in the record. */
    public static TensorShape of(int... sizes) {
        return new TensorShape(Arrays.stream(sizes).boxed().toList());
    }

    /** Number of values of such a tensor. */
    public long count() {
        return (sizes.isEmpty() ? 1L : sizes.getFirst()) * columns(sizes);
    }

    /** Values in a row of the tensor as a matrix; empty with fewer than two dimensions. */
    public OptionalInt columns() {
        return sizes.size() < 2 ? OptionalInt.empty() : OptionalInt.of(columns(sizes));
    }

    private static int columns(List<Integer> sizes) {
        return sizes.stream().skip(1).reduce(1, Math::multiplyExact);
    }

    /** Text for messages and for the comparison between ranks: {@code 64x3x7x7}. */
    public String text() {
        return text(sizes);
    }

    private static String text(List<Integer> sizes) {
        return sizes.stream().map(String::valueOf).collect(Collectors.joining("x"));
    }
}
