package io.hearth.accel.vector;

import static io.hearth.accel.portable.PortableCodecKernels.FLOAT;

import io.hearth.accel.CodecOperands;
import io.hearth.accel.MatrixKernels;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** Products by whole vectors straight from native memory; the values of a row after the last whole vector go one by one. */
public final class VectorMatrixKernels implements MatrixKernels {
    private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
    private static final int LANES = SPECIES.length();

    /** Sums over a row at the same time, each a vector, which hide the latency of an addition. */
    private static final int CHAINS = 4;

    /** Rows that one pass adds to a right factor. */
    private static final int ROWS = 4;

    /** Columns of one pass: with {@link #ROWS} rows in both memories they fit into a first-level cache. */
    private static final int TILE = 512;

    private static FloatVector at(MemorySegment memory, long offset) {
        return FloatVector.fromMemorySegment(SPECIES, memory, offset, ByteOrder.LITTLE_ENDIAN);
    }

    private static void check(MemorySegment one, MemorySegment other, long count) {
        CodecOperands.checkValues("one", one, 0, count, false);
        CodecOperands.checkValues("other", other, 0, count, false);
    }

    @Override
    public void left(
            MemorySegment one, MemorySegment other, long count, int columns, float[] right, int width, float[] left) {
        check(one, other, count);
        MemorySegment a = NativeMemory.of(one);
        MemorySegment b = NativeMemory.of(other);
        float[] lanes = new float[LANES];
        int to = 0;
        for (long first = 0; first < count; first += columns) {
            int n = (int) Math.min(columns, count - first);
            for (int k = 0; k < width; k++) {
                left[to++] = dot(a, b, first * Float.BYTES, right, k * columns, n, lanes);
            }
        }
    }

    /** Adds in the same order each time, which a reduction of lanes does not guarantee. */
    private static float dot(
            MemorySegment a, MemorySegment b, long offset, float[] line, int from, int n, float[] lanes) {
        FloatVector one = FloatVector.zero(SPECIES);
        FloatVector two = one;
        FloatVector three = one;
        FloatVector four = one;
        int c = 0;
        for (; c <= n - CHAINS * LANES; c += CHAINS * LANES) {
            long at = offset + (long) c * Float.BYTES;
            one = one.add(sum(a, b, at).mul(FloatVector.fromArray(SPECIES, line, from + c)));
            at += (long) LANES * Float.BYTES;
            two = two.add(sum(a, b, at).mul(FloatVector.fromArray(SPECIES, line, from + c + LANES)));
            at += (long) LANES * Float.BYTES;
            three = three.add(sum(a, b, at).mul(FloatVector.fromArray(SPECIES, line, from + c + 2 * LANES)));
            at += (long) LANES * Float.BYTES;
            four = four.add(sum(a, b, at).mul(FloatVector.fromArray(SPECIES, line, from + c + 3 * LANES)));
        }
        for (; c <= n - LANES; c += LANES) {
            one = one.add(
                    sum(a, b, offset + (long) c * Float.BYTES).mul(FloatVector.fromArray(SPECIES, line, from + c)));
        }
        one.add(two).add(three.add(four)).intoArray(lanes, 0);
        float sum = 0;
        for (float lane : lanes) {
            sum += lane;
        }
        for (; c < n; c++) {
            sum += value(a, b, offset, c) * line[from + c];
        }
        return sum;
    }

    private static FloatVector sum(MemorySegment a, MemorySegment b, long offset) {
        return at(a, offset).add(at(b, offset));
    }

    private static float value(MemorySegment a, MemorySegment b, long offset, int c) {
        long at = offset + (long) c * Float.BYTES;
        return a.get(FLOAT, at) + b.get(FLOAT, at);
    }

    @Override
    public void right(
            MemorySegment one, MemorySegment other, long count, int columns, float[] left, int width, float[] right) {
        check(one, other, count);
        MemorySegment a = NativeMemory.of(one);
        MemorySegment b = NativeMemory.of(other);
        Arrays.fill(right, 0);
        int row = 0;
        int whole = (int) (count / columns);
        for (; row <= whole - ROWS; row += ROWS) {
            for (int tile = 0; tile < columns; tile += TILE) {
                int n = Math.min(TILE, columns - tile);
                for (int k = 0; k < width; k++) {
                    addRows(a, b, row, columns, tile, n, left, row * width + k, width, right, k * columns + tile);
                }
            }
        }
        for (; (long) row * columns < count; row++) {
            int n = (int) Math.min(columns, count - (long) row * columns);
            for (int k = 0; k < width; k++) {
                addRow(a, b, (long) row * columns * Float.BYTES, n, left[row * width + k], right, k * columns);
            }
        }
    }

