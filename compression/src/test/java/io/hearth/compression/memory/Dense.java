package io.hearth.compression.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;

/** Matrices in double, by the plainest loops. */
public final class Dense {
    private Dense() {}

    static double[][] matrix(float[] values, int rows, int columns) {
        double[][] matrix = new double[rows][columns];
        for (int i = 0; i < values.length; i++) {
            matrix[i / columns][i % columns] = values[i];
        }
        return matrix;
    }

    static double[][] normal(int rows, int columns, SplittableRandom random) {
        double[][] matrix = new double[rows][columns];
        for (double[] row : matrix) {
            for (int column = 0; column < columns; column++) {
                row[column] = random.nextGaussian();
            }
        }
        return matrix;
    }

    static double[][] product(double[][] left, double[][] right) {
        double[][] product = new double[left.length][right[0].length];
        for (int row = 0; row < left.length; row++) {
            for (int column = 0; column < right[0].length; column++) {
                for (int k = 0; k < right.length; k++) {
                    product[row][column] += left[row][k] * right[k][column];
                }
            }
        }
        return product;
    }

    static double[][] transposed(double[][] matrix) {
        double[][] transposed = new double[matrix[0].length][matrix.length];
        for (int row = 0; row < matrix.length; row++) {
            for (int column = 0; column < matrix[0].length; column++) {
                transposed[column][row] = matrix[row][column];
            }
        }
        return transposed;
    }

    static void scale(double[][] matrix, double factor) {
        for (double[] row : matrix) {
            for (int column = 0; column < row.length; column++) {
                row[column] *= factor;
            }
        }
    }

    /** Classical Gram-Schmidt on the mean, each column against all before it. */
    static void orthonormalise(double[][] left, int world) {
        scale(left, 1.0 / world);
        double[][] columns = transposed(left);
        for (int k = 0; k < columns.length; k++) {
            double[] column = columns[k].clone();
            for (int earlier = 0; earlier < k; earlier++) {
                double along = dot(columns[earlier], columns[k]);
                for (int i = 0; i < column.length; i++) {
                    column[i] -= along * columns[earlier][i];
                }
            }
            double norm = Math.sqrt(dot(column, column));
            for (int i = 0; i < column.length; i++) {
                left[i][k] = column[i] / norm;
                columns[k][i] = left[i][k];
            }
        }
    }

    private static double dot(double[] one, double[] other) {
        double sum = 0;
        for (int i = 0; i < one.length; i++) {
            sum += one[i] * other[i];
        }
        return sum;
    }

    static void assertClose(double[][] expected, double[][] actual, double tolerance) {
        for (int row = 0; row < expected.length; row++) {
            for (int column = 0; column < expected[0].length; column++) {
                assertEquals(expected[row][column], actual[row][column], tolerance, row + ", " + column);
            }
        }
    }
}
