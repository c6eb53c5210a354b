package io.hearth.topology.plan;

import java.util.Arrays;
import java.util.List;

/**
 * Shares that minimise the largest of some rows: the best mixed strategy of a matrix game (Dantzig, "A proof of the equivalence of the
 * programming problem and the game problem", 1951). The simplex method maximises the sum of x &ge; 0 with row · x &le; 1; then the shares
 * are x over its sum, and the value is 1 over it. When the budget ends, the shares are still valid ones.
 */
final class MatrixGame {
    private static final double EPSILON = 1e-9;
    private static final int PIVOTS_PER_LINE_MAX = 20;

    private final double[] shares;
    private final double value;

    /**
     * Plays the game.
     *
     * @param rows of one length; each number is 0 or more, and each column has a number above 0
     */
    MatrixGame(List<double[]> rows, Work work) {
        int columns = rows.getFirst().length;
        double scale = rows.stream().flatMapToDouble(Arrays::stream).max().orElseThrow();
        var table = new double[rows.size() + 1][columns + 1];
        for (int row = 0; row < rows.size(); row++) {
            for (int column = 0; column < columns; column++) {
                table[row][column] = rows.get(row)[column] / scale;
            }
            table[row][columns] = 1;
        }
        Arrays.fill(table[rows.size()], 0, columns, -1);
        var basic = new int[rows.size()]; // variables: below columns an x, else the slack of a row
        Arrays.setAll(basic, row -> columns + row);
        var free = new int[columns];
        Arrays.setAll(free, column -> column);
        for (int pivots = PIVOTS_PER_LINE_MAX * (columns + rows.size()); pivots > 0 && work.isLeft(); pivots--) {
            int column = entering(table, columns);
            int row = column < 0 ? -1 : leaving(table, column, basic);
            if (row < 0) {
                break;
            }
            pivot(table, row, column);
            work.spend((long) table.length * (columns + 1));
            int swapped = basic[row];
            basic[row] = free[column];
            free[column] = swapped;
        }
        shares = new double[columns];
        double sum = 0;
        for (int row = 0; row < basic.length; row++) {
            if (basic[row] < columns) {
                shares[basic[row]] = Math.max(0, table[row][columns]);
                sum += shares[basic[row]];
            }
        }
        for (int column = 0; column < columns; column++) {
            shares[column] = sum > 0 ? shares[column] / sum : 1.0 / columns;
        }
        value = sum > 0 ? scale / sum : 0;
    }

    /** 0 or more each, sum 1. */
    double[] shares() {
        return shares.clone();
    }

    /** The largest row with these shares. */
    double value() {
        return value;
    }

    private static int entering(double[][] table, int columns) {
        double[] goal = table[table.length - 1];
        int best = -1;
        for (int column = 0; column < columns; column++) {
            if (goal[column] < (best < 0 ? -EPSILON : goal[best])) {
                best = column;
            }
        }
        return best;
    }

    private static int leaving(double[][] table, int column, int[] basic) {
        int best = -1;
        double least = Double.POSITIVE_INFINITY;
        for (int row = 0; row < basic.length; row++) {
            if (table[row][column] > EPSILON) {
                double ratio = table[row][table[row].length - 1] / table[row][column];
                if (ratio < least || (ratio == least && best >= 0 && basic[row] < basic[best])) {
                    best = row;
                    least = ratio;
                }
            }
        }
        return best;
    }

    private static void pivot(double[][] table, int row, int column) {
        double[] pivotRow = table[row];
        double pivot = pivotRow[column];
        for (int i = 0; i < pivotRow.length; i++) {
            pivotRow[i] = i == column ? 1 / pivot : pivotRow[i] / pivot;
        }
        for (int other = 0; other < table.length; other++) {
            double factor = table[other][column];
            if (other != row && factor != 0) {
                for (int i = 0; i < pivotRow.length; i++) {
                    table[other][i] = i == column ? -factor * pivotRow[i] : table[other][i] - factor * pivotRow[i];
                }
            }
        }
    }
}
