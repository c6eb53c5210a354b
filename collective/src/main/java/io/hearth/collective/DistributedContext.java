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
 * What a training script holds: its place in the group, and the collectives, over any backend.
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
 * <p>Every collective takes arrays of floats, or a {@link Tensor} of any type in any memory. What is said of a collective of floats
 * holds for all of them. Sizes are the same on all ranks, 0 or more, unless said otherwise. A call that
 * throws leaves its buffers as they were.
 *
 * <p>One thread uses a context at a time; a second one gets an {@link IllegalStateException}, and so does a call out of a callback.
 * Other threads may send and receive meanwhile.
 * What is wrong with a call itself, such as a rank that does not exist, gets an {@link IllegalArgumentException} before anything
 * is sent.
 */
public final class DistributedContext {
    private final DistributedBackend backend;
    private final CollectiveOptions options;
    private final Supplier<Optional<NodeId>> master;

    /** Over a backend that knows no cluster around its group. */
    public DistributedContext(DistributedBackend backend) {
        this(backend, Optional::empty);
    }

    /**
     * Over a backend within a cluster.
     *
     * @param backend borrowed: whoever opened it closes it
     * @param master asked for the cluster's master, which may be a node that trains nothing
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
     * The same context with other options for all its calls that are not given their own: a deadline, a codec, a strategy.
     *
     * <pre>{@code
     * cluster.with(CollectiveOptions.DEFAULTS.within(Duration.ofSeconds(5))).broadcast(counts, 0);
     * }</pre>
     */
    public DistributedContext with(CollectiveOptions chosen) {
        return new DistributedContext(backend, master, chosen);
    }

    /**
     * This process's place in its group, 0 to {@code worldSize() - 1}. It stays between the end of one call and the end of the
     * next, and may be another one after a call that ended without a lost member: ask again where data are dealt out anew.
     *
     * @throws IllegalStateException the group was at work before this process came, which has to enter by {@link #beginStep()}
     */
    public int rank() {
        return backend.rank();
    }

    /** Members of the group with whom the newest call ended, this one included; the same on all ranks between two calls. As {@link #rank()}. */
    public int worldSize() {
        return backend.worldSize();
    }

    /**
     * Whether this is rank 0, the lead of its group: exactly one of those with whom the newest call ended, the one to log and to
     * save. A process that is not in the group, because it has not entered it yet or was removed, is not.
     */
    public boolean isLead() {
        return backend.isInGroup() && rank() == 0;
    }

    /** The same as {@link #isLead()}. The master of the cluster's view is {@link #clusterMaster()}, which may be another node. */
    public boolean isMaster() {
        return isLead();
    }

    /**
     * Whether this process is a member of the group: not before it entered a group at work by {@link #beginStep()}, and not between a
     * {@link ReenterableException} and the next {@link #beginStep()}.
     */
    public boolean isInGroup() {
        return backend.isInGroup();
    }

    /** The master of the cluster's view, if the backend lives in a cluster. */
    public Optional<NodeId> clusterMaster() {
        return master.get();
    }

    /**
     * Names arrays that all ranks keep alike, such as weights and the optimizer's memory, before the first step: who enters
     * later gets them as the others hold them.
     *
     * @param name 1 to 63 printable characters, unique
     * @param arrays the same lengths in the same order on all ranks; kept, and written only inside {@link #beginStep()}
     * @throws IllegalStateException the first step has begun
     */
    public void share(String name, float[]... arrays) {
        share(name, Arrays.stream(arrays).map(Tensor::of).toArray(Tensor[]::new));
    }

    /** As {@link #share(String, float[][])}, for anything in memory that all threads may use. */
    public void share(String name, Tensor... tensors) {
        backend.share(name, Arrays.stream(tensors).map(Tensor::memory).toList());
    }

    /**
     * Goes on from a checkpoint: what is shared is the state after this many steps, and the first step to begin has this number.
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
     * <p>In a new group the step number of rank 0 counts, 0 if it said none. A rank that said none takes over number and state of
     * rank 0. If two ranks begin at different steps, {@link #beginStep()} throws a
     * {@link io.hearth.core.CollectiveMismatchException} on all ranks that names both. A rank that comes to a group which
     * has begun steps already takes over that group's number and state, whatever it says here.
     *
     * @param step 0 or more
     * @throws IllegalStateException the first step has begun
     */
    public void resumeAt(long step) {
        backend.resumeAt(step);
    }

    /**
     * Begins a step, on all ranks together. When it returns, all results of earlier steps are final (the moment to save and to
     * report), all ranks hold the same shared state, and trainers that came late are in:
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
     * <p>A {@link ReenterableException}, from any call, is answered by calling it again: it takes this rank back into its group.
     *
     * @return the number of the step, which a rank that enters takes over from the others
     * @throws CollectiveException no step begins; the subclass says what to do
     */
    public StepStart beginStep() throws CollectiveException {
        return beginStep(options);
    }

