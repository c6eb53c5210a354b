package io.hearth.collective;

/**
 * What a tensor is as a matrix, for compression by low rank: the better its rows resemble each other, the less is lost. Of a layer's
 * weights, inputs times outputs.
 *
 * @param rows 1 or more
 * @param columns 1 or more
 */
public record MatrixShape(int rows, int columns) {
    public MatrixShape {
        if (rows < 1 || columns < 1) {
            throw new IllegalArgumentException(
                    "a matrix has at least 1 row and 1 column, got " + rows + " x " + columns);
        }
    }

    /** As square as can be, with room for {@code count} values, 1 or more. */
    static MatrixShape square(long count) {
        int columns = Math.toIntExact((long) Math.ceil(Math.sqrt((double) count)));
        return new MatrixShape(Math.toIntExact(Math.ceilDiv(count, columns)), columns);
    }

    /** Values. */
    long count() {
        return (long) rows * columns;
    }

    /** Of float32 values. */
    long bytes() {
        return count() * Float.BYTES;
    }

    /** Whether two factors of {@code rank} columns are less than the matrix. */
    boolean isWorth(int rank) {
        return rank * ((long) rows + columns) < count();
    }

    /** For people and for the agreement between ranks: rows x columns. */
    String text() {
        return rows + "x" + columns;
    }
}
