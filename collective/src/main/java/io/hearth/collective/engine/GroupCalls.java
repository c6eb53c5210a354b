package io.hearth.collective.engine;

import io.hearth.accel.Reducer;
import io.hearth.collective.Collective;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Operation;
import io.hearth.collective.Signature;
import io.hearth.collective.Tensor;
import io.hearth.collective.Work;
import io.hearth.collective.call.CallPlan;
import io.hearth.collective.call.CallRequest;
import io.hearth.collective.choice.CodecCost;
import io.hearth.collective.engine.queue.CallQueue;
import io.hearth.collective.engine.queue.Coalesced;
import io.hearth.collective.engine.queue.UnnamedTensors;
import io.hearth.collective.pair.machine.TransferSpec;
import io.hearth.collective.sum.PlainPlan;
import io.hearth.collective.sum.PlainSum;
import io.hearth.collective.sum.PlanAgreement;
import io.hearth.collective.sum.SumPlans;
import io.hearth.collective.sum.TensorBucket;
import io.hearth.collective.sum.compressed.CodecThreads;
import io.hearth.collective.sum.compressed.CompressionMemories;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * The collectives of a group or a subgroup: arguments, plans, codecs and their memory, deadlines, the order of calls. An engine and its
 * subgroups run one call at a time, in the order in which all of them were called.
 */
abstract class GroupCalls implements DistributedBackend {
    private final EngineOptions options;
    private final GroupRuntime runtime;
    private final Order order;
    private final CompressionMemories memories;
    private final SumPlans plans;
    private final AutoSums autoSums;
    private final UnnamedTensors unnamed = new UnnamedTensors();
    private final PlainPlan plainPlan = new PlainPlan();
    private final Ranks ranks;
    private final Requests requests;
    private final UnequalGather unequal;
    private final CallAdmission admission;

    /**
     * Used by an engine and its subgroups together, one call at a time.
     *
     * @param queue of the calls that were begun
     * @param turn taken by the thread in a call
     * @param reducer for one call at a time
     */
    record Order(
            CallQueue queue,
            AtomicBoolean turn,
            MetricsTally tally,
            Reducer reducer,
            CodecThreads codecThreads,
            Clock clock) {}

    /** The calls of a group; {@code costs} gives the costs of codecs on this machine, none while they are being measured. */
    GroupCalls(
            String group,
            NodeId self,
            GroupRuntime runtime,
            Order order,
            EngineOptions options,
            Function<List<CompressionStrategy.Coded>, List<CodecCost>> costs) {
        this.options = options;
        this.runtime = runtime;
        this.order = order;
        memories = new CompressionMemories(order.reducer().codecKernels(), order.codecThreads(), options.compression());
        plans = new SumPlans(options, runtime.buffers(), order.reducer(), memories, order.codecThreads());
        ranks = new Ranks(self, runtime);
        requests = new Requests(ranks, options.config(), runtime.buffers());
        unequal = new UnequalGather(this, runtime.buffers());
        admission = new CallAdmission(group, runtime, options, order.turn(), order.tally(), order.clock());
        autoSums = new AutoSums(plans, memories, runtime.buffers(), admission, options.config(), order.clock(), costs);
        admission.whenRefused(autoSums::forgetVotes);
    }

    final GroupRuntime runtime() {
        return runtime;
    }

    final Order order() {
        return order;
    }

    final CallAdmission admission() {
        return admission;
    }

    final Requests requests() {
        return requests;
    }

    final AutoSums autoSums() {
        return autoSums;
    }

    /** A step of the whole group began here. */
    void stepBegan() {
        unnamed.stepBegan();
    }

    /** The state that all ranks share was replaced here: residuals of another one mean nothing. */
    void stateReplaced() {
        memories.forgetAll();
    }

    /** Frees the memories of the codecs; no thread may be in a call. */
    final void closeMemories() {
        memories.close();
    }

    @Override
    public int rank() {
        return ranks.own();
    }

    @Override
    public int worldSize() {
        return ranks.count();
    }

    @Override
    public Optional<DistributedBackend> split(List<Integer> ofRanks) throws CollectiveException {
        admission.requireEntered();
        admission.after(order.queue(), CollectiveOptions.DEFAULTS);
        runtime.executor().requireOpen();
        return admission.alone(() -> subgroup(ranks.members(ofRanks)));
    }

    /** Makes a subgroup of these members; empty if this node is none of them. */
    abstract Optional<DistributedBackend> subgroup(List<NodeId> members);

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
        long due = admission.after(order.queue(), how);
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
        long due = admission.after(order.queue(), how);
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
        CallQueue.Body whole = () -> admission.timed(Operation.ALL_REDUCE, () -> run(sum, admission.due(how)));
        return order.queue().begin(isPrompt(sum) ? prompt(sum, whole) : whole);
    }

    /** Whether a sum is small and plain, and reaches all other ranks through memory. */
    private boolean isPrompt(Sum sum) {
        return sum.input().byteSize() <= options.config().inTurnBytesMax()
                && sum.name().isEmpty()
                && sum.plan()
                        .filter(plan -> plan.operation() instanceof PlainSum)
                        .isPresent()
                && runtime.isInMemory();
    }

    private PromptSum prompt(Sum sum, CallQueue.Body whole) {
        var request = new CallRequest(sum.plan().orElseThrow(), sum.input(), sum.output());
        return new PromptSum(admission, request, sum.how(), order.clock(), whole);
    }

    @Override
    public Work begin(Collective<DistributedBackend> call) throws CollectiveException, InterruptedException {
        Collective<DistributedBackend> later = ranks.asOfNow(call);
        return order.queue().begin(() -> later.on(this));
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
    public void send(MemorySegment values, DataType type, NodeId to, CollectiveOptions how) throws CollectiveException {
        var spec = new TransferSpec(type, Tensor.elements(values, type));
        Tensor.requireUsable(values);
        admission.requireEntered();
        admission.timed(Operation.SEND, () -> {
            runtime.pairs().send(to, values, spec, admission.due(how));
            order.tally().sent(Operation.SEND, values.byteSize());
            return to;
        });
    }

    @Override
    public void receive(MemorySegment values, DataType type, NodeId from, CollectiveOptions how)
            throws CollectiveException {
        var spec = new TransferSpec(type, Tensor.elements(values, type));
        Tensor.requireWritable(values);
        admission.requireEntered();
        admission.timed(Operation.RECEIVE, () -> {
            runtime.pairs().receive(from, values, spec, admission.due(how));
            return from;
        });
    }

    @Override
    public NodeId peer(int rank) {
        return ranks.peer(rank);
    }

    final CollectiveResult next(Operation operation, CallRequest asked, CollectiveOptions how)
            throws CollectiveException {
        return admission.timed(operation, () -> next(asked, how));
    }

    /** Runs a call after all collectives that were begun before. */
    final CollectiveResult next(CallRequest asked, CollectiveOptions how) throws CollectiveException {
        long due = admission.after(order.queue(), how);
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
    public MemorySegment saveCompression(Arena arena) throws CollectiveException {
        order.queue().awaitAll();
        return admission.alone(() -> memories.save(arena));
    }

    @Override
    public void restoreCompression(MemorySegment saved) throws CollectiveException, MalformedMessageException {
        order.queue().awaitAll();
        admission.alone(() -> {
            memories.restore(saved);
            return saved;
        });
    }
}
