package io.hearth.collective;

import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReenterableException;
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
public final class DistributedContext extends MovementCalls {
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
        super(backend, options);
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
     * Whether this is rank 0: exactly one of those with whom the newest call ended, the one to log and to save. A process that is
     * not in the group, because it has not entered it yet or was removed, is not.
     */
    public boolean isMaster() {
        return backend.isInGroup() && rank() == 0;
    }

    /**
     * Whether this process is a member of the group: not before it entered a group at work by {@link #beginStep()}, and not between a
     * {@link ReenterableException} and the next {@link #beginStep()}.
     */
    public boolean isInGroup() {
        return backend.isInGroup();
    }

    /** The master of the cluster's view, if the backend lives in a cluster. */
    public Optional<NodeId> master() {
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
        backend.share(name, Arrays.stream(arrays).map(MemorySegment::ofArray).toList());
    }

    /** As {@link #share(String, float[][])}, for doubles. */
    public void share(String name, double[]... arrays) {
        backend.share(name, Arrays.stream(arrays).map(MemorySegment::ofArray).toList());
    }

    /** As {@link #share(String, float[][])}, for ints. */
    public void share(String name, int[]... arrays) {
        backend.share(name, Arrays.stream(arrays).map(MemorySegment::ofArray).toList());
    }

    /** As {@link #share(String, float[][])}, for longs, such as counters and the state of a random source. */
    public void share(String name, long[]... arrays) {
        backend.share(name, Arrays.stream(arrays).map(MemorySegment::ofArray).toList());
    }

    /** As {@link #share(String, float[][])}, for bytes. */
    public void share(String name, byte[]... arrays) {
        backend.share(name, Arrays.stream(arrays).map(MemorySegment::ofArray).toList());
    }

    /** As {@link #share(String, float[][])}, for bytes of buffers, each from its position to its limit as they are now. */
    public void share(String name, ByteBuffer... buffers) {
        backend.share(name, Arrays.stream(buffers).map(MemorySegment::ofBuffer).toList());
    }

    /** As {@link #share(String, float[][])}, for anything in memory that all threads may use. */
    public void share(String name, MemorySegment... buffers) {
        backend.share(name, List.of(buffers));
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
