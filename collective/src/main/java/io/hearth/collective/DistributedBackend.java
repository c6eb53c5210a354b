package io.hearth.collective;

import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * A group of processes that compute together. All ranks make the same calls in the same order.
 *
 * <p>A call that throws {@link CollectiveException} leaves its buffer as it was. One thread calls at a time; a second one gets
 * an {@link IllegalStateException}.
 */
public interface DistributedBackend extends AutoCloseable {
    /** This process's place, 0 to {@code worldSize() - 1}; may change when a member is lost. */
    int rank();

    /** Members of the group now, this one included. */
    int worldSize();

    /**
     * Combines the values of all ranks, element by element; every rank ends with the same bytes.
     *
     * @param values in place; heap or native, little-endian, a whole number of elements; same size on all ranks
     * @throws CollectiveException no result; the subclass says what to do
     */
    CollectiveResult allReduce(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Replaces the values of all ranks by those of {@code root}. Returns only when all hold them.
     *
     * @param values in place; as for {@link #allReduce}
     * @param root 0 to {@code worldSize() - 1}, the same on all ranks
     * @throws CollectiveException no result; the subclass says what to do
     */
    CollectiveResult broadcast(MemorySegment values, DataType type, int root, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Returns when all ranks called it.
     *
     * @throws CollectiveException they did not; the subclass says why
     */
    void barrier(CollectiveOptions options) throws CollectiveException;

    /** What this backend did so far. */
    CollectiveMetrics metricsSnapshot();

    /** Ends open calls with an error and frees everything; idempotent. */
    @Override
    void close();
}