    /** As {@link #beginStep()}, with a deadline; waiting to be let in counts. */
    public StepStart beginStep(CollectiveOptions options) throws CollectiveException {
        return backend.beginStep(options);
    }

    /** As {@link DistributedBackend#saveCompression}: what this rank's compressions remember, to be kept with the trained state. */
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
     * @param op how; AVG divides by the ranks that really contributed, after the sum, which must fit into the type: see {@link
     *     ReduceOp#AVG}
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
     * Combines many arrays as one, in place; small ones travel together.
     *
     * @param tensors the same sizes in the same order on all ranks, none or more; all are written, or none if this throws
     * @return of all of them together: the fewest contributors of any
     * @throws CollectiveException no result; the subclass says what to do
     */
    public CollectiveResult allReduce(float[][] tensors, ReduceOp op) throws CollectiveException {
        return allReduce(Arrays.stream(tensors).map(Tensor::of).toList(), op);
    }

    /**
     * As {@link #allReduce(float[][], ReduceOp)}, for any values.
     *
     * @param tensors all of one type; none are float32
     */
    public CollectiveResult allReduce(List<Tensor> tensors, ReduceOp op) throws CollectiveException {
        return backend.allReduce(tensors.stream().map(Tensor::memory).toList(), Tensor.typeOf(tensors), op, options);
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
        return allReduceAsync(Tensor.of(values), op);
    }

    /** As {@link #allReduceAsync(float[], ReduceOp)}, for any values. */
    public Work allReduceAsync(Tensor values, ReduceOp op) throws CollectiveException, InterruptedException {
        return backend.allReduceAsync(values.memory(), values.type(), op, options);
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
        return reduceScatter(Tensor.of(values), op);
    }

    /** As {@link #reduceScatter(float[], ReduceOp)}, for any values. */
    public CollectiveResult reduceScatter(Tensor values, ReduceOp op) throws CollectiveException {
        return backend.reduceScatter(values.memory(), values.type(), op, options);
    }

    /**
     * Combines {@code values} over all ranks at {@code root}. Returns only when it holds the result.
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
     * Gives all ranks the blocks of all, in rank order.
     *
     * @param block this rank's
     * @param gathered {@code block.length * worldSize()} or more; after a loss filled from the front, with as many blocks as the
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
     * Gives {@code root} the blocks of all, in rank order. Returns only when it holds them.
     *
     * @param block this rank's
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
     * Gives each rank its block of the root's, in rank order. Returns only when all hold theirs.
     *
     * @param blocks {@code block.length * worldSize()} or more at the root; elsewhere of any size
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
     * Replaces {@code values} on all ranks by those of {@code root}; returns when all hold them.
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
     * Sends {@code values} to one other rank, which calls {@link #receive(float[], int)}; returns when it has them. No other rank has
     * to do anything, and a thread of its own may do this beside collectives; see {@link DistributedBackend#send}.
     *
     * @param values of the length that the other rank receives; not written
     * @param toRank 0 to {@code worldSize() - 1}, another one than this
     * @throws CollectiveException the subclass says what to do
     */
    public void send(float[] values, int toRank) throws CollectiveException {
        send(Tensor.of(values), toRank);
    }

    /** As {@link #send(float[], int)}, for any values. */
    public void send(Tensor values, int toRank) throws CollectiveException {
        backend.send(values.memory(), values.type(), toRank, options);
    }

    /**
     * Waits for what one other rank sends to this one with {@link #send(float[], int)}.
     *
     * @param values written when all is there; unchanged if this throws
     * @param fromRank 0 to {@code worldSize() - 1}, another one than this
     * @throws CollectiveException the subclass says what to do
     */
    public void receive(float[] values, int fromRank) throws CollectiveException {
        receive(Tensor.of(values), fromRank);
    }

    /** As {@link #receive(float[], int)}, for any values. */
    public void receive(Tensor values, int fromRank) throws CollectiveException {
        backend.receive(values.memory(), values.type(), fromRank, options);
    }

    /**
     * Returns when all ranks called it.
     *
     * @throws CollectiveException they did not; the subclass says why
     */
    public void barrier() throws CollectiveException {
        barrier(options);
    }

    /** As {@link #barrier()}, with options. */
    public void barrier(CollectiveOptions options) throws CollectiveException {
        backend.barrier(options);
    }

    /** What the backend did so far. */
    public CollectiveMetrics metricsSnapshot() {
        return backend.metricsSnapshot();
    }
}
