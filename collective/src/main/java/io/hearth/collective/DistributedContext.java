package io.hearth.collective;

import io.hearth.core.CollectiveException;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.core.ReenterableException;
import io.hearth.identity.NodeId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The API of a training script, over any backend: its rank in the group, and the collectives.
 *
 * <pre>{@code
 * float[] gradients = model.gradients(batch);
 * cluster.allReduce(gradients, ReduceOp.AVG);
 * model.step(gradients);
 * if (cluster.isLead()) {
 *     log(loss);
 * }
 * }</pre>
 *
 * <p>Every collective takes arrays of floats, or a {@link Tensor} of any type in any memory. The description of a collective of floats
 * holds for both. Sizes are the same on all ranks, 0 or more, unless said otherwise. A call that throws leaves its buffers as they were.
 *
 * <p>One thread uses a context at a time; a second one gets an {@link IllegalStateException}, and so does a call from a callback. Other
 * threads may send and receive meanwhile. A wrong argument, such as a rank that does not exist, causes an {@link IllegalArgumentException}
 * before anything is sent.
 */
public final class DistributedContext {
    private final DistributedBackend backend;
    private final CollectiveOptions options;
    private final Supplier<Optional<NodeId>> master;

    /** A context over a backend without a cluster. */
    public DistributedContext(DistributedBackend backend) {
        this(backend, Optional::empty);
    }

    /**
     * A context over a backend that belongs to a cluster.
     *
     * @param backend borrowed: its opener closes it
     * @param master supplies the cluster's master, which may be a node that trains nothing
     */
    public DistributedContext(DistributedBackend backend, Supplier<Optional<NodeId>> master) {
        this(backend, master, CollectiveOptions.DEFAULTS);
    }

    private DistributedContext(
            DistributedBackend backend, Supplier<Optional<NodeId>> master, CollectiveOptions options) {
        this.backend = backend;
        this.options = options;
        this.master = master;
    }

    /**
     * The same context with other default options, such as a deadline, a codec or a strategy; a call with options of its own ignores them.
     *
     * <pre>{@code
     * cluster.with(CollectiveOptions.DEFAULTS.within(Duration.ofSeconds(5))).broadcast(counts, 0);
     * }</pre>
     */
    public DistributedContext with(CollectiveOptions chosen) {
        return new DistributedContext(backend, master, chosen);
    }

    /**
     * Rank of this process in its group, 0 to {@code worldSize() - 1}. It stays the same between the end of one call and the end of the
     * next. It may change in a call that ends without a lost member: read it again before you divide data among the ranks.
     *
     * @throws IllegalStateException the group was working before this process joined, and the process has to enter by {@link #beginStep()}
     */
    public int rank() {
        return backend.rank();
    }

    /**
     * Number of members with which the newest call ended, this one included; the same on all ranks between two calls. Changes as {@link
     * #rank()} does.
     */
    public int worldSize() {
        return backend.worldSize();
    }

    /**
     * Whether this is rank 0, the lead of its group: exactly one of the members with which the newest call ended, the one to log and to
     * save. A process outside the group, because it has not entered yet or was removed, is not the lead.
     */
    public boolean isLead() {
        return backend.isInGroup() && rank() == 0;
    }

    /** The same as {@link #isLead()}. The master of the cluster's view is {@link #clusterMaster()}, which may be another node. */
    public boolean isMaster() {
        return isLead();
    }

    /**
     * Whether this process is a member of the group: not before it enters a working group by {@link #beginStep()}, and not between a {@link
     * ReenterableException} and the next {@link #beginStep()}.
     */
    public boolean isInGroup() {
        return backend.isInGroup();
    }

    /** The master of the cluster's view, if the backend belongs to a cluster. */
    public Optional<NodeId> clusterMaster() {
        return master.get();
    }

    /**
     * Names arrays that all ranks keep identical, such as weights and the optimizer's state. A rank that enters later gets the contents that
     * the others hold. All ranks share the same names in the same order before the same step, usually before the first one.
     *
     * @param name 1 to 63 printable characters, unique
     * @param arrays the same lengths in the same order on all ranks; kept, and written only inside {@link #beginStep()}
     * @throws IllegalArgumentException the name is shared already
     */
    public void share(String name, float[]... arrays) {
        share(name, Arrays.stream(arrays).map(Tensor::of).toArray(Tensor[]::new));
    }

