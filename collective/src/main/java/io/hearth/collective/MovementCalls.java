package io.hearth.collective;

import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The part of a {@link DistributedContext} that moves values as they are: all-gather, gather, scatter and broadcast, and between two
 * ranks, in every kind of memory.
 */
abstract sealed class MovementCalls extends ReductionCalls permits DistributedContext {
    MovementCalls(DistributedBackend backend, CollectiveOptions options) {
        super(backend, options);
    }

    /**
     * Gives all ranks the blocks of all, in rank order.
     *
     * @param block this rank's
     * @param gathered {@code block.length * worldSize()} or more; after a loss filled from the front, with as many blocks as the
     *     result has contributors
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult allGather(float[] block, float[] gathered) throws CollectiveException {
        return backend.allGather(
                MemorySegment.ofArray(block), MemorySegment.ofArray(gathered), DataType.FLOAT32, options);
    }

    /** As {@link #allGather(float[], float[])}, for doubles. */
    public CollectiveResult allGather(double[] block, double[] gathered) throws CollectiveException {
        return backend.allGather(
                MemorySegment.ofArray(block), MemorySegment.ofArray(gathered), DataType.FLOAT64, options);
    }

    /** As {@link #allGather(float[], float[])}, for ints. */
    public CollectiveResult allGather(int[] block, int[] gathered) throws CollectiveException {
        return backend.allGather(
                MemorySegment.ofArray(block), MemorySegment.ofArray(gathered), DataType.INT32, options);
    }

    /** As {@link #allGather(float[], float[])}, for elements of a buffer. */
    public CollectiveResult allGather(ByteBuffer block, ByteBuffer gathered, DataType type) throws CollectiveException {
        return backend.allGather(Tensors.of(block, type), Tensors.of(gathered, type), type, options);
    }

    /** As {@link #allGather(float[], float[])}, for elements of any segment. */
    public CollectiveResult allGather(MemorySegment block, MemorySegment gathered, DataType type)
            throws CollectiveException {
        return backend.allGather(block, gathered, type, options);
    }

    /**
     * Gives {@code root} the blocks of all, in rank order. Returns only when it holds them.
     *
     * @param block this rank's
     * @param gathered at the root as for {@link #allGather(float[], float[])}; elsewhere of any size and unchanged
     * @param root 0 to {@code worldSize() - 1}, the same on all ranks
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult gather(float[] block, float[] gathered, int root) throws CollectiveException {
        return backend.gather(
                MemorySegment.ofArray(block), MemorySegment.ofArray(gathered), DataType.FLOAT32, root, options);
    }

    /** As {@link #gather(float[], float[], int)}, for doubles. */
    public CollectiveResult gather(double[] block, double[] gathered, int root) throws CollectiveException {
        return backend.gather(
                MemorySegment.ofArray(block), MemorySegment.ofArray(gathered), DataType.FLOAT64, root, options);
    }

    /** As {@link #gather(float[], float[], int)}, for ints. */
    public CollectiveResult gather(int[] block, int[] gathered, int root) throws CollectiveException {
        return backend.gather(
                MemorySegment.ofArray(block), MemorySegment.ofArray(gathered), DataType.INT32, root, options);
    }

    /** As {@link #gather(float[], float[], int)}, for elements of a buffer. */
    public CollectiveResult gather(ByteBuffer block, ByteBuffer gathered, DataType type, int root)
            throws CollectiveException {
        return backend.gather(Tensors.of(block, type), Tensors.of(gathered, type), type, root, options);
    }

    /** As {@link #gather(float[], float[], int)}, for elements of any segment. */
    public CollectiveResult gather(MemorySegment block, MemorySegment gathered, DataType type, int root)
            throws CollectiveException {
        return backend.gather(block, gathered, type, root, options);
    }

    /**
     * Gives each rank its block of the root's, in rank order. Returns only when all hold theirs.
     *
     * @param blocks {@code block.length * worldSize()} or more at the root; elsewhere of any size
     * @param block written
     * @param root 0 to {@code worldSize() - 1}, the same on all ranks
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult scatter(float[] blocks, float[] block, int root) throws CollectiveException {
        return backend.scatter(
                MemorySegment.ofArray(blocks), MemorySegment.ofArray(block), DataType.FLOAT32, root, options);
    }

    /** As {@link #scatter(float[], float[], int)}, for doubles. */
    public CollectiveResult scatter(double[] blocks, double[] block, int root) throws CollectiveException {
        return backend.scatter(
                MemorySegment.ofArray(blocks), MemorySegment.ofArray(block), DataType.FLOAT64, root, options);
    }

    /** As {@link #scatter(float[], float[], int)}, for ints. */
    public CollectiveResult scatter(int[] blocks, int[] block, int root) throws CollectiveException {
        return backend.scatter(
                MemorySegment.ofArray(blocks), MemorySegment.ofArray(block), DataType.INT32, root, options);
    }

    /** As {@link #scatter(float[], float[], int)}, for elements of a buffer. */
    public CollectiveResult scatter(ByteBuffer blocks, ByteBuffer block, DataType type, int root)
            throws CollectiveException {
        return backend.scatter(Tensors.of(blocks, type), Tensors.of(block, type), type, root, options);
    }