    private static void addRows(
            MemorySegment a,
            MemorySegment b,
            int row,
            int columns,
            int tile,
            int n,
            float[] left,
            int leftAt,
            int width,
            float[] right,
            int to) {
        float one = left[leftAt];
        float two = left[leftAt + width];
        float three = left[leftAt + 2 * width];
        float four = left[leftAt + 3 * width];
        long stride = (long) columns * Float.BYTES;
        long offset = row * stride + (long) tile * Float.BYTES;
        int c = 0;
        for (; c <= n - LANES; c += LANES) {
            long at = offset + (long) c * Float.BYTES;
            FloatVector.fromArray(SPECIES, right, to + c)
                    .add(sum(a, b, at).mul(one).add(sum(a, b, at + stride).mul(two)))
                    .add(sum(a, b, at + 2 * stride)
                            .mul(three)
                            .add(sum(a, b, at + 3 * stride).mul(four)))
                    .intoArray(right, to + c);
        }
        for (; c < n; c++) {
            right[to + c] += one * value(a, b, offset, c)
                    + two * value(a, b, offset + stride, c)
                    + three * value(a, b, offset + 2 * stride, c)
                    + four * value(a, b, offset + 3 * stride, c);
        }
    }

    private static void addRow(
            MemorySegment a, MemorySegment b, long offset, int n, float factor, float[] right, int to) {
        int c = 0;
        for (; c <= n - LANES; c += LANES) {
            FloatVector.fromArray(SPECIES, right, to + c)
                    .add(sum(a, b, offset + (long) c * Float.BYTES).mul(factor))
                    .intoArray(right, to + c);
        }
        for (; c < n; c++) {
            right[to + c] += factor * value(a, b, offset, c);
        }
    }

    @Override
    public void product(float[] left, float[] right, int width, MemorySegment product, long count, int columns) {
        CodecOperands.checkValues("product", product, 0, count, true);
        MemorySegment to = NativeMemory.of(product);
        int from = 0;
        for (long first = 0; first < count; first += columns, from += width) {
            int n = (int) Math.min(columns, count - first);
            long offset = first * Float.BYTES;
            int c = 0;
            for (; c <= n - LANES; c += LANES) {
                product(left, from, right, width, columns, c)
                        .intoMemorySegment(to, offset + (long) c * Float.BYTES, ByteOrder.LITTLE_ENDIAN);
            }
            for (; c < n; c++) {
                to.set(FLOAT, offset + (long) c * Float.BYTES, value(left, from, right, width, columns, c));
            }
        }
    }

    /** The product for one vector of columns, from column {@code c} on. */
    private static FloatVector product(float[] left, int from, float[] right, int width, int columns, int c) {
        FloatVector sum = FloatVector.fromArray(SPECIES, right, c).mul(left[from]);
        for (int k = 1; k < width; k++) {
            sum = sum.add(FloatVector.fromArray(SPECIES, right, k * columns + c).mul(left[from + k]));
        }
        return sum;
    }

    private static float value(float[] left, int from, float[] right, int width, int columns, int c) {
        float sum = left[from] * right[c];
        for (int k = 1; k < width; k++) {
            sum += left[from + k] * right[k * columns + c];
        }
        return sum;
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
        check(one, other, count);
        CodecOperands.checkValues("rest", rest, 0, count, true);
        MemorySegment a = NativeMemory.of(one);
        MemorySegment b = NativeMemory.of(other);
        MemorySegment to = NativeMemory.of(rest);
        int from = 0;
        for (long first = 0; first < count; first += columns, from += width) {
            int n = (int) Math.min(columns, count - first);
            long offset = first * Float.BYTES;
            int c = 0;
            for (; c <= n - LANES; c += LANES) {
                long at = offset + (long) c * Float.BYTES;
                sum(a, b, at)
                        .sub(product(left, from, right, width, columns, c))
                        .intoMemorySegment(to, at, ByteOrder.LITTLE_ENDIAN);
            }
            for (; c < n; c++) {
                float value = value(a, b, offset, c) - value(left, from, right, width, columns, c);
                to.set(FLOAT, offset + (long) c * Float.BYTES, value);
            }
        }
    }
}