    /** As {@link #share(String, float[][])}, for tensors in memory that all threads may use. */
    public void share(String name, Tensor... tensors) {
        backend.share(name, Arrays.stream(tensors).map(Tensor::memory).toList());
    }

    /**
     * As {@link #share(String, Tensor...)}, for tensors that may change from step to step, such as those of an optimizer that allocates its
     * state in the first step.
     *
     * @param tensors asked at the beginning of each step, on the thread that calls {@link #beginStep()}
     */
    public void share(String name, Supplier<List<Tensor>> tensors) {
        backend.share(name, () -> tensors.get().stream().map(Tensor::memory).toList());
    }

    /**
     * Names a state of variable size that all ranks keep identical, such as the position of a sampler.
     *
     * @param bytesMax most bytes that it may have, 1 to 2^30, the same on all ranks
     */
    public void share(String name, int bytesMax, StateBlob blob) {
        backend.share(name, bytesMax, blob);
    }

    /** Ends the sharing of a name, on all ranks before the same step; nothing if it is not shared. */
    public void unshare(String name) {
        backend.unshare(name);
    }

    /**
     * Resumes from a checkpoint: the shared arrays are the state after this many steps, and the first step to begin has this number.
     *
     * <pre>{@code
     * cluster.share("weights", model.weights());
     * checkpoint.ifPresent(saved -> {
     *     model.load(saved);
     *     cluster.resumeAt(saved.step());
     * });
     * long step = cluster.beginStep().step();
     * }</pre>
     *
     * <p>In a new group the step number of rank 0 counts, 0 if rank 0 did not call this. A rank that did not call this takes over the
     * number and the state of rank 0. If two ranks resume at different steps, {@link #beginStep()} throws a {@link
     * io.hearth.core.CollectiveMismatchException} on all ranks that names both. A rank that joins a group which has begun steps already
     * takes over that group's number and state; its own step number is ignored.
     *
     * @param step 0 or more
     * @throws IllegalStateException the first step has begun
     */
    public void resumeAt(long step) {
        backend.resumeAt(step);
    }

    /**
     * Begins a step, on all ranks together. When it returns, all results of earlier steps are final (the moment to save and to report), all
     * ranks hold the same shared state, and trainers that came late have entered:
     *
     * <pre>{@code
     * cluster.share("weights", model.weights());
     * for (long step = cluster.beginStep().step(); step < steps; step = cluster.beginStep().step()) {
     *     float[] gradients = model.gradients(batches.of(step, cluster.rank(), cluster.worldSize()));
     *     cluster.allReduce(gradients, ReduceOp.AVG);
     *     model.step(gradients);
     * }
     * }</pre>
     *
     * <p>After a {@link ReenterableException} from any call, call this again: it takes this rank back into its group.
     *
     * @return the number of the step; a rank that enters takes it over from the others
     * @throws CollectiveException no step begins; the subclass says what to do
     */
    public StepStart beginStep() throws CollectiveException {
        return beginStep(options);
    }

    /** As {@link #beginStep()}, with options; the deadline includes the time that this rank waits to enter. */
    public StepStart beginStep(CollectiveOptions options) throws CollectiveException {
        return backend.beginStep(options);
    }

    /** As {@link DistributedBackend#saveCompression}: saves the memory of this rank's compressions, to be kept with the trained state. */
    public MemorySegment saveCompression(Arena arena) throws CollectiveException {
        return backend.saveCompression(arena);
    }

    /**
     * As {@link DistributedBackend#restoreCompression}.
     *
     * @throws MalformedMessageException as there
     * @throws CollectiveException as there
     */
    public void restoreCompression(MemorySegment saved) throws CollectiveException, MalformedMessageException {
        backend.restoreCompression(saved);
    }

    /**
     * Combines {@code values} over all ranks, in place. All ranks end with the same bits.
     *
     * @param values same length on all ranks, 0 or more; unchanged if this throws
     * @param op how to combine; AVG divides by the number of ranks that contributed, after the sum, which must fit into the type: see
     *     {@link ReduceOp#AVG}
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult allReduce(float[] values, ReduceOp op) throws CollectiveException {
        return allReduce(Tensor.of(values), op);
    }

    /** As {@link #allReduce(float[], ReduceOp)}, with options. */
    public CollectiveResult allReduce(float[] values, ReduceOp op, CollectiveOptions options)
            throws CollectiveException {
        return allReduce(Tensor.of(values), op, options);
    }

