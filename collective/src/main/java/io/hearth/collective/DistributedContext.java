package io.hearth.collective;

import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
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
 * if (cluster.isMaster()) {
 *     log(loss);
 * }
 * }</pre>
 *
 * <p>Every collective takes arrays, in which floats, doubles and ints are {@link DataType#FLOAT32}, {@link DataType#FLOAT64} and
 * {@link DataType#INT32}; buffers from position to limit, which keep both and must be little-endian; and segments. What is said of
 * a collective of floats holds for all of them. Sizes are the same on all ranks, 0 or more, unless said otherwise. A call that
 * throws leaves its buffers as they were.
 *
 * <p>One thread uses a context at a time; a second one gets an {@link IllegalStateException}, and so does a call out of a callback.
 * Other threads may send and receive meanwhile.
 * What is wrong with a call itself, such as a rank that does not exist, gets an {@link IllegalArgumentException} before anything
 * is sent.
 */
public final class DistributedContext {
    private final DistributedBackend backend;
    private final Supplier<Optional<NodeId>> master;
    private final CollectiveOptions options;

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
        this.master = master;
        this.options = options;
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
     */
    public int rank() {
        return backend.rank();
    }

    /** Members of the group with whom the newest call ended, this one included; the same on all ranks between two calls. */
    public int worldSize() {
        return backend.worldSize();
    }

    /** Whether this is rank 0: exactly one of those with whom the newest call ended, the one to log and to save. */
    public boolean isMaster() {
        return rank() == 0;
    }

    /** The master of the cluster's view, if the backend lives in a cluster. */
    public Optional<NodeId> master() {
        return master.get();
    }

    /**
     * Combines {@code values} over all ranks, in place. All ranks end with the same bits.
     *
     * @param values same length on all ranks, 0 or more; unchanged if this throws
     * @param op how; AVG divides by the ranks that really contributed
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
     * Begins an all-reduce in place and returns; later calls of this rank come after it, and end after it.
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

    /**
     * Names arrays that all ranks keep alike, such as weights and the optimizer's memory, before the first step: who enters
     * later gets them as the others hold them.
     *
     * @param name 1 to 63 printable characters, unique
     * @param arrays the same lengths in the same order on all ranks; kept, and written only inside {@link #beginStep()}
     * @throws IllegalStateException the first step has begun
     */
    public void share(String name, float[]... arrays) {
        backend.share(name, Arrays.stream(arrays).map(MemorySegment::ofArray).toList());
    }

    /** As {@link #share(String, float[][])}, for anything in memory that all threads may use. */
    public void share(String name, MemorySegment... buffers) {
        backend.share(name, List.of(buffers));
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
     * <p>After a {@link io.hearth.core.RemovedFromClusterException}, or an error that only this rank was given, calling it again
     * enters the group again.
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
