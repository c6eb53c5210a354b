package io.hearth.accel;

import java.lang.foreign.MemorySegment;

/**
 * Products of a large matrix and thin ones, for low-rank compression.
 *
 * <p>The large matrix is the sum of two memories, {@code one[i] + other[i]}, float32, little-endian, native, of any alignment: row by
 * row, {@code columns} in each. The last row may be cut short; its missing values count as 0. A left factor has {@code width} values for
 * each row, one row after the other; a right factor has {@code columns} values for each of {@code width} lines, one line after the other.
 *
 * <p>{@link #left} and {@link #right} may add in any order, so engines differ in the last bits. The results of {@link #product} and
 * {@link #lessProduct} for the same factors have the same bits in all engines: products are added by rising {@code k}, each step rounded
 * to float32, no fused multiply-add.
 *
 * <p>Stateless: threads may share an instance. A call allocates a few rows at most.
 */
public interface MatrixKernels {
    /**
     * {@code left[row][k] = sum of matrix[row][c] * right[k][c]}.
     *
     * @param count values of the matrix
     * @param left written, {@code ceil(count / columns) * width}; not finite where the row is not, or a product is not
     */
    void left(MemorySegment one, MemorySegment other, long count, int columns, float[] right, int width, float[] left);

    /** {@code right[k][c] = sum of matrix[row][c] * left[row][k]}; {@code right} is written. */
    void right(MemorySegment one, MemorySegment other, long count, int columns, float[] left, int width, float[] right);

    /** {@code product[row][c] = sum of left[row][k] * right[k][c]}, laid out as the large matrix. */
    void product(float[] left, float[] right, int width, MemorySegment product, long count, int columns);

    /** {@code rest = one + other - left * right}; {@code rest} may be {@code one} or {@code other}. */
    void lessProduct(
            MemorySegment one,
            MemorySegment other,
            float[] left,
            float[] right,
            int width,
            MemorySegment rest,
            long count,
            int columns);
}