    /** As {@link #allReduce(float[], ReduceOp)}, for any values. */
    public CollectiveResult allReduce(Tensor values, ReduceOp op) throws CollectiveException {
        return allReduce(values, op, options);
    }

    /** As {@link #allReduce(float[], ReduceOp)}, for any values, with options. */
    public CollectiveResult allReduce(Tensor values, ReduceOp op, CollectiveOptions options)
            throws CollectiveException {
        return backend.allReduce(values.memory(), values.type(), op, options);
    }

    /**
     * As {@link #allReduce(float[], ReduceOp)}, into another array.
     *
     * @param input not written
     * @param output of the same length; may be {@code input}
     */
    public CollectiveResult allReduce(float[] input, float[] output, ReduceOp op) throws CollectiveException {
        return allReduce(Tensor.of(input), Tensor.of(output), op);
    }

    /** As {@link #allReduce(float[], float[], ReduceOp)}, for any values. */
    public CollectiveResult allReduce(Tensor input, Tensor output, ReduceOp op) throws CollectiveException {
        return backend.allReduce(input.memory(), output.memory(), input.typeWith(output), op, options);
    }

    /**
     * Combines many arrays in one call, in place; small ones travel together.
     *
     * @param tensors the same sizes in the same order on all ranks, none or more; all are written, or none if this throws
     * @return the result of all of them together, with the smallest number of contributors of any
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult allReduce(float[][] tensors, ReduceOp op) throws CollectiveException {
        return allReduce(Arrays.stream(tensors).map(Tensor::of).toList(), op);
    }

    /**
     * As {@link #allReduce(float[][], ReduceOp)}, for any values.
     *
     * @param tensors all of one type; an empty list counts as float32
     */
    public CollectiveResult allReduce(List<Tensor> tensors, ReduceOp op) throws CollectiveException {
        return backend.allReduce(tensors.stream().map(Tensor::memory).toList(), Tensor.typeOf(tensors), op, options);
    }

    /**
     * Begins an all-reduce in place and returns. It runs after all calls that this rank began before, one at a time ({@link Work}). Later
     * calls of this rank run after it, and end after it.
     *
     * @param values belong to the collective until it has ended
     * @throws CollectiveException nothing was begun, because the backend is closed
     * @throws InterruptedException nothing was begun: too many calls were open, and this thread was interrupted while it waited
     */
    public Work allReduceAsync(float[] values, ReduceOp op) throws CollectiveException, InterruptedException {
        return allReduceAsync(Tensor.of(values), op);
    }

    /** As {@link #allReduceAsync(float[], ReduceOp)}, for any values. */
    public Work allReduceAsync(Tensor values, ReduceOp op) throws CollectiveException, InterruptedException {
        return backend.allReduceAsync(values.memory(), values.type(), op, options);
    }

    /**
     * Combines {@code values} over all ranks; each rank gets its share of the result, at its place in the array. Shares are as even as
     * possible, the first ones longer. Returns only when all ranks hold theirs.
     *
     * @param values unchanged outside this rank's share
     * @return the result, which says which elements are this rank's share
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult reduceScatter(float[] values, ReduceOp op) throws CollectiveException {
        return reduceScatter(Tensor.of(values), op);
    }

    /** As {@link #reduceScatter(float[], ReduceOp)}, for any values. */
    public CollectiveResult reduceScatter(Tensor values, ReduceOp op) throws CollectiveException {
        return backend.reduceScatter(values.memory(), values.type(), op, options);
    }

    /**
     * Combines {@code values} over all ranks at {@code root}. Returns only when the root holds the result.
     *
     * @param values in place at the root, unchanged elsewhere
     * @param root 0 to {@code worldSize() - 1}, the same on all ranks
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult reduce(float[] values, ReduceOp op, int root) throws CollectiveException {
        return reduce(Tensor.of(values), op, root);
    }

    /** As {@link #reduce(float[], ReduceOp, int)}, for any values. */
    public CollectiveResult reduce(Tensor values, ReduceOp op, int root) throws CollectiveException {
        return backend.reduce(values.memory(), values.type(), op, root, options);
    }

