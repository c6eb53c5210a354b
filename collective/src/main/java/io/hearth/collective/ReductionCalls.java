package io.hearth.collective;

import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * The part of a {@link DistributedContext} that combines values: all-reduce, reduce-scatter and reduce, in every kind of memory.
 * Users see one class; its calls are kept in rooms by what they do.
 */
abstract sealed class ReductionCalls permits MovementCalls {
    final DistributedBackend backend;
    final CollectiveOptions options;

    ReductionCalls(DistributedBackend backend, CollectiveOptions options) {
        this.backend = backend;
        this.options = options;
    }

    /**
     * Combines {@code values} over all ranks, in place. All ranks end with the same bits.
     *
     * @param values same length on all ranks, 0 or more; unchanged if this throws
     * @param op how; AVG divides by the ranks that really contributed, after the sum, which must fit into the type: see {@link
     *     ReduceOp#AVG}
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult allReduce(float[] values, ReduceOp op) throws CollectiveException {
        return allReduce(values, op, options);
    }

    /** As {@link #allReduce(float[], ReduceOp)}, with options. */
    public CollectiveResult allReduce(float[] values, ReduceOp op, CollectiveOptions options)
            throws CollectiveException {
        return allReduce(MemorySegment.ofArray(values), op, options);
    }

    /** As {@link #allReduce(float[], ReduceOp)}, for float32 values in any segment. */
    public CollectiveResult allReduce(MemorySegment values, ReduceOp op) throws CollectiveException {
        return allReduce(values, op, options);
    }

    /** As {@link #allReduce(float[], ReduceOp)}, for float32 values in any segment, with options. */
    public CollectiveResult allReduce(MemorySegment values, ReduceOp op, CollectiveOptions options)
            throws CollectiveException {
        return backend.allReduce(values, DataType.FLOAT32, op, options);
    }

    /** As {@link #allReduce(float[], ReduceOp)}, for doubles. */
    public CollectiveResult allReduce(double[] values, ReduceOp op) throws CollectiveException {
        return backend.allReduce(MemorySegment.ofArray(values), DataType.FLOAT64, op, options);
    }

    /** As {@link #allReduce(float[], ReduceOp)}, for ints. */
    public CollectiveResult allReduce(int[] values, ReduceOp op) throws CollectiveException {
        return backend.allReduce(MemorySegment.ofArray(values), DataType.INT32, op, options);
    }

    /** As {@link #allReduce(float[], ReduceOp)}, for elements of a buffer. */
    public CollectiveResult allReduce(ByteBuffer values, DataType type, ReduceOp op) throws CollectiveException {
        return backend.allReduce(Tensors.of(values, type), type, op, options);
    }

    /** As {@link #allReduce(float[], ReduceOp)}, for elements of any segment. */
    public CollectiveResult allReduce(MemorySegment values, DataType type, ReduceOp op) throws CollectiveException {
        return backend.allReduce(values, type, op, options);
    }

    /**
     * As {@link #allReduce(float[], ReduceOp)}, into another array.
     *
     * @param input not written
     * @param output of the same length; may be {@code input}
     */
    public CollectiveResult allReduce(float[] input, float[] output, ReduceOp op) throws CollectiveException {
        return backend.allReduce(
                MemorySegment.ofArray(input), MemorySegment.ofArray(output), DataType.FLOAT32, op, options);
    }

    /** As {@link #allReduce(float[], float[], ReduceOp)}, for doubles. */
    public CollectiveResult allReduce(double[] input, double[] output, ReduceOp op) throws CollectiveException {
        return backend.allReduce(
                MemorySegment.ofArray(input), MemorySegment.ofArray(output), DataType.FLOAT64, op, options);
    }

    /** As {@link #allReduce(float[], float[], ReduceOp)}, for ints. */
    public CollectiveResult allReduce(int[] input, int[] output, ReduceOp op) throws CollectiveException {
        return backend.allReduce(
                MemorySegment.ofArray(input), MemorySegment.ofArray(output), DataType.INT32, op, options);
    }

    /** As {@link #allReduce(float[], float[], ReduceOp)}, for elements of a buffer. */
    public CollectiveResult allReduce(ByteBuffer input, ByteBuffer output, DataType type, ReduceOp op)
            throws CollectiveException {
        return backend.allReduce(Tensors.of(input, type), Tensors.of(output, type), type, op, options);
    }

    /** As {@link #allReduce(float[], float[], ReduceOp)}, for elements of any segment. */
    public CollectiveResult allReduce(MemorySegment input, MemorySegment output, DataType type, ReduceOp op)
            throws CollectiveException {
        return backend.allReduce(input, output, type, op, options);
    }

    /**
     * Combines many tensors as one, in place; small ones travel together.
     *
     * @param tensors the same sizes in the same order on all ranks, none or more; all are written, or none if this throws
     * @return of all of them together: the fewest contributors of any
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult allReduce(ReduceOp op, float[]... tensors) throws CollectiveException {
        return backend.allReduce(
                Arrays.stream(tensors).map(MemorySegment::ofArray).toList(), DataType.FLOAT32, op, options);
    }

    /** As {@link #allReduce(ReduceOp, float[][])}, for doubles. */
    public CollectiveResult allReduce(ReduceOp op, double[]... tensors) throws CollectiveException {
        return backend.allReduce(
                Arrays.stream(tensors).map(MemorySegment::ofArray).toList(), DataType.FLOAT64, op, options);
    }

    /** As {@link #allReduce(ReduceOp, float[][])}, for ints. */
    public CollectiveResult allReduce(ReduceOp op, int[]... tensors) throws CollectiveException {
        return backend.allReduce(
                Arrays.stream(tensors).map(MemorySegment::ofArray).toList(), DataType.INT32, op, options);
    }

