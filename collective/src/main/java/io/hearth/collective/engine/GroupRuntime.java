package io.hearth.collective.engine;

import io.hearth.accel.Reducer;
import io.hearth.collective.CollectiveProgress;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.call.Workspace;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Gate;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.MeshDriver;
import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.GroupActivity;
import io.hearth.collective.group.GroupDecision;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.group.GroupMachine.Effect;
import io.hearth.collective.group.GroupMachine.Event;
import io.hearth.collective.group.OpenCall;
import io.hearth.collective.group.Status;
import io.hearth.collective.pair.PeerChannel;
import io.hearth.collective.pair.PointToPoint;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.HearthException;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.election.GroupView;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.topology.LinkReport;
import io.hearth.topology.plan.Plan;
import io.hearth.transport.Arrivals;
import io.hearth.transport.StreamSource;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects a group's machine with the threads and the memory that carry out its effects, and takes the events of the view change.
 * {@link CallExecutor} runs the application's calls.
 */
public final class GroupRuntime implements Workspace, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupRuntime.class);
    private static final long CLOSE_SECONDS_MAX = 10;

    private final String group;
    private final Gate gate = new Gate();
    private final Buffers buffers;
    private final GroupMonitor monitor;
    private final MeshDriver driver;
    private final CallExecutor executor;
    private final Forwarder forwarder;
    private final PointToPoint pairs;
    private final NodeId self;
    private volatile LinkReport links = LinkReport.NONE; // written by the view change, read by callers
    private volatile Proposal proposal = new Proposal("", Plan.NONE); // written by the owner, read by callers

    /** A plan for the members of a group epoch. */
    private record Proposal(String fence, Plan plan) {}

    /** A group without a view; {@code window} as in {@link GroupMachine}. */
    public GroupRuntime(
            String group,
            NodeId self,
            StreamSource streams,
            Reducer reducer,
            EngineOptions options,
            int window,
            CollectiveListener listener,
            Clock clock) {
        this.group = group;
        this.self = self;
        this.buffers = new Buffers(reducer::allocate);
        var machine = new GroupMachine(window, options.policy(), options.ranks());
        this.monitor = new GroupMonitor(self, machine, gate, buffers, listener, clock);
        this.driver = new MeshDriver(group, streams, reducer, gate, options.config());
        this.executor = new CallExecutor(group, monitor, driver, buffers, options.config(), clock);
        this.forwarder = new Forwarder(group, monitor, driver, options.config());
        this.pairs = new PointToPoint(new PeerChannel.Means(
                group, self, streams, gate, buffers, clock, bug -> monitor.fail("sending from rank to rank", bug)));
        monitor.follow(pairs);
    }

    @Override
    public Buffers buffers() {
        return buffers;
    }

    @Override
    public boolean mayTouch(MemorySegment memory) {
        return driver.receiverThread().mayTouch(memory);
    }

    /** Whether calls need the current thread, so that it must not wait for them. */
    boolean isDataThread() {
        return driver.receiverThread().isCurrent();
    }

    /** As {@link MeshDriver#trace}. */
    void trace(CollectiveTrace listener) {
        driver.trace(listener);
    }

    /** As {@link MeshDriver#progress}. */
    void progress(CollectiveProgress listener, NodeId self, Clock clock) {
        driver.progress(listener, self, clock);
    }

    CallExecutor executor() {
        return executor;
    }

    PointToPoint pairs() {
        return pairs;
    }

    GroupMachine.State state() {
        return monitor.snapshot();
    }

    /** The measurements of this node's links. */
    LinkReport links() {
        return links;
    }

    /** Sets what this node measured on its links. */
    void measured(LinkReport report) {
        links = report;
    }

    /** As {@link CollectiveEngine#arrivals}. */
    SortedMap<NodeId, Arrivals> arrivals() {
        return monitor.read(monitor::mesh).map(Mesh::arrivals).orElseGet(Collections::emptySortedMap);
    }

    /** As {@link Mesh#isInMemory}; false before the first view. */
    boolean isInMemory() {
        return monitor.read(() -> monitor.mesh().filter(Mesh::isInMemory).isPresent());
    }

    /** As {@link CollectiveEngine#codecNanos}. */
    long codecNanos() {
        return driver.codecNanos();
    }

    /** As {@link CollectiveEngine#propose}. */
    void propose(String fence, Plan plan) {
        proposal = new Proposal(fence, plan);
    }

    /** The plan that this member proposes if it leads the group; none once the group has other members than it was made for. */
    Plan proposal() {
        Proposal newest = proposal;
        return newest.fence.equals(state().layout().fence()) ? newest.plan : Plan.NONE;
    }

    /** A view that a group entered, for its subgroups. */
    record Entered(Event.Installed view, List<Member> members, GroupDecision decision) {}

    /** Installs a view as {@link CollectiveEngine#install}. Throws if this member is out of its group. */
    Entered install(String lineage, View view) throws HearthException {
        List<Member> members = view.group(group);
        List<NodeId> nodes = members.stream().map(Member::node).toList();
        Optional<GroupView> groupView = view.groupView(group);
        if (!nodes.contains(self) || groupView.isEmpty()) {
            throw new RemovedFromClusterException("epoch " + view.epoch() + " goes on without this node");
        }
        GroupDecision decision = CollectiveMessages.decision(groupView.get().resolution());
        if (!state().mayGoOnIn(lineage)) {
            removed(new RemovedFromClusterException(
                    "this training began alone, before the node joined others at epoch " + view.epoch()));
        }
        var entered = new Event.Installed(
                new GroupMachine.Frozen(lineage, view.epoch()),
                lineage + "/" + groupView.get().epoch(),
                nodes,
                view.members().size() > 1,
                decision.group());
        install(entered, members);
        return new Entered(entered, members, decision);
    }

    /** Installs a view of these members, by rank. */
    void install(Event.Installed view, List<Member> members) {
        pairs.installed(view.view().lineage(), members);
        install(view);
    }

    /** Stops every data thread, then returns this member's status; no call ends until {@link #install}. */
    Status freeze(String lineage, long epoch) {
        gate.freeze();
        return monitor.read(() -> {
            monitor.step(new Event.Freeze(new GroupMachine.Frozen(lineage, epoch)));
            monitor.mesh().ifPresent(mesh -> mesh.waitsFor("the view change"));
            return monitor.state().status(lineage);
        });
    }

    /** The call that is open here, without the numbers that were called. */
    Optional<OpenCall> openCall(String place) {
        return monitor.read(() -> monitor.call()
                .filter(call -> call.outcome == null && call.error == null)
                .map(call -> new OpenCall(
                        monitor.state().layout().lineage(),
                        place,
                        call.number,
                        call.signature().text(),
                        monitor.state().layout().members(),
                        Collections.emptySortedMap())));
    }

    /** Ends the open call of that number, because this member and another one wait for each other; it leaves its group. */
    void mismatched(long number, String why) {
        monitor.locked(() -> Optional.ofNullable(monitor.call(number))
                .ifPresent(call -> monitor.giveUp(call, new CollectiveMismatchException(why))));
    }

    /** A call of a subgroup has ended. */
    void begun() {
        monitor.locked(monitor::begun);
    }

    /** Pauses or resumes every data thread. */
    void rest(boolean resting) {
        if (resting) {
            gate.rest();
        } else {
            gate.resume();
        }
    }

    /** Sets whether the next step must wait. */
    void hold(boolean held) {
        monitor.locked(() -> monitor.hold(held));
    }

    private void install(Event.Installed view) {
        monitor.lock.lock();
        try {
            monitor.remember(view);
            if (monitor.over().isPresent()) {
                return;
            }
            List<Effect.Forward> forwards = monitor.install(view);
            if (!forwards.isEmpty()) {
                monitor.mesh().ifPresent(on -> forwarder.start(on, forwards));
            }
            if (monitor.state().frozen().isEmpty()) {
                gate.thaw();
            }
        } finally {
            monitor.lock.unlock();
        }
    }

    /** As {@link CollectiveEngine#hear}. */
    void hear(GroupActivity elsewhere, boolean meetsStep, boolean spare) {
        monitor.locked(() -> monitor.hear(elsewhere, meetsStep, spare));
    }

    /** How far this member is on its way into the group's work. */
    GroupActivity activity() {
        return monitor.read(() -> monitor.over().isPresent()
                ? GroupActivity.IDLE
                : monitor.state().activity());
    }

    /** Whether this member is out of its group; its application got an error or will get one. */
    boolean isOver() {
        return monitor.read(() -> monitor.over().isPresent());
    }

    /** Ends everything with {@code why}; a group that has not started waits for the next view instead. */
    void removed(HearthException why) {
        monitor.locked(() -> {
            if (monitor.state().next() > 1 && !monitor.state().isStarting()) {
                monitor.finish(why);
            }
        });
        pairs.over(why);
    }

    /** Ends everything with {@code why}, for good. */
    void fail(HearthException why) {
        monitor.locked(() -> monitor.close(why));
    }

    /** Ends everything, in bounded time. If a thread does not end, the memory that it may be using is not freed. */
    @Override
    public void close() {
        end();
    }

    /** As {@link #close}; returns whether every thread ended. */
    boolean end() {
        boolean idle = monitor.read(() -> {
            monitor.close(new CollectiveException("the backend of group '" + group + "' is closed"));
            return awaitNoCall();
        });
        idle &= driver.end();
        executor.close();
        idle &= forwarder.end(CLOSE_SECONDS_MAX);
        idle &= pairs.end();
        if (!idle) {
            LOG.warn("group={} is closed, but a thread is still running; its memory is not freed", group);
            return false;
        }
        monitor.locked(monitor::releaseAll);
        buffers.close();
        return true;
    }

    private boolean awaitNoCall() {
        long left = TimeUnit.SECONDS.toNanos(CLOSE_SECONDS_MAX);
        try {
            while (monitor.call().isPresent() && left > 0) {
                left = monitor.changed.awaitNanos(left);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return monitor.call().isEmpty();
    }
}