    /**
     * Gives every rank the blocks of all ranks, in rank order.
     *
     * @param block of this rank
     * @param gathered {@code block.length * worldSize()} or more elements; after a loss filled from the front, with as many blocks as the
     *     result has contributors
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult allGather(float[] block, float[] gathered) throws CollectiveException {
        return allGather(Tensor.of(block), Tensor.of(gathered));
    }

    /** As {@link #allGather(float[], float[])}, for any values. */
    public CollectiveResult allGather(Tensor block, Tensor gathered) throws CollectiveException {
        return backend.allGather(block.memory(), gathered.memory(), block.typeWith(gathered), options);
    }

    /**
     * Gives {@code root} the blocks of all ranks, in rank order. Returns only when the root holds them.
     *
     * @param block of this rank
     * @param gathered at the root as for {@link #allGather(float[], float[])}; elsewhere of any size and unchanged
     * @param root 0 to {@code worldSize() - 1}, the same on all ranks
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult gather(float[] block, float[] gathered, int root) throws CollectiveException {
        return gather(Tensor.of(block), Tensor.of(gathered), root);
    }

    /** As {@link #gather(float[], float[], int)}, for any values. */
    public CollectiveResult gather(Tensor block, Tensor gathered, int root) throws CollectiveException {
        return backend.gather(block.memory(), gathered.memory(), block.typeWith(gathered), root, options);
    }

    /**
     * Gives each rank its block of the root's array, in rank order. Returns only when all ranks hold theirs.
     *
     * @param blocks {@code block.length * worldSize()} or more elements at the root; elsewhere of any size
     * @param block written
     * @param root 0 to {@code worldSize() - 1}, the same on all ranks
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult scatter(float[] blocks, float[] block, int root) throws CollectiveException {
        return scatter(Tensor.of(blocks), Tensor.of(block), root);
    }

    /** As {@link #scatter(float[], float[], int)}, for any values. */
    public CollectiveResult scatter(Tensor blocks, Tensor block, int root) throws CollectiveException {
        return backend.scatter(blocks.memory(), block.memory(), blocks.typeWith(block), root, options);
    }

    /**
     * Replaces {@code values} on all ranks by those of {@code root}; returns when all ranks hold them.
     *
     * @param values same length on all ranks; unchanged if this throws
     * @param root 0 to {@code worldSize() - 1}, the same on all ranks
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult broadcast(float[] values, int root) throws CollectiveException {
        return broadcast(Tensor.of(values), root);
    }

    /** As {@link #broadcast(float[], int)}, for any values. */
    public CollectiveResult broadcast(Tensor values, int root) throws CollectiveException {
        return broadcast(values, root, options);
    }

    /** As {@link #broadcast(float[], int)}, for any values, with options. */
    public CollectiveResult broadcast(Tensor values, int root, CollectiveOptions options) throws CollectiveException {
        return backend.broadcast(values.memory(), values.type(), root, options);
    }

    /**
     * Sends {@code values} to one other rank, which calls {@link #receive(float[], int)}; returns when that rank has them. No other rank
     * takes part, and a separate thread may do this during collectives; see {@link DistributedBackend#send}.
     *
     * @param values of the length that the other rank receives; not written
     * @param toRank another rank, 0 to {@code worldSize() - 1}
     * @throws CollectiveException not transferred; the subclass says what to do
     */
    public void send(float[] values, int toRank) throws CollectiveException {
        send(Tensor.of(values), toRank);
    }

    /** As {@link #send(float[], int)}, for any values. */
    public void send(Tensor values, int toRank) throws CollectiveException {
        send(values, peer(toRank));
    }

    /** As {@link #send(float[], int)}, for any values, to the node that {@link #peer} named. */
    public void send(Tensor values, NodeId to) throws CollectiveException {
        backend.send(values.memory(), values.type(), to, options);
    }

    /**
     * The node that has a rank now, for a transfer that runs later: ranks can change in between; see {@link DistributedBackend#peer}.
     *
     * @throws IllegalArgumentException no other node has this rank
     */
    public NodeId peer(int rank) {
        return backend.peer(rank);
    }

    /**
     * Waits for the values that another rank sends to this one with {@link #send(float[], int)}.
     *
     * @param values written once all have arrived; unchanged if this throws
     * @param fromRank another rank, 0 to {@code worldSize() - 1}
     * @throws CollectiveException not transferred; the subclass says what to do
     */
    public void receive(float[] values, int fromRank) throws CollectiveException {
        receive(Tensor.of(values), fromRank);
    }

