package io.hearth.collective.engine;

import io.hearth.accel.Reducer;
import io.hearth.collective.CollectiveMetrics;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveProgress;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Operation;
import io.hearth.collective.Signature;
import io.hearth.collective.StateBlob;
import io.hearth.collective.StepStart;
import io.hearth.collective.call.CallPlan;
import io.hearth.collective.call.CallRequest;
import io.hearth.collective.choice.CodecCost;
import io.hearth.collective.engine.queue.CallQueue;
import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.GroupActivity;
import io.hearth.collective.group.GroupLayout;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.group.MeasuredLinks;
import io.hearth.collective.group.OpenCall;
import io.hearth.collective.group.StartMetStepException;
import io.hearth.collective.group.Status;
import io.hearth.collective.state.SharedState;
import io.hearth.collective.state.StateClaim;
import io.hearth.collective.state.StepBoundary;
import io.hearth.collective.sum.compressed.CodecThreads;
import io.hearth.collective.sum.timing.CodecTimer;
import io.hearth.collective.sum.timing.CodecWarmUp;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.HearthException;
import io.hearth.election.GroupPhase;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.topology.LinkReport;
import io.hearth.topology.plan.Plan;
import io.hearth.transport.Arrivals;
import io.hearth.transport.StreamSource;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicBoolean;
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
public final class CollectiveEngine extends GroupCalls {
    private static final Logger LOG = LoggerFactory.getLogger(CollectiveEngine.class);

