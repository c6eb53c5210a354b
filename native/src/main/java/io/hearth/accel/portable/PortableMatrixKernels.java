package io.hearth.accel.portable;

import static io.hearth.accel.portable.PortableCodecKernels.FLOAT;

import io.hearth.accel.CodecOperands;
import io.hearth.accel.MatrixKernels;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Row by row through arrays, where C2 vectorises all but the sums over a row. */
public final class PortableMatrixKernels implements MatrixKernels {
    /** Sums over a row at the same time, which hide the latency of an addition. */
    private static final int CHAINS = 8;

    /** The rows of a matrix, one after the other. */
    private static final class Rows {
        private final MemorySegment one;
        private final MemorySegment other;
        private final long count;
        private final int columns;
        private final float[] row;
        private final float[] more;

        Rows(MemorySegment one, MemorySegment other, long count, int columns) {
            CodecOperands.checkValues("one", one, 0, count, false);
            CodecOperands.checkValues("other", other, 0, count, false);
            this.one = one;
            this.other = other;
            this.count = count;
            this.columns = columns;
            row = new float[columns];
            more = new float[columns];
        }

        /** Loads the row that begins at value {@code at}; returns its number of values. */
        int load(long at) {
            int n = (int) Math.min(columns, count - at);
            MemorySegment.copy(one, FLOAT, at * Float.BYTES, row, 0, n);
            MemorySegment.copy(other, FLOAT, at * Float.BYTES, more, 0, n);
            for (int c = 0; c < n; c++) {
                row[c] += more[c];
            }
            return n;
        }
    }

    @Override
    public void left(
            MemorySegment one, MemorySegment other, long count, int columns, float[] right, int width, float[] left) {
        var rows = new Rows(one, other, count, columns);
        int at = 0;
        for (long first = 0; first < count; first += columns) {
            int n = rows.load(first);
            for (int k = 0; k < width; k++) {
                left[at++] = dot(rows.row, right, k * columns, n);
            }
        }
    }

    private static float dot(float[] row, float[] line, int from, int n) {
        float a = 0;
        float b = 0;
        float c = 0;
        float d = 0;
        float e = 0;
        float f = 0;
        float g = 0;
        float h = 0;
        int i = 0;
        for (; i <= n - CHAINS; i += CHAINS) {
            a += row[i] * line[from + i];
            b += row[i + 1] * line[from + i + 1];
            c += row[i + 2] * line[from + i + 2];
            d += row[i + 3] * line[from + i + 3];
            e += row[i + 4] * line[from + i + 4];
            f += row[i + 5] * line[from + i + 5];
            g += row[i + 6] * line[from + i + 6];
            h += row[i + 7] * line[from + i + 7];
        }
        for (; i < n; i++) {
            a += row[i] * line[from + i];
        }
        return ((a + b) + (c + d)) + ((e + f) + (g + h));
    }

    @Override
    public void right(
            MemorySegment one, MemorySegment other, long count, int columns, float[] left, int width, float[] right) {
        Arrays.fill(right, 0);
        var rows = new Rows(one, other, count, columns);
        int at = 0;
        for (long first = 0; first < count; first += columns) {
            int n = rows.load(first);
            for (int k = 0; k < width; k++) {
                addTimes(rows.row, left[at++], right, k * columns, n);
            }
        }
    }

    private static void addTimes(float[] row, float factor, float[] sum, int from, int n) {
        for (int c = 0; c < n; c++) {
            sum[from + c] += factor * row[c];
        }
    }

    @Override
    public void product(float[] left, float[] right, int width, MemorySegment product, long count, int columns) {
        CodecOperands.checkValues("product", product, 0, count, true);
        float[] row = new float[columns];
        int at = 0;
        for (long first = 0; first < count; first += columns, at += width) {
            int n = (int) Math.min(columns, count - first);
            multiply(left, at, right, width, row, n, columns);
            MemorySegment.copy(row, 0, product, FLOAT, first * Float.BYTES, n);
        }
    }

    private static void multiply(float[] left, int at, float[] right, int width, float[] row, int n, int columns) {
        float factor = left[at];
        for (int c = 0; c < n; c++) {
            row[c] = factor * right[c];
        }
        for (int k = 1; k < width; k++) {
            float next = left[at + k];
            int from = k * columns;
            for (int c = 0; c < n; c++) {
                row[c] += next * right[from + c];
            }
        }
    }

    @Override
    public void lessProduct(
            MemorySegment one,
            MemorySegment other,
            float[] left,
            float[] right,
            int width,
            MemorySegment rest,
            long count,
            int columns) {
        CodecOperands.checkValues("rest", rest, 0, count, true);
        var rows = new Rows(one, other, count, columns);
        float[] row = new float[columns];
        int at = 0;
        for (long first = 0; first < count; first += columns, at += width) {
            int n = rows.load(first);
            multiply(left, at, right, width, row, n, columns);
            for (int c = 0; c < n; c++) {
                row[c] = rows.row[c] - row[c];
            }
            MemorySegment.copy(row, 0, rest, FLOAT, first * Float.BYTES, n);
        }
    }
}
