package io.hearth.compression;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The arithmetic of {@link PowerSgd} on a matrix of {@code rows x columns}, row by row in native memory, and factors of {@code width}
 * columns in arrays, row by row too. Sums are taken in double, in index order, and rounded once.
 */
final class LowRank {
    /** What orthogonalising leaves of a column that depends on those before it is rounding, not direction. */
    private static final double DEPENDENT = 1e-6;

    private final int rows;
    private final int columns;
    private final int width;
    private final float[] right;
    private final float[] line;

    LowRank(int rows, int columns, int width) {
        this.rows = rows;
        this.columns = columns;
        this.width = width;
        right = new float[Math.multiplyExact(columns, width)];
        line = new float[columns];
    }

    int rows() {
        return rows;
    }

    int columns() {
        return columns;
    }

    int width() {
        return width;
    }

    long count() {
        return (long) rows * columns;
    }

    /** Takes the right factor over from value {@code index} on. */
    void loadRight(MemorySegment memory, long index) {
        Float32.load(memory, index, right, right.length);
    }

    void storeRight(MemorySegment memory, long index) {
        Float32.store(right, memory, index, right.length);
    }

    /** A column of zeros would stay one for ever: it gets a new direction. */
    void drawEmptyColumns(SplittableRandom random) {
        for (int k = 0; k < width; k++) {
            if (isEmpty(right, k)) {
                for (int at = k; at < right.length; at += width) {
                    right[at] = (float) random.nextDouble(-1, 1);
                }
            }
        }
    }

    private boolean isEmpty(float[] factor, int k) {
        for (int at = k; at < factor.length; at += width) {
            if (factor[at] != 0) {
                return false;
            }
        }
        return true;
    }

    /** {@code left = matrix * right}. */
    void multiply(MemorySegment matrix, float[] left) {
        double[] sums = new double[width];
        for (int row = 0; row < rows; row++) {
            Float32.load(matrix, (long) row * columns, line, columns);
            Arrays.fill(sums, 0);
            for (int column = 0; column < columns; column++) {
                for (int k = 0; k < width; k++) {
                    sums[k] += (double) line[column] * right[column * width + k];
                }
            }
            for (int k = 0; k < width; k++) {
                left[row * width + k] = (float) sums[k];
            }
        }
    }

    /** {@code right = matrix^T * left}. */
    void multiplyTransposed(MemorySegment matrix, float[] left) {
        double[] sums = new double[right.length];
        for (int row = 0; row < rows; row++) {
            Float32.load(matrix, (long) row * columns, line, columns);
            for (int column = 0; column < columns; column++) {
                for (int k = 0; k < width; k++) {
                    sums[column * width + k] += (double) line[column] * left[row * width + k];
                }
            }
        }
        for (int i = 0; i < right.length; i++) {
            right[i] = (float) sums[i];
        }
    }

    /** {@code target = left * right^T}, or what that lacks of {@code target}. */
    void product(float[] left, MemorySegment target, boolean subtract) {
        for (int row = 0; row < rows; row++) {
            long at = (long) row * columns;
            if (subtract) {
                Float32.load(target, at, line, columns);
            }
            for (int column = 0; column < columns; column++) {
                double sum = 0;
                for (int k = 0; k < width; k++) {
                    sum += (double) left[row * width + k] * right[column * width + k];
                }
                line[column] = (float) (subtract ? line[column] - sum : sum);
            }
            Float32.store(line, target, at, columns);
        }
    }

    /** Makes the columns of {@code left} orthonormal (modified Gram-Schmidt); one that depends on those before it becomes 0. */
    void orthogonalise(float[] left) {
        for (int k = 0; k < width; k++) {
            double before = norm(left, k);
            for (int earlier = 0; earlier < k; earlier++) {
                double along = dot(left, earlier, k);
                for (int at = 0; at < left.length; at += width) {
                    left[at + k] = (float) (left[at + k] - along * left[at + earlier]);
                }
            }
            double norm = norm(left, k);
            boolean dependent = norm <= DEPENDENT * before;
            for (int at = k; at < left.length; at += width) {
                left[at] = dependent ? 0 : (float) (left[at] / norm);
            }
        }
    }

    private double norm(float[] factor, int k) {
        return Math.sqrt(dot(factor, k, k));
    }

    private double dot(float[] factor, int one, int other) {
        double sum = 0;
        for (int at = 0; at < factor.length; at += width) {
            sum += (double) factor[at + one] * factor[at + other];
        }
        return sum;
    }
}
