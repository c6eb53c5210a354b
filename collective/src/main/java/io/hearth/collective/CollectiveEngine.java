package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.HearthException;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.election.GroupPhase;
import io.hearth.election.GroupView;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.transport.StreamSource;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The collectives of one member of one group, over streams from elsewhere, through the views that somebody else decides.
 *
 * <p>The application calls the {@link DistributedBackend} side. Whoever runs the view change calls {@link #freeze},
 * {@link #install} and {@link #removed}, and hears through {@link CollectiveListener}. A call that meets a view change waits
 * for it and then goes on, repeats, or takes the result from a member that has it. A call that fails leaves its buffers as they were,
 * but for an output that is another one than the input.
 *
 * <p>A large sum comes into being in place, with one buffer of its size beside it. Every other result comes into being in memory of
 * the engine and is kept there until no member can lack it: one buffer of the call's size during a call and one after it, plus the
 * encodings of all ranks where a codec is used.
 */
public final class CollectiveEngine implements DistributedBackend {
    /** How many numbers a group may have open at once, at most; a constant of the protocol. */
    public static final int WINDOW = 4;

    private static final Duration DEADLINE_MAX = Duration.ofDays(3650);
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);
    private static final long BLOCK_BYTES_MAX = Long.MAX_VALUE / 4 / View.MEMBERS_MAX;

    private final EngineOptions options;
    private final Clock clock;
    private final String group;
    private final NodeId self;
    private final StreamSource streams;
    private final GroupShell shell;
    private final SharedState shared = new SharedState();
    private volatile boolean entersByStep; // by whoever knows the cluster, for callers
    private volatile CollectiveProgress progress = CollectiveProgress.NONE; // set by anybody, for callers
    private volatile Map<NodeId, Long> roundTripNanos = Map.of(); // by whoever runs the view change, for callers
    private final CallQueue queue;
    private final CompressionMemories memories;
    private final SumPlans plans;

    private final MetricsTally tally = new MetricsTally();

    /**
     * An engine without a view: calls wait for the first {@link #install}.
     *
     * @param group the training job, at most 63 characters
     * @param self this node, as views list it
     * @param streams where data streams come from; not closed here
     * @param reducer for this engine alone
     * @param listener told of progress and of what is broken
     */
    public CollectiveEngine(
            String group,
            NodeId self,
            StreamSource streams,
            Reducer reducer,
            EngineOptions options,
            CollectiveListener listener,
            Clock clock) {
        this.group = group;
        this.self = self;
        this.streams = streams;
        this.options = options;
        this.clock = clock;
        this.queue = new CallQueue("hearth-calls-" + group);
        this.shell = new GroupShell(group, self, streams, reducer, options, listener, clock);
        memories = new CompressionMemories(reducer.codecKernels());
        this.plans = new SumPlans(options, shell.buffers(), reducer, memories);
    }

    @Override
    public int rank() {
        return Math.max(0, shell.state().ranks().indexOf(self));
    }

    @Override
    public int worldSize() {
        return Math.max(1, shell.state().ranks().size());
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
            throw new IllegalArgumentException("the result has the size of the input: " + input.byteSize()
                    + " bytes do not go into " + output.byteSize());
        }
        queue.awaitAll();
        return reduceNow(input, output, type, op, how);
    }

    @Override
    public CollectiveResult allReduce(List<MemorySegment> tensors, DataType type, ReduceOp op, CollectiveOptions how)
            throws CollectiveException {
        var coalesced =
                new Coalesced(tensors, type, shell.buffers(), options.config().bucketBytes());
        queue.awaitAll();
        return coalesced.run((bucket, number) -> reduceNow(bucket, bucket, type, op, how.forBucket(number)));
    }

    @Override
    public Work allReduceAsync(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions how)
            throws CollectiveException, InterruptedException {
        Tensors.demandWritable(values); // what is wrong with the call is said at once
        Plan plan = sum(values, type, op, how);
        if (values.isNative() && !shell.mayTouch(values)) {
            throw new IllegalArgumentException(
                    "a collective that runs on its own needs memory that all threads may use:"
                            + " take Arena.ofShared(), Arena.ofAuto() or an array");
        }
        return queue.begin(() -> timed(() -> run(plan, values, values, how)));
    }

    private CollectiveResult reduceNow(
            MemorySegment input, MemorySegment output, DataType type, ReduceOp op, CollectiveOptions how)
            throws CollectiveException {
        return timed(() -> run(sum(input, type, op, how), input, output, how));
    }

    private CollectiveResult timed(CallQueue.Body body) throws CollectiveException {
        long started = clock.nanoTime();
        boolean done = false;
        try {
            CollectiveResult result = body.run();
            done = true;
            return result;
        } finally {
            tally.allReduce(done, clock.nanoTime() - started);
        }
    }

    @Override
    public CollectiveResult reduceScatter(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions how)
            throws CollectiveException {
        long count = Tensors.elements(values, type);
        var signature = Signature.combining(Signature.Kind.REDUCE_SCATTER, op, type, count, Signature.AUTO);
        return next(new Plan(signature, new ReduceScatterShares()), values, values, how);
    }

    @Override
    public CollectiveResult allGather(MemorySegment block, MemorySegment gathered, DataType type, CollectiveOptions how)
            throws CollectiveException {
        long count = blockElements(block, type);
        Tensors.elements(gathered, type);
        var signature = Signature.combining(Signature.Kind.ALL_GATHER, ReduceOp.SUM, type, count, Signature.AUTO);
        return next(new Plan(signature, new GatherBlocks(Optional.empty())), block, gathered, how);
    }

    @Override
    public CollectiveResult reduce(MemorySegment values, DataType type, ReduceOp op, int root, CollectiveOptions how)
            throws CollectiveException {
        NodeId node = member(root);
        ReduceStrategy way = options.config().reduce();
        var signature = Signature.rooted(
                Signature.Kind.REDUCE,
                op,
                type,
                Tensors.elements(values, type),
                node,
                way.name().toLowerCase(Locale.ROOT));
        return next(new Plan(signature, new ReduceToRoot(node, way)), values, values, how);
    }

    @Override
    public CollectiveResult gather(
            MemorySegment block, MemorySegment gathered, DataType type, int root, CollectiveOptions how)
            throws CollectiveException {
        NodeId node = member(root);
        var signature = Signature.rooted(
                Signature.Kind.GATHER, ReduceOp.SUM, type, blockElements(block, type), node, Signature.AUTO);
        MemorySegment target = node.equals(self) ? gathered : NOTHING;
        return next(new Plan(signature, new GatherBlocks(Optional.of(node))), block, target, how);
    }

    @Override
    public CollectiveResult scatter(
            MemorySegment blocks, MemorySegment block, DataType type, int root, CollectiveOptions how)
            throws CollectiveException {
        NodeId node = member(root);
        var signature = Signature.rooted(
                Signature.Kind.SCATTER, ReduceOp.SUM, type, blockElements(block, type), node, Signature.AUTO);
        MemorySegment input = node.equals(self) ? blocks : NOTHING;
        return next(new Plan(signature, new ScatterBlocks(node)), input, block, how);
    }

    @Override
    public CollectiveResult broadcast(MemorySegment values, DataType type, int root, CollectiveOptions how)
            throws CollectiveException {
        NodeId node = member(root);
        BroadcastStrategy way = options.config().broadcast();
        var signature = Signature.rooted(
                Signature.Kind.BROADCAST,
                ReduceOp.SUM,
                type,
                Tensors.elements(values, type),
                node,
                way.name().toLowerCase(Locale.ROOT));
        CollectiveResult result = next(new Plan(signature, new Broadcast(node, way)), values, values, how);
        tally.broadcast();
        return result;
    }

    private NodeId member(int root) {
        List<NodeId> members = shell.state().ranks();
        if (root < 0 || root >= Math.max(1, members.size())) {
            throw new IllegalArgumentException(
                    "no rank " + root + " in a group of " + members.size() + "; roots are 0 to worldSize() - 1");
        }
        return members.isEmpty() ? self : members.get(root);
    }

    @Override
    public void barrier(CollectiveOptions how) throws CollectiveException {
        var plan = new Plan(
                Signature.allReduce(ReduceOp.SUM, DataType.UINT8, 0, Signature.PLAIN),
                new PlainSum(AllReduceStrategy.AUTO));
        next(plan, NOTHING, NOTHING, how);
        tally.barrier();
    }

    @Override
    public void send(MemorySegment values, DataType type, int toRank, CollectiveOptions how)
            throws CollectiveException {
        var parcel = new Parcel(type, Tensors.elements(values, type));
        Tensors.demandUsable(values);
        NodeId peer = other(toRank);
        demandEntered();
        shell.pairs().send(peer, values, parcel, due(how));
    }

    @Override
    public void receive(MemorySegment values, DataType type, int fromRank, CollectiveOptions how)
            throws CollectiveException {
        var parcel = new Parcel(type, Tensors.elements(values, type));
        Tensors.demandWritable(values);
        NodeId peer = other(fromRank);
        demandEntered();
        shell.pairs().receive(peer, values, parcel, due(how));
    }

    private NodeId other(int rank) {
        List<NodeId> members = shell.state().ranks();
        if (rank < 0 || rank >= Math.max(1, members.size())) {
            throw new IllegalArgumentException(
                    "no rank " + rank + " in a group of " + members.size() + "; ranks are 0 to worldSize() - 1");
        }
        if (members.isEmpty() || members.get(rank).equals(self)) {
            throw new IllegalArgumentException(
                    "rank " + rank + " is this one, which cannot send to itself: name another rank");
        }
        return members.get(rank);
    }

    /** After all that was begun before. */
    private CollectiveResult next(Plan plan, MemorySegment input, MemorySegment target, CollectiveOptions how)
            throws CollectiveException {
        queue.awaitAll();
        return run(plan, input, target, how);
    }

    @Override
    public void share(String name, List<MemorySegment> buffers) {
        shared.share(name, buffers);
    }

    @Override
    public StepStart beginStep(CollectiveOptions how) throws CollectiveException {
        if (shell.isOut()) {
            shared.left();
        }
        var means = new StepBoundary.Means(
                group, streams, shell.buffers(), clock, roundTripNanos, options.stateBudget(), progress);
        var boundary = new StepBoundary(shared, means);
        MemorySegment agreed = MemorySegment.ofArray(new byte[StateClaim.BYTES]);
        next(new Plan(Signature.boundary(StateClaim.BYTES), boundary), agreed, agreed, how);
        entersByStep = false;
        StepStart start = boundary.pass(agreed);
        if (start.replaced()) {
            memories.forgetAll();
        }
        return start;
    }

    @Override
    public MemorySegment saveCompression(Arena arena) throws CollectiveException {
        queue.awaitAll();
        return memories.save(arena);
    }

    @Override
    public void restoreCompression(MemorySegment saved) throws CollectiveException, MalformedMessageException {
        queue.awaitAll();
        memories.restore(saved);
    }

    /** The group is at work already: until a step began here, every other call is refused at once. */
    public void enterByStep() {
        entersByStep = true;
    }

    @Override
    public CollectiveMetrics metricsSnapshot() {
        return tally.snapshot(worldSize() - 1, shell.caller().repeated());
    }

    /**
     * Most bytes of native working memory that this engine held at once since this was asked before: results, copies of inputs,
     * encodings, and spare buffers. Not the buffers of streams nor what codecs remember.
     */
    public long takeWorkBytesPeak() {
        return shell.buffers().takePeakBytes();
    }

    /**
     * Stops every data thread and says where this member stands. Nothing ends here until {@link #install} brings a successor
     * of that view. Bounded by the time to process one segment.
     *
     * @param lineage text of the view's lineage, as in {@link #install}
     * @param epoch of the view that is to be succeeded
     * @param roundTripNanos to other nodes, as far as somebody measured; for the order of the next ring
     * @return the status, at most {@link io.hearth.election.Resolver#BYTES_MAX} bytes
     */
    public Bytes freeze(String lineage, long epoch, Map<NodeId, Long> roundTripNanos) {
        this.roundTripNanos = Map.copyOf(roundTripNanos);
        return CollectiveCodec.encode(shell.freeze(lineage, epoch).measured(RoundTrips.of(roundTripNanos)));
    }

    /**
     * Takes a committed view. With an unchanged group epoch everything goes on in place; with another one streams are set up
     * anew at next use, and open calls run again or take their result from a member that has it.
     *
     * @param lineage text of the view's lineage: the same on all members, another one for another lineage
     * @param view which lists this node as a trainer of the group; otherwise the node counts as removed
     * @param roundTripNanos to other nodes, as far as somebody measured; state is taken from the nearest
     */
    public void install(String lineage, View view, Map<NodeId, Long> roundTripNanos) {
        this.roundTripNanos = Map.copyOf(roundTripNanos);
        install(lineage, view);
    }

    /** As {@link #install(String, View, Map)}, with what was measured before. */
    void install(String lineage, View view) {
        List<NodeId> members = view.group(group).stream().map(Member::node).toList();
        Optional<GroupView> groupView = view.groupView(group);
        if (!members.contains(self) || groupView.isEmpty()) {
            removed(new RemovedFromClusterException("epoch " + view.epoch() + " goes on without this node"));
            return;
        }
        if (!shell.state().mayGoOnIn(lineage)) {
            removed(new RemovedFromClusterException(
                    "this training had begun alone when the node joined others at epoch " + view.epoch()));
        }
        shell.pairs().installed(lineage, view.group(group));
        try {
            shell.install(new GroupMachine.Event.Installed(
                    new GroupMachine.Frozen(lineage, view.epoch()),
                    lineage + "/" + groupView.get().epoch(),
                    members,
                    view.members().size() > 1,
                    CollectiveCodec.resolution(groupView.get().resolution())));
        } catch (MalformedMessageException malformed) {
            removed(malformed);
        }
    }

    /**
     * Ends all open calls with {@code why}, and later ones too until a step begins; before the first call it changes nothing.
     */
    public void removed(HearthException why) {
        shell.removed(why);
        shell.pairs().over(why);
    }

    /** Ends everything with {@code why} for good, whether anything was called or not. */
    void fail(HearthException why) {
        shell.fail(why);
    }

    /**
     * Whether all data threads stand still. For a node that slept: its sockets may be full of a past in which it was a member, and
     * it has to hear first whether it still is one.
     */
    public void rest(boolean resting) {
        shell.rest(resting);
    }

    /** Tells {@code listener} where the time of calls goes that begin from now on, and nobody else; NONE ends that. */
    public void trace(CollectiveTrace listener) {
        shell.trace(listener);
    }

    /** Tells {@code listener} how far long transfers are that begin from now on, and nobody else; NONE ends that. */
    public void progress(CollectiveProgress listener) {
        progress = listener;
        shell.progress(listener, self, clock);
    }

    /** All numbers up to this one ended here; 0 before the first. */
    public long doneUpTo() {
        return shell.state().doneUpTo();
    }

    /** What this member's collectives are doing, for those who want to enter. */
    public GroupPhase phase() {
        return shell.state().phase();
    }

    /** Whether the next step has to wait, because somebody is to enter before it; see {@code ViewMachine}'s effect. */
    public void hold(boolean held) {
        shell.hold(held);
    }

    @Override
    public void close() {
        queue.close();
        if (!shell.end()) {
            return; // a call is still inside, and this memory is what it works on
        }
        memories.close();
        shared.close();
    }

    private Plan sum(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions how) {
        return plans.plan(Tensors.elements(values, type), type, op, how);
    }

    private void demandEntered() throws CollectiveException {
        if (entersByStep) {
            throw new CollectiveException("group '" + group + "' is already training: share() what all ranks keep alike"
                    + " and call beginStep() to enter it, or come back when the job has ended");
        }
    }

    private long due(CollectiveOptions how) {
        return clock.nanoTime() + nanos(how.deadline().orElse(options.deadline()));
    }

    private CollectiveResult run(Plan plan, MemorySegment input, MemorySegment target, CollectiveOptions how)
            throws CollectiveException {
        Tensors.demandUsable(input);
        Tensors.demandWritable(target);
        if (plan.signature().kind() != Signature.Kind.BOUNDARY) {
            demandEntered();
        }
        long due = due(how);
        Signature signature = plan.signature();
        Call.Memory memory = plan.contribution().memory(signature, input, target, shell);
        var call = new Call(signature, memory, plan.contribution(), due);
        Status.Kept outcome;
        try {
            outcome = shell.caller().perform(call);
        } finally {
            tally.sent(signature, call.bytesSent);
        }
        if (outcome.refusal().isPresent()) {
            throw outcome.refusal().get().toException();
        }
        if (call.ran != null) { // the ring that the result comes from, whoever brought it
            tally.dense(plan.contribution()
                    .denseBytes(signature, call.ran, options.config().segmentBytes()));
        }
        Contribution.Part part = plan.contribution().part(call, outcome.contributors());
        return new CollectiveResult(outcome.contributors(), call.bytesSent, part.first(), part.count());
    }

    /** Longer than anybody waits is as good as for ever, and can be reckoned with. */
    private static long nanos(Duration deadline) {
        return deadline.compareTo(DEADLINE_MAX) > 0 ? DEADLINE_MAX.toNanos() : deadline.toNanos();
    }

    private static long blockElements(MemorySegment block, DataType type) {
        if (block.byteSize() > BLOCK_BYTES_MAX) {
            throw new IllegalArgumentException("a block of " + block.byteSize() + " bytes is too large: the blocks of "
                    + View.MEMBERS_MAX + " ranks must have an address, so it is at most " + BLOCK_BYTES_MAX);
        }
        return Tensors.elements(block, type);
    }
}
