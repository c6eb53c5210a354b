package io.hearth.accel.portable;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Both operands in arrays of the element type. There is one plain loop for each operation and type, because C2 turns that shape into
 * vector code.
 *
 * @param <A> the type of the arrays
 */
final class ArrayBlock<A> implements Block {
    /** {@code left[i] = left[i] op right[i]}. */
    private interface Combining<A> {
        void combine(ReduceOp op, A left, A right, int n);
    }

    /** {@code values[i] = values[i] / divisor}. */
    private interface Dividing<A> {
        void divide(A values, int n, int divisor);
    }

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long TOP_BITS = 0x8080_8080_8080_8080L;

    private final int elementBytes;
    private final A left;
    private final A right;
    private final MemorySegment leftBytes;
    private final MemorySegment rightBytes;
    private final Combining<A> combining;
    private final Dividing<A> dividing;

    private ArrayBlock(
            int elementBytes,
            IntFunction<A> maker,
            Function<A, MemorySegment> memory,
            Combining<A> combining,
            Dividing<A> dividing) {
        this.elementBytes = elementBytes;
        left = maker.apply(elementsMax());
        right = maker.apply(elementsMax());
        leftBytes = memory.apply(left);
        rightBytes = memory.apply(right);
        this.combining = combining;
        this.dividing = dividing;
    }

    /** FLOAT32. */
    static Block ofFloats() {
        return new ArrayBlock<float[]>(
                Float.BYTES, float[]::new, MemorySegment::ofArray, ArrayBlock::combine, ArrayBlock::divide);
    }

    /** FLOAT64. */
    static Block ofDoubles() {
        return new ArrayBlock<double[]>(
                Double.BYTES, double[]::new, MemorySegment::ofArray, ArrayBlock::combine, (values, n, divisor) -> {
                    for (int i = 0; i < n; i++) {
                        values[i] /= divisor;
                    }
                });
    }

    /** INT32. */
    static Block ofInts() {
        return new ArrayBlock<int[]>(
                Integer.BYTES, int[]::new, MemorySegment::ofArray, ArrayBlock::combine, (values, n, divisor) -> {
                    for (int i = 0; i < n; i++) {
                        values[i] /= divisor;
                    }
                });
    }

    /** INT64. */
    static Block ofLongs() {
        return new ArrayBlock<long[]>(
                Long.BYTES, long[]::new, MemorySegment::ofArray, ArrayBlock::combine, (values, n, divisor) -> {
                    for (int i = 0; i < n; i++) {
                        values[i] /= divisor;
                    }
                });
    }

    /** INT8. */
    static Block ofBytes() {
        return ofBytes(TOP_BITS, -1);
    }

    /** UINT8. */
    static Block ofUnsignedBytes() {
        return ofBytes(0, 0xff);
    }

    /**
     * Bytes.
     *
     * @param order bits that turn the order of the type into unsigned order: the top bits for INT8, none for UINT8
     * @param mask bits that remain of a sign-extended element: 0xff for UINT8, all for INT8
     */
    private static Block ofBytes(long order, int mask) {
        return new ArrayBlock<byte[]>(
                Byte.BYTES,
                byte[]::new,
                MemorySegment::ofArray,
                (op, left, right, n) -> combine(op, left, right, n, order),
                (values, n, divisor) -> {
                    for (int i = 0; i < n; i++) {
                        values[i] = (byte) ((values[i] & mask) / divisor);
                    }
                });
    }

    @Override
    public int elementBytes() {
        return elementBytes;
    }

    @Override
    public int elementsMax() {
        return Block.BYTES / elementBytes;
    }

    @Override
    public void setLeft(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(memory, offset, leftBytes, 0, (long) n * elementBytes);
    }

    @Override
    public void setRight(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(memory, offset, rightBytes, 0, (long) n * elementBytes);
    }

    @Override
    public void combine(ReduceOp op, int n) {
        combining.combine(op, left, right, n);
    }

    @Override
    public void divide(int divisor, int n) {
        dividing.divide(left, n, divisor);
    }

    @Override
    public void store(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(leftBytes, 0, memory, offset, (long) n * elementBytes);
    }

    /** {@code values[i] = values[i] / divisor}, the divisor rounded to float32. */
    static void divide(float[] values, int n, int divisor) {
        for (int i = 0; i < n; i++) {
            values[i] /= divisor;
        }
    }