    /** As {@link #receive(float[], int)}, for any values. */
    public void receive(Tensor values, int fromRank) throws CollectiveException {
        receive(values, peer(fromRank));
    }

    /** As {@link #receive(float[], int)}, for any values, from the node that {@link #peer} named. */
    public void receive(Tensor values, NodeId from) throws CollectiveException {
        backend.receive(values.memory(), values.type(), from, options);
    }

    /** As {@link #allGather(float[], float[])}, with blocks of different lengths; see {@link DistributedBackend#allGatherUnequal}. */
    public List<Long> allGatherUnequal(float[] block, float[] gathered) throws CollectiveException {
        return allGatherUnequal(Tensor.of(block), Tensor.of(gathered));
    }

    /** As {@link #allGatherUnequal(float[], float[])}, for any values. */
    public List<Long> allGatherUnequal(Tensor block, Tensor gathered) throws CollectiveException {
        return backend.allGatherUnequal(block.memory(), gathered.memory(), block.typeWith(gathered), options);
    }

    /**
     * Gives each rank one block of every rank's array; see {@link DistributedBackend#allToAll}.
     *
     * @param blocks {@code count * worldSize()} values, one block for each rank in rank order; not written
     * @param received of the same length; one block from each rank in rank order
     * @param count values of a block
     */
    public CollectiveResult allToAll(float[] blocks, float[] received, long count) throws CollectiveException {
        return allToAll(Tensor.of(blocks), Tensor.of(received), count);
    }

    /** As {@link #allToAll(float[], float[], long)}, for any values. */
    public CollectiveResult allToAll(Tensor blocks, Tensor received, long count) throws CollectiveException {
        return backend.allToAll(blocks.memory(), received.memory(), count, blocks.typeWith(received), options);
    }

    /**
     * Returns once all ranks have called it.
     *
     * @throws CollectiveException not all ranks called it; the subclass says why
     */
    public CollectiveResult barrier() throws CollectiveException {
        return barrier(options);
    }

    /** As {@link #barrier()}, with options. */
    public CollectiveResult barrier(CollectiveOptions options) throws CollectiveException {
        return backend.barrier(options);
    }

    /**
     * Begins any collective, as {@link #allReduceAsync} begins an all-reduce. A root is a rank of the moment in which it begins: if that rank
     * is lost before the call runs, the call ends as that of a lost root does, though another rank has the number by then.
     *
     * <pre>{@code
     * Work work = cluster.begin(ranks -> ranks.broadcast(weights, 0));
     * }</pre>
     *
     * @param call makes one call of the context that it gets, with arrays or memory that all threads may use
     * @throws CollectiveException the backend is closed
     */
    public Work begin(Collective<DistributedContext> call) throws CollectiveException, InterruptedException {
        return backend.begin(ranks -> call.on(new DistributedContext(ranks, master, options)));
    }

    /**
     * Makes a subgroup of some ranks; see {@link DistributedBackend#split}.
     *
     * <pre>{@code
     * int node = cluster.rank() / 2;
     * DistributedContext pair = cluster.split(List.of(2 * node, 2 * node + 1)).orElseThrow();
     * pair.allReduce(gradients, ReduceOp.SUM);
     * }</pre>
     *
     * @param ranks by their place in the subgroup
     * @return a context of the subgroup, with the options of this one; empty if this rank is not in the list
     */
    public Optional<DistributedContext> split(List<Integer> ranks) throws CollectiveException {
        return backend.split(ranks).map(some -> new DistributedContext(some, master, options));
    }

    /** Whether {@link #split} made this context. */
    public boolean isSubgroup() {
        return backend.isSubgroup();
    }

    /**
     * Ends a subgroup on this rank, when it needs it no more; only for a context that {@link #split} made. A call that runs goes on. Its
     * memory is freed by the next step, or the next {@link #split} after a call of the whole group.
     */
    public void closeSubgroup() {
        if (!isSubgroup()) {
            throw new IllegalStateException("this is a whole group: close its AutoDiscoveryBackend instead");
        }
        backend.close();
    }

    /** Counters of the backend since its start. */
    public CollectiveMetrics metricsSnapshot() {
        return backend.metricsSnapshot();
    }
}
