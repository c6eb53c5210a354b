package io.hearth.collective;

import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A group of processes that compute together. All ranks make the same calls in the same order.
 *
 * <p>A call that throws {@link CollectiveException} leaves its buffers as they were. One thread calls at a time; a second one gets an
 * {@link IllegalStateException}, but see {@link #send}.
 *
 * <p>Buffers are heap or native memory, little-endian, with a whole number of elements, and of the same size on all ranks unless said
 * otherwise. A buffer of {@code bytes * worldSize()} has one block for each rank, in rank order. If a member is lost during the call, the
 * buffer holds, from the front, one block for each remaining member, and the result says how many.
 */
public interface DistributedBackend extends AutoCloseable {
    /**
     * Whether this process is a member of the group. A process that has yet to enter a working group is not, nor is one that got a {@link
     * io.hearth.core.ReenterableException}; {@link #beginStep} makes it a member.
     */
    default boolean isInGroup() {
        return true;
    }

    /**
     * Rank of this process, 0 to {@code worldSize() - 1}.
     *
     * <p>Rank and world size come from the member list with which the newest call of this process ended, and change only at the end of a
     * call. So all continuing processes see the same world between two calls, although they learn of a loss at different moments: a loss
     * shows after the first call that ended without the lost member. Before the first call, rank and world size come from the newest known
     * members and may change at any time; a barrier settles them.
     *
     * @throws IllegalStateException the group is working, and this process has not entered it yet
     */
    int rank();

    /** Number of members of the group, this one included; changes as {@link #rank} does. */
    int worldSize();

    /**
     * Combines the values of all ranks, element by element; every rank ends with the same bytes.
     *
     * @param values in place; heap or native, little-endian, a whole number of elements; same size on all ranks
     * @param op how to combine; for AVG see {@link ReduceOp#AVG}: integers wrap and are truncated
     * @throws CollectiveException no result, and {@code values} as before; the subclass says what to do
     */
    CollectiveResult allReduce(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException;

    /**
     * As {@link #allReduce(MemorySegment, DataType, ReduceOp, CollectiveOptions)}, into another buffer.
     *
     * @param input not written
     * @param output of the same size; may be {@code input}. If it is another buffer, its content is undefined after a failure
     */
    CollectiveResult allReduce(
            MemorySegment input, MemorySegment output, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Combines many tensors in as few collectives as {@link CollectiveConfig#bucketBytes} allows.
     *
     * @param tensors in place; the same sizes in the same order on all ranks; else the call fails on all ranks and names the sizes of each.
     *     An empty list is a call like any other
     * @return the result of all of them together, with the smallest number of contributors of any
     */
    CollectiveResult allReduce(List<MemorySegment> tensors, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Begins an all-reduce and returns. It runs after all calls that this rank began before, one at a time ({@link Work}); later calls of
     * this rank run after it.
     *
     * @param values in place; heap, or native memory that all threads may use
     * @throws CollectiveException the backend is closed
     */
    Work allReduceAsync(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException, InterruptedException;

    /**
     * Begins any collective, as {@link #allReduceAsync} begins an all-reduce. Wrong arguments show at the end, when it has run.
     *
     * @param call makes one call of the backend that it gets, such as a broadcast, with heap memory or native memory that all threads may
     *     use
     * @throws CollectiveException the backend is closed
     */
    Work begin(Collective<DistributedBackend> call) throws CollectiveException, InterruptedException;

    /**
     * Combines the values of all ranks; every rank gets its share of the sum, at its place in the buffer. Shares are as even as possible,
     * the first ones longer. Returns only when all ranks hold theirs.
     *
     * @param values in place; unchanged outside this rank's share
     * @return the result, which says which elements are this rank's share
     */
    CollectiveResult reduceScatter(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Gives every rank the blocks of all ranks.
     *
     * @param block of this rank
     * @param gathered {@code block.byteSize() * worldSize()} bytes or more; written
     */
    CollectiveResult allGather(MemorySegment block, MemorySegment gathered, DataType type, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Gives every rank the blocks of all ranks, which may have different lengths. Shorter blocks travel as long as the longest one.
     *
     * @param block of this rank, of any length
     * @param gathered written from the front: one block after the other, in rank order
     * @return the number of elements of each rank's block, in rank order
     * @throws IllegalArgumentException {@code gathered} is too small; the other ranks have their result
     */
    List<Long> allGatherUnequal(MemorySegment block, MemorySegment gathered, DataType type, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Combines the values of all ranks at one rank. Returns only when the root holds the sum.
     *
     * @param values in place at the root, unchanged elsewhere
     * @param root as for {@link #broadcast}
     */
    CollectiveResult reduce(MemorySegment values, DataType type, ReduceOp op, int root, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Gives one rank the blocks of all ranks. Returns only when the root holds them.
     *
     * @param block of this rank
     * @param gathered at the root as for {@link #allGather}; elsewhere of any size and unchanged
     * @param root as for {@link #broadcast}
     */
    CollectiveResult gather(
            MemorySegment block, MemorySegment gathered, DataType type, int root, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Gives each rank its block of one rank's buffer. Returns only when all ranks hold theirs.
     *
     * @param blocks {@code block.byteSize() * worldSize()} bytes or more at the root; elsewhere of any size
     * @param block written
     * @param root as for {@link #broadcast}
     */
    CollectiveResult scatter(
            MemorySegment blocks, MemorySegment block, DataType type, int root, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Gives each rank one block of every rank's buffer: rank r gets block r of each. Returns only when all ranks hold theirs. If a member is
     * lost during the call, the blocks go to the remaining ranks as they are numbered then, and those behind the last one to nobody.
     *
     * @param blocks a block for each rank, in rank order, or more; not written
     * @param received a block from each rank, in rank order; as large as {@code blocks}, another memory
     * @param count elements of a block, the same on all ranks
     */
    CollectiveResult allToAll(
            MemorySegment blocks, MemorySegment received, long count, DataType type, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Replaces the values of all ranks by those of {@code root}. Returns only when all ranks hold them.
     *
     * @param values in place; as for {@link #allReduce}
     * @param root 0 to {@code worldSize() - 1}, the same on all ranks; numbered as by {@link #rank}, also if a member was lost since
     * @throws io.hearth.core.RootLostException the root was lost before all ranks held its values; thrown on all ranks alike
     * @throws CollectiveException no result; the subclass says what to do
     */
    CollectiveResult broadcast(MemorySegment values, DataType type, int root, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Returns once all ranks have called it.
     *
     * @throws CollectiveException not all ranks called it; the subclass says why
     */
    CollectiveResult barrier(CollectiveOptions options) throws CollectiveException;

    /**
     * Sends values to one other rank, which calls {@link #receive}; no other rank takes part. Returns when that rank has them. Each ordered
     * pair of ranks numbers its own transfers: they arrive in the order in which they were sent, each once. Transfers neither wait for
     * collectives nor delay them.
     *
     * <p>One send and one receive may run at a time between two ranks, from any thread, also during a collective. The loss of a member does
     * not fail the transfers of others: they restart in the next view. After an error other than a mismatch the values may have arrived or
     * not. In any case the next transfer of this pair is a new one, and this member stays in its group.
     *
     * @param values heap or native; not written, borrowed for the call
     * @param toRank another rank, 0 to {@code worldSize() - 1}, numbered as by {@link #rank}
     * @param options only the deadline is used
     * @throws io.hearth.core.CollectiveMismatchException the other rank waits for another type or size; thrown on both
     * @throws io.hearth.core.PeerLostException the other rank is no longer a member
     * @throws io.hearth.core.RemovedFromClusterException this rank is no longer a member
     * @throws io.hearth.core.DeadlineExceededException the deadline passed; the message says what the call waited for
     * @throws IllegalStateException another thread is sending to that rank
     * @throws CollectiveException interrupted, or the backend is closed
     */
    default void send(MemorySegment values, DataType type, int toRank, CollectiveOptions options)
            throws CollectiveException {
        send(values, type, peer(toRank), options);
    }

    /** As {@link #send(MemorySegment, DataType, int, CollectiveOptions)}, to the node that {@link #peer} named. */
    void send(MemorySegment values, DataType type, NodeId to, CollectiveOptions options) throws CollectiveException;

    /**
     * The node that has a rank now. Ranks can change before a transfer runs; the node of its peer does not.
     *
     * @param rank another rank, 0 to {@code worldSize() - 1}
     * @throws IllegalArgumentException no other node has this rank
     */
    NodeId peer(int rank);

    /**
     * Waits for the values that another rank sends to this one with {@link #send}, and returns when they are here. After an error other
     * than a mismatch, the next call receives the same transfer.
     *
     * @param values written at the end, all at once; unchanged if this throws. During the call the engine holds memory of the same size
     * @param fromRank as for {@link #send}
     * @param options only the deadline is used
     * @throws CollectiveException as for {@link #send}
     * @throws IllegalStateException another thread is receiving from that rank
     */
    default void receive(MemorySegment values, DataType type, int fromRank, CollectiveOptions options)
            throws CollectiveException {
        receive(values, type, peer(fromRank), options);
    }

    /** As {@link #receive(MemorySegment, DataType, int, CollectiveOptions)}, from the node that {@link #peer} named. */
    void receive(MemorySegment values, DataType type, NodeId from, CollectiveOptions options)
            throws CollectiveException;

    /**
     * Makes a subgroup, for collectives among some ranks. Its members call this with the same list at the same place among their calls; the
     * other ranks may. It sends nothing: the first call of the subgroup brings its members together. The calls of a group and of its
     * subgroups run one at a time, in one order, which must be the same on all ranks that have them in common. Otherwise they wait for each
     * other, and each gets a {@link io.hearth.core.CollectiveMismatchException} soon.
     *
     * <p>Ranks in the subgroup are places in the list, without the members that were lost. After a loss its calls recover as those of the
     * group do. A process that enters the group later is in no earlier subgroup, nor is one that left the group and came back. A subgroup
     * has no steps, no shared state and no plan of its own; {@link #beginStep} and the like throw {@link IllegalStateException}. Closing it
     * sends nothing either, and leaves the group as it is.
     *
     * @param ranks of this group, one or more, each once; at most 32 subgroups at a time may have this rank
     * @return the subgroup; empty if this rank is not in the list
     * @throws CollectiveException the group is working, and this process has not entered it yet, or it was interrupted
     */
    Optional<DistributedBackend> split(List<Integer> ranks) throws CollectiveException;

    /** Whether {@link #split} made this. */
    default boolean isSubgroup() {
        return false;
    }

    /**
     * Names buffers that all ranks of the group keep identical, such as weights and the optimizer's state. When the next step begins, a
     * rank that enters, or whose buffers differ, gets the contents that the others hold. All ranks share the same names in the same order
     * before the same step.
     *
     * @param name 1 to 63 printable characters, unique
     * @param buffers heap or native, writable from any thread; the same sizes in the same order on all ranks; they still belong to the
     *     caller, and are accessed only inside {@link #beginStep}
     * @throws IllegalArgumentException the name is shared already, or a buffer cannot be shared
     */
    void share(String name, List<MemorySegment> buffers);

    /**
     * As {@link #share(String, List)}, for buffers that may change from step to step, such as those of an optimizer that allocates its state
     * in the first step.
     *
     * @param buffers asked at the beginning of each step, on the thread that calls {@link #beginStep}, which throws what it throws; while it
     *     names none, the name is not shared
     */
    void share(String name, Supplier<List<MemorySegment>> buffers);

    /**
     * Names a state of variable size that all ranks keep identical.
     *
     * @param bytesMax most bytes that it may have, 1 to 2^30, the same on all ranks
     */
    void share(String name, int bytesMax, StateBlob blob);

    /** Ends the sharing of a name, on all ranks before the same step; nothing if it is not shared. */
    void unshare(String name);

    /**
     * Declares the shared buffers to be the state after this many steps, as loaded from a checkpoint: the first step to begin has this
     * number. In a new group the step number of rank 0 counts, 0 if rank 0 did not call this. A rank that did not call this takes over the
     * number and the state of rank 0. If two ranks resume at different steps, {@link #beginStep} throws on all ranks and names both. In a
     * group that has begun steps already this call has no effect: this rank takes over the group's number and state.
     *
     * @param step 0 or more
     * @throws IllegalStateException the first step has begun
     */
    void resumeAt(long step);

    /**
     * Begins a step of the training, on all ranks together. When it returns, the results of all earlier calls are final, and all ranks hold
     * the same shared state. Trainers that come late enter here. A rank that got a {@link io.hearth.core.ReenterableException} returns to
     * its group by calling this again.
     *
     * @throws io.hearth.core.StateSyncException this rank did not receive the group's state; the others go on without it
     * @throws CollectiveException no step begins; the subclass says what to do
     */
    StepStart beginStep(CollectiveOptions options) throws CollectiveException;

    /**
     * Saves the memory of this rank's compressions, such as the residuals of the tensors that were summed so far. Keep it with the trained
     * state. It belongs to this rank and to no other one. Waits for the calls that were begun.
     *
     * @param arena allocates the memory
     * @return the bytes for {@link #restoreCompression}
     * @throws CollectiveException a call that was begun failed
     */
    MemorySegment saveCompression(Arena arena) throws CollectiveException;

    /**
     * Replaces the memory of this rank's compressions by the saved one. A rank whose shared state is replaced at the beginning of a step
     * clears this memory by itself, because its residuals belonged to another state.
     *
     * @param saved all bytes of one {@link #saveCompression}, in any memory; borrowed
     * @throws io.hearth.core.MalformedMessageException the bytes are no such memory, or another version wrote them; nothing has changed
     *     then
     * @throws CollectiveException a call that was begun failed
     */
    void restoreCompression(MemorySegment saved) throws CollectiveException, MalformedMessageException;

    /** Counters of this backend since its start. */
    CollectiveMetrics metricsSnapshot();

    /** Ends open calls with an error and frees everything; idempotent. */
    @Override
    void close();
}