    /** {@code left[i] = left[i] op right[i]}. */
    static void combine(ReduceOp op, float[] left, float[] right, int n) {
        switch (op) {
            case SUM -> {
                for (int i = 0; i < n; i++) {
                    left[i] += right[i];
                }
            }
            case AVG -> throw new AssertionError("rejected by Operands");
            case MIN -> {
                for (int i = 0; i < n; i++) {
                    left[i] = Math.min(left[i], right[i]);
                }
            }
            case MAX -> {
                for (int i = 0; i < n; i++) {
                    left[i] = Math.max(left[i], right[i]);
                }
            }
            case PROD -> {
                for (int i = 0; i < n; i++) {
                    left[i] *= right[i];
                }
            }
        }
    }

    private static void combine(ReduceOp op, double[] left, double[] right, int n) {
        switch (op) {
            case SUM -> {
                for (int i = 0; i < n; i++) {
                    left[i] += right[i];
                }
            }
            case AVG -> throw new AssertionError("rejected by Operands");
            case MIN -> {
                for (int i = 0; i < n; i++) {
                    left[i] = Math.min(left[i], right[i]);
                }
            }
            case MAX -> {
                for (int i = 0; i < n; i++) {
                    left[i] = Math.max(left[i], right[i]);
                }
            }
            case PROD -> {
                for (int i = 0; i < n; i++) {
                    left[i] *= right[i];
                }
            }
        }
    }

    private static void combine(ReduceOp op, int[] left, int[] right, int n) {
        switch (op) {
            case SUM -> {
                for (int i = 0; i < n; i++) {
                    left[i] += right[i];
                }
            }
            case AVG -> throw new AssertionError("rejected by Operands");
            case MIN -> {
                for (int i = 0; i < n; i++) {
                    left[i] = Math.min(left[i], right[i]);
                }
            }
            case MAX -> {
                for (int i = 0; i < n; i++) {
                    left[i] = Math.max(left[i], right[i]);
                }
            }
            case PROD -> {
                for (int i = 0; i < n; i++) {
                    left[i] *= right[i];
                }
            }
        }
    }

    private static void combine(ReduceOp op, long[] left, long[] right, int n) {
        switch (op) {
            case SUM -> {
                for (int i = 0; i < n; i++) {
                    left[i] += right[i];
                }
            }
            case AVG -> throw new AssertionError("rejected by Operands");
            case MIN -> {
                for (int i = 0; i < n; i++) {
                    left[i] = Math.min(left[i], right[i]);
                }
            }
            case MAX -> {
                for (int i = 0; i < n; i++) {
                    left[i] = Math.max(left[i], right[i]);
                }
            }
            case PROD -> {
                for (int i = 0; i < n; i++) {
                    left[i] *= right[i];
                }
            }
        }
    }

    private static void combine(ReduceOp op, byte[] left, byte[] right, int n, long order) {
        switch (op) {
            case SUM -> {
                for (int i = 0; i < n; i++) {
                    left[i] = (byte) (left[i] + right[i]);
                }
            }
            case AVG -> throw new AssertionError("rejected by Operands");
            case MIN -> takeLarger(left, right, n, ~order);
            case MAX -> takeLarger(left, right, n, order);
            case PROD -> {
                for (int i = 0; i < n; i++) {
                    left[i] = (byte) (left[i] * right[i]);
                }
            }
        }
    }

    /** The larger one of each pair by their unsigned order after {@code order} is applied. C2 vectorises no comparison of bytes. */
    private static void takeLarger(byte[] left, byte[] right, int n, long order) {
        for (int i = 0; i < n; i += Long.BYTES) {
            long one = (long) LONGS.get(left, i) ^ order;
            long other = (long) LONGS.get(right, i) ^ order;
            long lowerBitsLess = ~((one | TOP_BITS) - (other & ~TOP_BITS));
            long less = ((~one & other) | (~(one ^ other) & lowerBitsLess)) & TOP_BITS;
            long mask = (less << 1) - (less >>> (Byte.SIZE - 1)); // all bits of each byte whose top bit is set
            LONGS.set(left, i, (one ^ ((one ^ other) & mask)) ^ order);
        }
    }
}