    private final EngineOptions options;
    private final Clock clock;
    private final String group;
    private final NodeId self;
    private final StreamSource streams;
    private final GroupRuntime runtime;
    private final Order order;
    private final CallAdmission admission;
    private final SharedState shared = new SharedState();
    private final Subgroups subgroups;
    private volatile CollectiveProgress progress = CollectiveProgress.NONE; // written by any thread, read by callers
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
        var runtime = new GroupRuntime(group, self, streams, reducer, options, GroupMachine.WINDOW, listener, clock);
        var subgroups = new Subgroups(new Subgroups.Means(group, self, streams, listener, options.ofSubgroup(), costs));
        var order = new Order(
                new CallQueue("hearth-calls-" + group, () -> runtime.isDataThread() || subgroups.isDataThread()),
                new AtomicBoolean(),
                new MetricsTally(),
                reducer,
                new CodecThreads("hearth-codec-" + group, Runtime.getRuntime().availableProcessors()),
                clock);
        super(group, self, runtime, order, options, costs);
        this.group = group;
        this.self = self;
        this.streams = streams;
        this.options = options;
        this.clock = clock;
        this.runtime = runtime;
        this.order = order;
        this.subgroups = subgroups;
        this.admission = admission();
        CodecWarmUp.begin(options.compression(), reducer.codecKernels());
    }

    @Override
    public boolean isInGroup() {
        return !admission.entersByStep() && !runtime.isOver();
    }

    @Override
    public int rank() {
        requirePlace();
        return super.rank();
    }

    @Override
    public int worldSize() {
        requirePlace();
        return super.worldSize();
    }

    private void requirePlace() {
        if (admission.entersByStep()) {
            throw new IllegalStateException("this process is not in group '" + group
                    + "' yet, which is already training: beginStep() enters it, and then it has a rank");
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
        long due = admission.after(order.queue(), how);
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
            stepBegan();
            admission.points().begunStep();
            if (StepBoundary.hasNewcomers(agreed)) {
                autoSums().forgetVotes();
            }
            StepStart start = boundary.pass(agreed);
            if (start.replaced()) {
                stateReplaced();
                shared.loadBlobs();
            }
            return start;
        });
    }

    @Override
    void stepBegan() {
        super.stepBegan();
        subgroups.free(doneUpTo());
        subgroups.each(GroupCalls::stepBegan);
    }

    @Override
    void stateReplaced() {
        super.stateReplaced();
        subgroups.each(GroupCalls::stateReplaced);
    }

    @Override
    Optional<DistributedBackend> subgroup(List<NodeId> members) {
        return subgroups.make(members, this);
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
            next(requests().start(least), how);
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
        return order.tally()
                .snapshot(
                        codecNanos(),
                        super.worldSize() - 1,
                        runtime.executor().repeated() + subgroups.repeated(),
                        autoSums().choices());
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
     * @return the status of this group and its subgroups, at most {@link io.hearth.election.Resolver#BYTES_MAX} bytes
     */
    public Bytes freeze(String lineage, long epoch, LinkReport links) {
        runtime.measured(links);
        Status own = runtime.freeze(lineage, epoch).measured(MeasuredLinks.of(links));
        return CollectiveMessages.encode(subgroups.freeze(own, lineage, epoch));
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
        install(lineage, view);
    }

    /** As {@link #install(String, View, LinkReport)}, with the measurements of before. */
    public void install(String lineage, View view) {
        try {
            subgroups.install(runtime.install(lineage, view));
        } catch (HearthException out) {
            removed(out);
        }
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
        subgroups.end(why, false);
    }

    /** Ends the engine for good: open calls and all later calls throw {@code why}. */
    public void fail(HearthException why) {
        runtime.fail(why);
        subgroups.end(why, true);
    }

    /**
     * Pauses or resumes all data threads, for a node that slept. Its sockets may hold old data, and the node must first learn
     * whether it is still a member.
     */
    public void rest(boolean resting) {
        runtime.rest(resting);
        subgroups.rest(resting);
    }

    /** Sends the time traces of calls that begin from now on to {@code listener}, instead of the former one; NONE for no listener. */
    public void trace(CollectiveTrace listener) {
        runtime.trace(listener);
        subgroups.trace(listener);
    }

    /**
     * Sends the progress of long transfers that begin from now on to {@code listener}, instead of the former one; NONE for no
     * listener.
     */
    public void progress(CollectiveProgress listener) {
        progress = listener;
        runtime.progress(listener, self, clock);
        subgroups.progress(listener);
    }

    /** Whether a collective runs, so that its data may travel at any moment. */
    public boolean isMoving() {
        return runtime.state().isMoving() || subgroups.isMoving();
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
        return runtime.codecNanos() + subgroups.codecNanos();
    }

    /** All numbers up to this one ended here; 0 before the first. */
    public long doneUpTo() {
        return runtime.state().doneUpTo();
    }

    /** Phase of this member's collectives, for nodes that want to join. */
    public GroupPhase phase() {
        return runtime.state().phase();
    }

    /** Whether this member has subgroups. From any thread. */
    public boolean hasSubgroups() {
        return subgroups.areUsed();
    }

    /** The call that has not ended here, of the group or of a subgroup; empty without one. From any thread. */
    public Optional<OpenCall> openCall() {
        return runtime.openCall(OpenCall.GROUP).or(subgroups::openCall).map(call -> {
            SortedMap<String, Long> called =
                    subgroups.called(); // later than the call: a count that is too low would accuse
            called.put(OpenCall.GROUP, runtime.state().next() - 1);
            return call.after(called);
        });
    }

    /** Ends a call, if it is still open, with a {@link io.hearth.core.CollectiveMismatchException}; this member leaves its group. */
    public void mismatched(OpenCall call, String why) {
        if (call.place().equals(OpenCall.GROUP)) {
            runtime.mismatched(call.number(), why);
        } else {
            subgroups.mismatched(call, why);
        }
    }

    /** Sets whether the next step must wait, because a node is to join before it; see {@code ViewMachine}'s effect. */
    public void hold(boolean held) {
        runtime.hold(held);
    }

    @Override
    public void close() {
        order.queue().close();
        boolean hasEnded = subgroups.close();
        hasEnded &= runtime.end();
        if (!hasEnded || !order.codecThreads().end()) {
            return; // a call still works on this memory
        }
        subgroups.closeMemories();
        closeMemories();
        shared.close();
    }
}
