package io.hearth.collective.engine;

import io.hearth.accel.Reducer;
import io.hearth.collective.Collective;
import io.hearth.collective.CollectiveMetrics;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveProgress;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Operation;
import io.hearth.collective.Signature;
import io.hearth.collective.StateBlob;
import io.hearth.collective.StepStart;
import io.hearth.collective.Tensor;
import io.hearth.collective.Work;
import io.hearth.collective.call.CallPlan;
import io.hearth.collective.call.CallRequest;
import io.hearth.collective.choice.CodecCost;
import io.hearth.collective.engine.queue.CallQueue;
import io.hearth.collective.engine.queue.Coalesced;
import io.hearth.collective.engine.queue.UnnamedTensors;
import io.hearth.collective.group.GroupActivity;
import io.hearth.collective.group.GroupLayout;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.group.StartMetStepException;
import io.hearth.collective.pair.machine.TransferSpec;
import io.hearth.collective.state.SharedState;
import io.hearth.collective.state.StateClaim;
import io.hearth.collective.state.StepBoundary;
import io.hearth.collective.sum.PlainPlan;
import io.hearth.collective.sum.PlanAgreement;
import io.hearth.collective.sum.SumPlans;
import io.hearth.collective.sum.TensorBucket;
import io.hearth.collective.sum.compressed.CodecThreads;
import io.hearth.collective.sum.compressed.CompressionMemories;
import io.hearth.collective.sum.timing.CodecTimer;
import io.hearth.collective.sum.timing.CodecWarmUp;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.HearthException;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.election.GroupPhase;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.topology.LinkReport;
import io.hearth.topology.plan.Plan;
import io.hearth.transport.Arrivals;
import io.hearth.transport.StreamSource;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The collectives of one member of one group. The owner provides the streams and the views.
 *
 * <p>The application calls the methods of {@link DistributedBackend}. The owner runs the view change: it calls {@link #freeze},
 * {@link #install} and {@link #removed}, and gets events through {@link CollectiveListener}. A call during a view change waits for
 * it. Then it continues, runs again, or takes the result from a member that has it. A call that fails leaves its buffers unchanged,
 * except an output that is not the input.
 *
 * <p>A large sum is computed in place, with one extra buffer of its size. Every other result is computed in engine memory and kept
 * there until no member can lack it. That takes one buffer of the call's size during a call and one after it, plus the encodings of
 * all ranks where a codec is used.
 */
public final class CollectiveEngine implements DistributedBackend {
    private static final Logger LOG = LoggerFactory.getLogger(CollectiveEngine.class);

    private final EngineOptions options;
    private final Clock clock;
    private final String group;
    private final NodeId self;
    private final StreamSource streams;
    private final GroupRuntime runtime;
    private final SharedState shared = new SharedState();
    private volatile CollectiveProgress progress = CollectiveProgress.NONE; // written by any thread, read by callers
    private final CallQueue queue;
    private final CodecThreads codecThreads;
    private final CompressionMemories memories;
    private final SumPlans plans;
    private final AutoSums autoSums;
    private final UnnamedTensors unnamed = new UnnamedTensors();
    private final PlainPlan plainPlan = new PlainPlan();
    private final Ranks ranks;
    private final Requests requests;
    private final UnequalGather unequal;
    private final CallAdmission admission;
    private final MetricsTally tally = new MetricsTally();
    private int leastToEnter = 1; // used by the calling thread

    /**
     * Creates an engine without a view: calls wait for the first {@link #install}.
     *
     * @param group the training job, at most 63 characters
     * @param self this node, as views list it
     * @param streams source of data streams; not closed here
     * @param reducer for this engine alone
     * @param listener gets progress and broken streams
     */
    public CollectiveEngine(
            String group,
            NodeId self,
            StreamSource streams,
            Reducer reducer,
            EngineOptions options,
            CollectiveListener listener,
            Clock clock) {
        this(
                group,
                self,
                streams,
                reducer,
                options,
                listener,
                clock,
                codecs -> CodecTimer.costs(codecs, reducer.codecKernels()));
    }

    /** As the other constructor; {@code costs} gives the costs of codecs on this machine, none while they are being measured. */
    public CollectiveEngine(
            String group,
            NodeId self,
            StreamSource streams,
            Reducer reducer,
            EngineOptions options,
            CollectiveListener listener,
            Clock clock,
            Function<List<CompressionStrategy.Coded>, List<CodecCost>> costs) {
        this.group = group;
        this.self = self;
        this.streams = streams;
        this.options = options;
        this.clock = clock;
        this.runtime = new GroupRuntime(group, self, streams, reducer, options, listener, clock);
        this.queue = new CallQueue("hearth-calls-" + group, runtime::isDataThread);
        codecThreads =
                new CodecThreads("hearth-codec-" + group, Runtime.getRuntime().availableProcessors());
        CodecWarmUp.begin(options.compression(), reducer.codecKernels());
        memories = new CompressionMemories(reducer.codecKernels(), codecThreads, options.compression());
        this.plans = new SumPlans(options, runtime.buffers(), reducer, memories, codecThreads);
        this.ranks = new Ranks(self, runtime);
        this.requests = new Requests(ranks, options.config(), runtime.buffers());
        this.unequal = new UnequalGather(this, runtime.buffers());
        this.admission = new CallAdmission(group, runtime, options, tally, clock);
        this.autoSums = new AutoSums(plans, memories, runtime.buffers(), admission, options.config(), clock, costs);
        admission.whenRefused(autoSums::forgetVotes);
    }

    @Override
    public boolean isInGroup() {
        return !admission.entersByStep() && !runtime.isOver();
    }

    @Override
    public int rank() {
        requirePlace();
        return ranks.own();
    }

    @Override
    public int worldSize() {
        requirePlace();
        return ranks.count();
    }

    private void requirePlace() {
        if (admission.entersByStep()) {
            throw new IllegalStateException("this process is not in group '" + group
                    + "' yet, which is already training: beginStep() enters it, and then it has a rank");
        }
    }

    @Override
    public CollectiveResult allReduce(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions how)
            throws CollectiveException {
        return allReduce(values, values, type, op, how);
    }

    @Override
    public CollectiveResult allReduce(
            MemorySegment input, MemorySegment output, DataType type, ReduceOp op, CollectiveOptions how)
            throws CollectiveException {
        if (input.byteSize() != output.byteSize()) {
            throw new IllegalArgumentException(
                    "output must have the size of the input, " + input.byteSize() + " bytes, got " + output.byteSize());
        }
        long due = admission.after(queue, how);
        return admission.timed(
                Operation.ALL_REDUCE, () -> run(planned(input, output, type, op, how, Optional.empty()), due));
    }

    @Override
    public CollectiveResult allReduce(List<MemorySegment> tensors, DataType type, ReduceOp op, CollectiveOptions how)
            throws CollectiveException {
        var coalesced = new Coalesced(
                tensors,
                type,
                runtime.buffers(),
                memory -> memory.isNative() && runtime.mayTouch(memory),
                new Coalesced.Cut(
                        options.config().bucketBytes(),
                        plans.ways(tensors, type, op, how),
                        plans.shapes(type, op, how)));
        long due = admission.after(queue, how);
        return coalesced.run(
                plans.ruled(0, type, op, how, Optional.empty()),
                (input, output, bucket, own) -> admission.timed(
                        Operation.ALL_REDUCE,
                        () -> run(planned(input, output, type, op, own, Optional.of(bucket)), due)));
    }

    @Override
    public Work allReduceAsync(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions how)
            throws CollectiveException, InterruptedException {
        Tensor.requireWritable(values); // errors in the arguments are thrown at once
        Sum sum = planned(values, values, type, op, how, Optional.empty());
        if (values.isNative() && !runtime.mayTouch(values)) {
            throw new IllegalArgumentException("an asynchronous collective needs memory that all threads may use:"
                    + " take Arena.ofShared(), Arena.ofAuto() or an array");
        }
        return queue.begin(() -> admission.timed(Operation.ALL_REDUCE, () -> run(sum, admission.due(how))));
    }

    @Override
    public Work begin(Collective<DistributedBackend> call) throws CollectiveException, InterruptedException {
        return queue.begin(() -> call.on(this));
    }

    /**
     * A sum with checked arguments.
     *
     * @param name name that a compression derives from the size of an unnamed tensor; empty where that does not matter
     * @param auto the codecs among which the group chooses; empty if it does not choose
     * @param plan empty if the group chooses the codec
     */
    private record Sum(
            MemorySegment input,
            MemorySegment output,
            ReduceOp op,
            CollectiveOptions how,
            Optional<TensorBucket> bucket,
            Optional<String> name,
            Optional<CompressionStrategy.Auto> auto,
            Optional<CallPlan> plan) {}

    private Sum planned(
            MemorySegment input,
            MemorySegment output,
            DataType type,
            ReduceOp op,
            CollectiveOptions asked,
            Optional<TensorBucket> bucket) {
        long count = Tensor.elements(input, type); // errors in the arguments are thrown at once
        Optional<CallPlan> known = bucket.isEmpty() ? plainPlan.of(count, type, op, asked) : Optional.empty();
        if (known.isPresent()) {
            return new Sum(input, output, op, asked, bucket, Optional.empty(), Optional.empty(), known);
        }
        CollectiveOptions how = bucket.isEmpty()
                ? plans.ruled(count, type, op, asked, asked.shapes().stream().findFirst())
                : asked;
        Optional<String> name = plans.unnamed(count, type, op, how, bucket);
        Optional<CompressionStrategy.Auto> auto = plans.auto(type, op, how);
        if (auto.isPresent()) {
            return new Sum(input, output, op, how, bucket, name, auto, Optional.empty());
        }
        CallPlan plan = plans.plan(count, type, op, how, bucket);
        if (bucket.isEmpty()) {
            plainPlan.keep(count, type, op, asked, plan);
        }
        return new Sum(input, output, op, how, bucket, name, auto, Optional.of(plan));
    }

    private CollectiveResult run(Sum sum, long due) throws CollectiveException {
        return admission.alone(() -> {
            agreeOnPlan(due);
            return unnamed.sum(sum.name(), () -> runAlone(sum, due));
        });
    }

    private CollectiveResult runAlone(Sum sum, long due) throws CollectiveException {
        return sum.auto().isPresent()
                ? autoSums.reduce(
                        sum.auto().get(),
                        sum.input(),
                        sum.output(),
                        sum.op(),
                        admission.until(due, sum.how()),
                        sum.bucket())
                : admission.run(new CallRequest(sum.plan().orElseThrow(), sum.input(), sum.output()), due);
    }

    @Override
    public CollectiveResult reduceScatter(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions how)
            throws CollectiveException {
        return next(Operation.REDUCE_SCATTER, requests.reduceScatter(values, type, op), how);
    }

    @Override
    public CollectiveResult allGather(MemorySegment block, MemorySegment gathered, DataType type, CollectiveOptions how)
            throws CollectiveException {
        return next(Operation.ALL_GATHER, requests.allGather(block, gathered, type), how);
    }

    @Override
    public List<Long> allGatherUnequal(
            MemorySegment block, MemorySegment gathered, DataType type, CollectiveOptions how)
            throws CollectiveException {
        return unequal.gather(block, gathered, type, how);
    }

    @Override
    public CollectiveResult reduce(MemorySegment values, DataType type, ReduceOp op, int root, CollectiveOptions how)
            throws CollectiveException {
        return next(Operation.REDUCE, requests.reduce(values, type, op, root, how), how);
    }

    @Override
    public CollectiveResult gather(
            MemorySegment block, MemorySegment gathered, DataType type, int root, CollectiveOptions how)
            throws CollectiveException {
        return next(Operation.GATHER, requests.gather(block, gathered, type, root), how);
    }

    @Override
    public CollectiveResult scatter(
            MemorySegment blocks, MemorySegment block, DataType type, int root, CollectiveOptions how)
            throws CollectiveException {
        return next(Operation.SCATTER, requests.scatter(blocks, block, type, root), how);
    }

    @Override
    public CollectiveResult allToAll(
            MemorySegment blocks, MemorySegment received, long count, DataType type, CollectiveOptions how)
            throws CollectiveException {
        return next(Operation.ALL_TO_ALL, requests.allToAll(blocks, received, count, type), how);
    }

    @Override
    public CollectiveResult broadcast(MemorySegment values, DataType type, int root, CollectiveOptions how)
            throws CollectiveException {
        return next(Operation.BROADCAST, requests.broadcast(values, type, root, how), how);
    }

    @Override
    public CollectiveResult barrier(CollectiveOptions how) throws CollectiveException {
        return next(Operation.BARRIER, requests.barrier(), how);
    }

    @Override
    public void send(MemorySegment values, DataType type, int toRank, CollectiveOptions how)
            throws CollectiveException {
        var spec = new TransferSpec(type, Tensor.elements(values, type));
        Tensor.requireUsable(values);
        NodeId peer = ranks.peer(toRank);
        admission.requireEntered();
        admission.timed(Operation.SEND, () -> {
            runtime.pairs().send(peer, values, spec, admission.due(how));
            tally.sent(Operation.SEND, values.byteSize());
            return peer;
        });
    }

    @Override
    public void receive(MemorySegment values, DataType type, int fromRank, CollectiveOptions how)
            throws CollectiveException {
        var spec = new TransferSpec(type, Tensor.elements(values, type));
        Tensor.requireWritable(values);
        NodeId peer = ranks.peer(fromRank);
        admission.requireEntered();
        admission.timed(Operation.RECEIVE, () -> {
            runtime.pairs().receive(peer, values, spec, admission.due(how));
            return peer;
        });
    }

    private CollectiveResult next(Operation operation, CallRequest asked, CollectiveOptions how)
            throws CollectiveException {
        return admission.timed(operation, () -> next(asked, how));
    }

    /** Runs a call after all collectives that were begun before. */
    private CollectiveResult next(CallRequest asked, CollectiveOptions how) throws CollectiveException {
        long due = admission.after(queue, how);
        return admission.alone(() -> {
            agreeOnPlan(due);
            return admission.run(asked, due);
        });
    }

    /** Lets the group agree on a plan before a call, in a number of its own, if it is time to: then all ranks do so. */
    private void agreeOnPlan(long due) throws CollectiveException {
        if (admission.points().isDue()) {
            var agreement = new PlanAgreement(runtime.buffers(), runtime::proposal);
            admission.run(CallRequest.inPlace(new CallPlan(Signature.plan(), agreement), CallRequest.NOTHING), due);
            admission.points().agreed();
        }
    }

    @Override
    public void share(String name, List<MemorySegment> buffers) {
        shared.share(name, buffers);
    }

    @Override
    public void share(String name, Supplier<List<MemorySegment>> buffers) {
        shared.share(name, buffers);
    }

    @Override
    public void share(String name, int bytesMax, StateBlob blob) {
        shared.share(name, bytesMax, blob);
    }

    @Override
    public void unshare(String name) {
        shared.unshare(name);
    }

    @Override
    public void resumeAt(long step) {
        shared.resumeAt(step);
    }

    @Override
    public StepStart beginStep(CollectiveOptions how) throws CollectiveException {
        long due = admission.after(queue, how);
        return admission.timed(Operation.BEGIN_STEP, () -> {
            while (true) {
                try {
                    return beginStepOnce(due);
                } catch (StartMetStepException entering) {
                    LOG.info("retrying beginStep: {}", entering.getMessage());
                }
            }
        });
    }

    private StepStart beginStepOnce(long due) throws CollectiveException {
        var means = new StepBoundary.Means(
                group,
                streams,
                runtime.buffers(),
                clock,
                runtime.links(),
                runtime::proposal,
                options.stateBudget(),
                progress);
        var boundary = new StepBoundary(shared, means, admission.entersByStep() ? leastToEnter : 1);
        MemorySegment agreed = MemorySegment.ofArray(new byte[StateClaim.BYTES]);
        CallRequest asked = CallRequest.inPlace(new CallPlan(Signature.boundary(StateClaim.BYTES), boundary), agreed);
        return admission.alone(() -> {
            shared.ask();
            admission.run(asked, due);
            admission.enterByStep(false);
            unnamed.stepBegan();
            admission.points().begunStep();
            if (StepBoundary.hasNewcomers(agreed)) {
                autoSums.forgetVotes();
            }
            StepStart start = boundary.pass(agreed);
            if (start.replaced()) {
                memories.forgetAll();
                shared.loadBlobs();
            }
            return start;
        });
    }

    @Override
    public MemorySegment saveCompression(Arena arena) throws CollectiveException {
        queue.awaitAll();
        return admission.alone(() -> memories.save(arena));
    }

    @Override
    public void restoreCompression(MemorySegment saved) throws CollectiveException, MalformedMessageException {
        queue.awaitAll();
        admission.alone(() -> {
            memories.restore(saved);
            return saved;
        });
    }

    /** Outcome of {@link #start}. */
    public enum Started {
        /** The members of the group are agreed, and this node is one of them. */
        TOGETHER,
        /** The group is already training: until a step begins here, every other call is rejected at once. */
        BY_STEP
    }

    /**
     * Starts the group; must be the first call. It returns on all ranks with the same members, at least as many as any of them
     * requires. It waits while there are fewer, and while other trainers of the group are at work. If those begin steps, it ends,
     * and the first call must be {@link #beginStep}. Until it has ended on some rank, trainers may join and be lost while it waits.
     *
     * @param least ranks that this rank requires, 1 or more
     * @throws io.hearth.core.NotEnoughRanksException if there were fewer, or no place for this rank, until the deadline
     * @throws CollectiveException if the group did not start; the subclass says what to do. The caller may retry
     */
    public Started start(int least, CollectiveOptions how) throws CollectiveException {
        try {
            next(requests.start(least), how);
            return Started.TOGETHER;
        } catch (StartMetStepException atWork) {
            leastToEnter = Math.min(least, 2); // the group that it enters has at least one other member
            admission.enterByStep(true);
            return Started.BY_STEP;
        }
    }

    /**
     * Takes information about the group that its views do not contain.
     *
     * @param elsewhere most advanced activity of the group's trainers in other lineages
     * @param meetsStep whether a trainer of the group in the same view has called {@code beginStep}
     * @param spare whether the group is full without this member
     */
    public void hear(GroupActivity elsewhere, boolean meetsStep, boolean spare) {
        runtime.hear(elsewhere, meetsStep, spare);
    }

    /** Whether this member may leave its view without loss: it has made no call yet, or waits for a start or a step. */
    public boolean mayStepAside() {
        GroupMachine.State state = runtime.state();
        return state.next() == 1 || state.isAtBoundary();
    }

    /** This member's progress from idle to the group's work. */
    public GroupActivity activity() {
        return runtime.activity();
    }

    /** Number of ranks that this member requires at the group's start; 1 if it does not wait there. */
    public int leastRanks() {
        return runtime.state().company().least();
    }

    @Override
    public CollectiveMetrics metricsSnapshot() {
        return tally.snapshot(
                codecNanos(), ranks.count() - 1, runtime.executor().repeated(), autoSums.choices());
    }

    /**
     * Peak of the engine's native working memory since the last call of this method, in bytes: results, copies of inputs, encodings
     * and spare buffers. It excludes the buffers of streams and the memories of codecs.
     */
    public long takeWorkBytesPeak() {
        return runtime.buffers().takePeakBytes();
    }

    /**
     * Stops every data thread and returns this member's status. No call ends here until {@link #install} brings a successor of that
     * view. Takes at most the time to process one segment.
     *
     * @param lineage text of the view's lineage, as in {@link #install}
     * @param epoch epoch of the view that is to be succeeded
     * @param links measured by this node; for the next plan
     * @return the status, at most {@link io.hearth.election.Resolver#BYTES_MAX} bytes
     */
    public Bytes freeze(String lineage, long epoch, LinkReport links) {
        runtime.measured(links);
        return runtime.freeze(lineage, epoch);
    }

    /**
     * Installs a committed view. If the group epoch is unchanged, everything continues in place. Otherwise streams are opened again
     * at next use, and open calls run again or take their result from a member that has it.
     *
     * @param lineage text of the view's lineage: the same on all members, another one for another lineage
     * @param view a view with this node as a trainer of the group; otherwise the node counts as removed
     * @param links measured by this node; state is fetched from the nearest
     */
    public void install(String lineage, View view, LinkReport links) {
        runtime.measured(links);
        runtime.install(lineage, view);
    }

    /** As {@link #install(String, View, LinkReport)}, with the measurements of before. */
    public void install(String lineage, View view) {
        runtime.install(lineage, view);
    }

    /**
     * Proposes a plan for the group: the members take it over at the beginning of the next step, or in a script without steps at the next
     * of its {@link io.hearth.collective.group.PlanPoints}, if this member leads the group by then and the group epoch is still this one.
     *
     * @param fence of the {@link #layout} for which the plan was made
     */
    public void propose(String fence, Plan plan) {
        runtime.propose(fence, plan);
    }

    /** The members of the present group epoch, and the plan that their numbers follow. */
    public GroupLayout layout() {
        return runtime.state().layout();
    }

    /** Ends all open calls with {@code why}, and later ones too until a step begins. Before the group has started, it changes nothing. */
    public void removed(HearthException why) {
        runtime.removed(why);
    }

    /** Ends the engine for good: open calls and all later calls throw {@code why}. */
    public void fail(HearthException why) {
        runtime.fail(why);
    }

    /**
     * Pauses or resumes all data threads, for a node that slept. Its sockets may hold old data, and the node must first learn
     * whether it is still a member.
     */
    public void rest(boolean resting) {
        runtime.rest(resting);
    }

    /** Sends the time traces of calls that begin from now on to {@code listener}, instead of the former one; NONE for no listener. */
    public void trace(CollectiveTrace listener) {
        runtime.trace(listener);
    }

    /**
     * Sends the progress of long transfers that begin from now on to {@code listener}, instead of the former one; NONE for no
     * listener.
     */
    public void progress(CollectiveProgress listener) {
        progress = listener;
        runtime.progress(listener, self, clock);
    }

    /** Whether a collective runs, so that its data may travel at any moment. */
    public boolean isMoving() {
        return runtime.state().isMoving();
    }

    /**
     * What arrived from each other member in the collectives of the present group epoch. The counters begin at zero in each epoch. From any
     * thread.
     */
    public SortedMap<NodeId, Arrivals> arrivals() {
        return runtime.arrivals();
    }

    /** Total time that this member's codecs took so far, in nanoseconds. From any thread. */
    public long codecNanos() {
        return runtime.codecNanos();
    }

    /** All numbers up to this one ended here; 0 before the first. */
    public long doneUpTo() {
        return runtime.state().doneUpTo();
    }

    /** Phase of this member's collectives, for nodes that want to join. */
    public GroupPhase phase() {
        return runtime.state().phase();
    }

    /** Sets whether the next step must wait, because a node is to join before it; see {@code ViewMachine}'s effect. */
    public void hold(boolean held) {
        runtime.hold(held);
    }

    @Override
    public void close() {
        queue.close();
        if (!runtime.end()) {
            return; // a call still works on this memory
        }
        if (!codecThreads.end()) {
            return;
        }
        memories.close();
        shared.close();
    }
}
