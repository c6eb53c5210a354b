package io.hearth.compression.memory;

/**
 * Orthonormal columns, in double and twice, which is enough (Giraud, Langou and Rozložník, "The loss of orthogonality in the
 * Gram-Schmidt orthogonalization process", 2005): one pass alone leaves columns that nearly depend on others far from orthogonal.
 */
final class GramSchmidt {
    /** If a column depends on those before it, only rounding noise is left of it: at most this share of its norm. */
    private static final double DEPENDENT = 1e-5;

    private GramSchmidt() {}

    /**
     * Makes the columns of {@code values} orthonormal; a column that depends on those before it becomes 0.
     *
     * @param values {@code width} in each row, row by row; written, rounded once
     */
    static void orthonormalise(float[] values, int width) {
        int rows = values.length / width;
        double[][] columns = new double[width][rows];
        for (int k = 0; k < width; k++) {
            double[] column = columns[k];
            for (int row = 0; row < rows; row++) {
                column[row] = values[row * width + k];
            }
            double before = norm(column);
            for (int pass = 0; pass < 2; pass++) {
                for (int earlier = 0; earlier < k; earlier++) {
                    subtract(column, dot(columns[earlier], column), columns[earlier]);
                }
            }
            double norm = norm(column);
            double factor = norm <= DEPENDENT * before ? 0 : 1 / norm;
            for (int row = 0; row < rows; row++) {
                column[row] *= factor;
                values[row * width + k] = (float) column[row];
            }
        }
    }

    private static void subtract(double[] column, double times, double[] other) {
        for (int row = 0; row < column.length; row++) {
            column[row] -= times * other[row];
        }
    }

    private static double norm(double[] column) {
        return Math.sqrt(dot(column, column));
    }

    private static double dot(double[] one, double[] other) {
        double sum = 0;
        for (int row = 0; row < one.length; row++) {
            sum += one[row] * other[row];
        }
        return sum;
    }
}
