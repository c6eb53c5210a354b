package io.hearth.coordinator;

import java.util.List;

/** Values of 32-bit floating point in a shape. */
public final class Tensor {
    private final List<Integer> shape;
    private final float[] data;

    private Tensor(List<Integer> shape, float[] data) {
        this.shape = shape;
        this.data = data;
    }

    /**
     * A tensor.
     *
     * @param shape none negative; empty for a single value
     * @param data in row-major order; the caller does not change it afterwards
     * @throws IllegalArgumentException if the shape has another number of values
     */
    public static Tensor of(List<Integer> shape, float... data) {
        long length = 1;
        for (int dimension : shape) {
            if (dimension < 0) {
                throw new IllegalArgumentException("a dimension is not negative, got " + dimension);
            }
            length = Math.min(length * dimension, Integer.MAX_VALUE); // only compared with a length
        }
        if (length != data.length) {
            throw new IllegalArgumentException("shape " + shape + " does not have " + data.length + " values");
        }
        return new Tensor(List.copyOf(shape), data);
    }

    /** A vector. */
    public static Tensor vector(float... data) {
        return of(List.of(data.length), data);
    }

    public List<Integer> shape() {
        return shape;
    }

    /** The values in row-major order; not a copy, so only to be read. */
    public float[] data() {
        return data;
    }
}