    /** As {@link #scatter(float[], float[], int)}, for elements of any segment. */
    public CollectiveResult scatter(MemorySegment blocks, MemorySegment block, DataType type, int root)
            throws CollectiveException {
        return backend.scatter(blocks, block, type, root, options);
    }

    /**
     * Replaces {@code values} on all ranks by those of {@code root}; returns when all hold them.
     *
     * @param values same length on all ranks; unchanged if this throws
     * @param root 0 to {@code worldSize() - 1}, the same on all ranks
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult broadcast(float[] values, int root) throws CollectiveException {
        return broadcast(MemorySegment.ofArray(values), root);
    }

    /** As {@link #broadcast(float[], int)}, for float32 values in any segment. */
    public CollectiveResult broadcast(MemorySegment values, int root) throws CollectiveException {
        return broadcast(values, root, options);
    }

    /** As {@link #broadcast(float[], int)}, for float32 values in any segment, with options. */
    public CollectiveResult broadcast(MemorySegment values, int root, CollectiveOptions options)
            throws CollectiveException {
        return backend.broadcast(values, DataType.FLOAT32, root, options);
    }

    /** As {@link #broadcast(float[], int)}, for doubles. */
    public CollectiveResult broadcast(double[] values, int root) throws CollectiveException {
        return backend.broadcast(MemorySegment.ofArray(values), DataType.FLOAT64, root, options);
    }

    /** As {@link #broadcast(float[], int)}, for ints. */
    public CollectiveResult broadcast(int[] values, int root) throws CollectiveException {
        return backend.broadcast(MemorySegment.ofArray(values), DataType.INT32, root, options);
    }

    /** As {@link #broadcast(float[], int)}, for elements of a buffer. */
    public CollectiveResult broadcast(ByteBuffer values, DataType type, int root) throws CollectiveException {
        return backend.broadcast(Tensors.of(values, type), type, root, options);
    }

    /** As {@link #broadcast(float[], int)}, for elements of any segment. */
    public CollectiveResult broadcast(MemorySegment values, DataType type, int root) throws CollectiveException {
        return backend.broadcast(values, type, root, options);
    }

    /**
     * Sends {@code values} to one other rank, which calls {@link #receive(float[], int)}; returns when it has them. No other rank has
     * to do anything, and a thread of its own may do this beside collectives; see {@link DistributedBackend#send}.
     *
     * @param values of the length that the other rank receives; not written
     * @param toRank 0 to {@code worldSize() - 1}, another one than this
     * @throws CollectiveException the subclass says what to do
     */
    public void send(float[] values, int toRank) throws CollectiveException {
        backend.send(MemorySegment.ofArray(values), DataType.FLOAT32, toRank, options);
    }

    /** As {@link #send(float[], int)}, for doubles. */
    public void send(double[] values, int toRank) throws CollectiveException {
        backend.send(MemorySegment.ofArray(values), DataType.FLOAT64, toRank, options);
    }

    /** As {@link #send(float[], int)}, for ints. */
    public void send(int[] values, int toRank) throws CollectiveException {
        backend.send(MemorySegment.ofArray(values), DataType.INT32, toRank, options);
    }

    /** As {@link #send(float[], int)}, for elements of a buffer. */
    public void send(ByteBuffer values, DataType type, int toRank) throws CollectiveException {
        backend.send(Tensors.of(values, type), type, toRank, options);
    }

    /** As {@link #send(float[], int)}, for elements of any segment. */
    public void send(MemorySegment values, DataType type, int toRank) throws CollectiveException {
        backend.send(values, type, toRank, options);
    }

    /**
     * Waits for what one other rank sends to this one with {@link #send(float[], int)}.
     *
     * @param values written when all is there; unchanged if this throws
     * @param fromRank 0 to {@code worldSize() - 1}, another one than this
     * @throws CollectiveException the subclass says what to do
     */
    public void receive(float[] values, int fromRank) throws CollectiveException {
        backend.receive(MemorySegment.ofArray(values), DataType.FLOAT32, fromRank, options);
    }

    /** As {@link #receive(float[], int)}, for doubles. */
    public void receive(double[] values, int fromRank) throws CollectiveException {
        backend.receive(MemorySegment.ofArray(values), DataType.FLOAT64, fromRank, options);
    }

    /** As {@link #receive(float[], int)}, for ints. */
    public void receive(int[] values, int fromRank) throws CollectiveException {
        backend.receive(MemorySegment.ofArray(values), DataType.INT32, fromRank, options);
    }

    /** As {@link #receive(float[], int)}, for elements of a buffer. */
    public void receive(ByteBuffer values, DataType type, int fromRank) throws CollectiveException {
        backend.receive(Tensors.of(values, type), type, fromRank, options);
    }

    /** As {@link #receive(float[], int)}, for elements of any segment. */
    public void receive(MemorySegment values, DataType type, int fromRank) throws CollectiveException {
        backend.receive(values, type, fromRank, options);
    }
}
