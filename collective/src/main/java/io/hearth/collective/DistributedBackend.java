package io.hearth.collective;

import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A group of processes that compute together. All ranks make the same calls in the same order.
 *
 * <p>A call that throws {@link CollectiveException} leaves its buffers as they were. One thread calls at a time; a second one gets
 * an {@link IllegalStateException}, but see {@link #send}. Buffers are heap or native, little-endian, a whole number of elements, of the same size on all
 * ranks unless said otherwise. Those of {@code bytes * worldSize()} have one block for each rank, in rank order; where a member is
 * lost meanwhile, they are filled from the front with a block for each that is left, and the result says how many.
 */
public interface DistributedBackend extends AutoCloseable {
    /**
     * Whether this process is a member of the group. It is not before it entered a group at work, and after a
     * {@link io.hearth.core.ReenterableException}, until {@link #beginStep}.
     */
    default boolean isInGroup() {
        return true;
    }

    /**
     * This process's place, 0 to {@code worldSize() - 1}.
     *
     * <p>Place and world size are those of the members with whom the newest call of this process ended, and change only at the
     * end of a call. So between two calls all processes that go on see the same world, each its own place in it, although they
     * learn of a loss at different moments: it shows after the first call that ended without the lost one. Before the first
     * call they are those of the newest known members, and may change at any time; a barrier settles them.
     *
     * @throws IllegalStateException the group is at work, and this process has not entered it yet
     */
    int rank();

    /** Members of the group, this one included; as for {@link #rank}. */
    int worldSize();

    /**
     * Combines the values of all ranks, element by element; every rank ends with the same bytes.
     *
     * @param values in place; heap or native, little-endian, a whole number of elements; same size on all ranks
     * @param op how; for AVG see {@link ReduceOp#AVG}: integers wrap and are truncated
     * @throws CollectiveException no result, and {@code values} as before; the subclass says what to do
     */
    CollectiveResult allReduce(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException;

    /**
     * As {@link #allReduce(MemorySegment, DataType, ReduceOp, CollectiveOptions)}, into another buffer.
     *
     * @param input not written
     * @param output of the same size; may be {@code input}. Another one holds anything after a failure
     */
    CollectiveResult allReduce(
            MemorySegment input, MemorySegment output, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Combines many tensors in as few collectives as {@link CollectiveConfig#bucketBytes} allows.
     *
     * @param tensors in place; the same sizes in the same order on all ranks, or all are told who has which. No tensors are a call
     *     like any other
     * @return of all of them together: the fewest contributors of any
     */
    CollectiveResult allReduce(List<MemorySegment> tensors, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Begins an all-reduce and returns; it runs after all that this rank began before, one at a time ({@link Work}), and other calls of
     * this rank come after it.
     *
     * @param values in place; heap, or native memory that all threads may use
     * @throws CollectiveException the backend is closed
     */
    Work allReduceAsync(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException, InterruptedException;

    /**
     * Combines the values of all ranks; every rank gets its share of the sum, where it lies in the buffer. Shares are as even as
     * they can be, the first ones longer. Returns only when all hold theirs.
     *
     * @param values in place; outside the own share they are unchanged
     * @return says which elements are the own share
     */
    CollectiveResult reduceScatter(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Gives all ranks the blocks of all.
     *
     * @param block this rank's
     * @param gathered {@code block.byteSize() * worldSize()} bytes or more; written
     */
    CollectiveResult allGather(MemorySegment block, MemorySegment gathered, DataType type, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Combines the values of all ranks at one. Returns only when the root holds the sum.
     *
     * @param values in place at the root, unchanged elsewhere
     * @param root as for {@link #broadcast}
     */
    CollectiveResult reduce(MemorySegment values, DataType type, ReduceOp op, int root, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Gives one rank the blocks of all. Returns only when the root holds them.
     *
     * @param block this rank's
     * @param gathered at the root as for {@link #allGather}; elsewhere of any size and unchanged
     * @param root as for {@link #broadcast}
     */
    CollectiveResult gather(
            MemorySegment block, MemorySegment gathered, DataType type, int root, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Gives each rank its block of one rank's buffer. Returns only when all hold theirs.
     *
     * @param blocks {@code block.byteSize() * worldSize()} bytes or more at the root; elsewhere of any size
     * @param block written
     * @param root as for {@link #broadcast}
     */
    CollectiveResult scatter(
            MemorySegment blocks, MemorySegment block, DataType type, int root, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Replaces the values of all ranks by those of {@code root}. Returns only when all hold them.
     *
     * @param values in place; as for {@link #allReduce}
     * @param root 0 to {@code worldSize() - 1}, the same on all ranks; as {@link #rank} counts, whoever was lost since
     * @throws io.hearth.core.PeerLostException the root was lost before all held its values; on all ranks alike
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

    /**
     * Sends values to one other rank, which calls {@link #receive}; no other rank has to do anything. Returns when that rank has
     * them. Each ordered pair of ranks counts its own transfers: they arrive in the order in which they were sent, each once, and
     * neither wait for collectives nor hold them up.
     *
     * <p>One send and one receive at a time between two ranks, from any thread, beside a collective. A member that is lost does not
     * touch the transfers of others: they go on in the next view, from the start. After an error other than a mismatch the values may have
     * arrived or not; the next transfer of this pair is a new one in any case, and this member stays in its group.
     *
     * @param values heap or native; not written, borrowed for the call
     * @param toRank 0 to {@code worldSize() - 1}, as {@link #rank} counts, another one than this
     * @param options of which the deadline counts
     * @throws io.hearth.core.CollectiveMismatchException the other rank waits for another type or size; both hear so
     * @throws io.hearth.core.PeerLostException the other rank is no member any more
     * @throws io.hearth.core.RemovedFromClusterException this rank is none any more
     * @throws io.hearth.core.DeadlineExceededException says what it waited for
     * @throws IllegalStateException another thread is sending to that rank
     * @throws CollectiveException interrupted, or the backend is closed
     */
    void send(MemorySegment values, DataType type, int toRank, CollectiveOptions options) throws CollectiveException;

    /**
     * Waits for what one other rank sends to this one with {@link #send}, and returns when it is here. An error other than a mismatch
     * leaves what is being sent to the next call.
     *
     * @param values written at the end and at once; unchanged if this throws. As long as the call, the engine has memory of the same
     *     size
     * @param fromRank as for {@link #send}
     * @param options of which the deadline counts
     * @throws CollectiveException as for {@link #send}
     * @throws IllegalStateException another thread is receiving from that rank
     */
    void receive(MemorySegment values, DataType type, int fromRank, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Names buffers that all ranks of the group keep alike, such as weights and the optimizer's memory: a rank that enters, or
     * whose buffers differ, gets what the others hold when the next step begins.
     *
     * @param name 1 to 63 printable characters, unique
     * @param buffers heap or native, writable from any thread; the same sizes in the same order on all ranks; they stay the
     *     caller's and are touched only inside {@link #beginStep}
     * @throws IllegalStateException the first step has begun
     */
    void share(String name, List<MemorySegment> buffers);

    /**
     * Says that what is shared is the state after this many steps, as a checkpoint holds it: the first step to begin has this number.
     * In a new group the step number of rank 0 counts, 0 if it said none. A rank that said none takes over number and state of
     * rank 0; if two ranks begin at different steps, {@link #beginStep} throws on all ranks and names both. In a group that
     * has begun steps already it changes nothing: this rank takes over the group's number and state.
     *
     * @param step 0 or more
     * @throws IllegalStateException the first step has begun
     */
    void resumeAt(long step);

    /**
     * Begins a step of the training, on all ranks together. When it returns, the results of all earlier calls are final, and
     * all ranks hold the same shared state. Trainers that came late enter here; a rank that was given a
     * {@link io.hearth.core.ReenterableException} comes back by calling this again.
     *
     * @throws io.hearth.core.StateSyncException the group's state did not get here; the others go on without this rank
     * @throws CollectiveException no step begins; the subclass says what to do
     */
    StepStart beginStep(CollectiveOptions options) throws CollectiveException;

    /**
     * What compressions remember of the tensors that were summed so far, such as what is owed to them: to be kept with the trained
     * state. It is this rank's own, and no other rank's. Waits for the calls that were begun.
     *
     * @param arena where the memory comes from
     * @return for {@link #restoreCompression}
     * @throws CollectiveException a call that was begun failed
     */
    MemorySegment saveCompression(Arena arena) throws CollectiveException;

    /**
     * Remembers what was saved, and nothing else. A rank whose shared state is replaced at the beginning of a step forgets all by
     * itself, because what it owed belonged to another state.
     *
     * @param saved all bytes of one {@link #saveCompression}, from anywhere; borrowed
     * @throws io.hearth.core.MalformedMessageException if it is none, or was made by another version; nothing has changed then
     * @throws CollectiveException a call that was begun failed
     */
    void restoreCompression(MemorySegment saved) throws CollectiveException, MalformedMessageException;

    /** What this backend did so far. */
    CollectiveMetrics metricsSnapshot();

    /** Ends open calls with an error and frees everything; idempotent. */
    @Override
    void close();
}