    /** As {@link #allReduce(ReduceOp, float[][])}, for elements of a buffer. */
    public CollectiveResult allReduce(DataType type, ReduceOp op, ByteBuffer... tensors) throws CollectiveException {
        return backend.allReduce(
                Arrays.stream(tensors).map(tensor -> Tensors.of(tensor, type)).toList(), type, op, options);
    }

    /** As {@link #allReduce(ReduceOp, float[][])}, for elements of any segment. */
    public CollectiveResult allReduce(List<MemorySegment> tensors, DataType type, ReduceOp op)
            throws CollectiveException {
        return backend.allReduce(tensors, type, op, options);
    }

    /**
     * Begins an all-reduce in place and returns; it runs after all that this rank began before, one at a time ({@link Work}). Later calls
     * of this rank come after it, and end after it.
     *
     * @param values belong to the collective until it has ended
     * @throws CollectiveException nothing was begun, because the backend is closed
     * @throws InterruptedException nothing was begun: too many are on their way, and this thread was interrupted while it waited
     */
    public Work allReduceAsync(float[] values, ReduceOp op) throws CollectiveException, InterruptedException {
        return backend.allReduceAsync(MemorySegment.ofArray(values), DataType.FLOAT32, op, options);
    }

    /** As {@link #allReduceAsync(float[], ReduceOp)}, for doubles. */
    public Work allReduceAsync(double[] values, ReduceOp op) throws CollectiveException, InterruptedException {
        return backend.allReduceAsync(MemorySegment.ofArray(values), DataType.FLOAT64, op, options);
    }

    /** As {@link #allReduceAsync(float[], ReduceOp)}, for ints. */
    public Work allReduceAsync(int[] values, ReduceOp op) throws CollectiveException, InterruptedException {
        return backend.allReduceAsync(MemorySegment.ofArray(values), DataType.INT32, op, options);
    }

    /** As {@link #allReduceAsync(float[], ReduceOp)}, for elements of a buffer. */
    public Work allReduceAsync(ByteBuffer values, DataType type, ReduceOp op)
            throws CollectiveException, InterruptedException {
        return backend.allReduceAsync(Tensors.of(values, type), type, op, options);
    }

    /** As {@link #allReduceAsync(float[], ReduceOp)}, for elements of any segment. */
    public Work allReduceAsync(MemorySegment values, DataType type, ReduceOp op)
            throws CollectiveException, InterruptedException {
        return backend.allReduceAsync(values, type, op, options);
    }

    /**
     * Combines {@code values} over all ranks, of which each rank gets its share, where it lies in the array: as even as can be,
     * the first ones longer. Returns only when all hold theirs.
     *
     * @param values outside the own share they are unchanged
     * @return says which elements are the own share
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult reduceScatter(float[] values, ReduceOp op) throws CollectiveException {
        return backend.reduceScatter(MemorySegment.ofArray(values), DataType.FLOAT32, op, options);
    }

    /** As {@link #reduceScatter(float[], ReduceOp)}, for doubles. */
    public CollectiveResult reduceScatter(double[] values, ReduceOp op) throws CollectiveException {
        return backend.reduceScatter(MemorySegment.ofArray(values), DataType.FLOAT64, op, options);
    }

    /** As {@link #reduceScatter(float[], ReduceOp)}, for ints. */
    public CollectiveResult reduceScatter(int[] values, ReduceOp op) throws CollectiveException {
        return backend.reduceScatter(MemorySegment.ofArray(values), DataType.INT32, op, options);
    }

    /** As {@link #reduceScatter(float[], ReduceOp)}, for elements of a buffer. */
    public CollectiveResult reduceScatter(ByteBuffer values, DataType type, ReduceOp op) throws CollectiveException {
        return backend.reduceScatter(Tensors.of(values, type), type, op, options);
    }

    /** As {@link #reduceScatter(float[], ReduceOp)}, for elements of any segment. */
    public CollectiveResult reduceScatter(MemorySegment values, DataType type, ReduceOp op) throws CollectiveException {
        return backend.reduceScatter(values, type, op, options);
    }

    /**
     * Combines {@code values} over all ranks at {@code root}. Returns only when it holds the result.
     *
     * @param values in place at the root, unchanged elsewhere
     * @param root 0 to {@code worldSize() - 1}, the same on all ranks
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult reduce(float[] values, ReduceOp op, int root) throws CollectiveException {
        return backend.reduce(MemorySegment.ofArray(values), DataType.FLOAT32, op, root, options);
    }

    /** As {@link #reduce(float[], ReduceOp, int)}, for doubles. */
    public CollectiveResult reduce(double[] values, ReduceOp op, int root) throws CollectiveException {
        return backend.reduce(MemorySegment.ofArray(values), DataType.FLOAT64, op, root, options);
    }

    /** As {@link #reduce(float[], ReduceOp, int)}, for ints. */
    public CollectiveResult reduce(int[] values, ReduceOp op, int root) throws CollectiveException {
        return backend.reduce(MemorySegment.ofArray(values), DataType.INT32, op, root, options);
    }

    /** As {@link #reduce(float[], ReduceOp, int)}, for elements of a buffer. */
    public CollectiveResult reduce(ByteBuffer values, DataType type, ReduceOp op, int root) throws CollectiveException {
        return backend.reduce(Tensors.of(values, type), type, op, root, options);
    }

    /** As {@link #reduce(float[], ReduceOp, int)}, for elements of any segment. */
    public CollectiveResult reduce(MemorySegment values, DataType type, ReduceOp op, int root)
            throws CollectiveException {
        return backend.reduce(values, type, op, root, options);
    }
}
