package io.hearth.collective.engine;

import io.hearth.collective.CollectiveMetrics;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.StateBlob;
import io.hearth.collective.StepStart;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.group.Status;
import io.hearth.collective.group.SubgroupId;
import io.hearth.core.CollectiveException;
import io.hearth.core.HearthException;
import io.hearth.election.Member;
import io.hearth.identity.NodeId;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The collectives among some members of a group: numbers, results and streams of their own, the group's views. A member that the group loses
 * is lost here too, for good: also if it comes back to the group, because it knows nothing of the numbers by then.
 */
final class Subgroup extends GroupCalls {
    /** Most numbers that it has open at once: one call runs at a time, so one result is kept. */
    static final int WINDOW = 1;

    private final SubgroupId id;
    private final NodeId self;
    private final CollectiveEngine engine;
    private final String lineage;
    private List<NodeId> members; // guarded by the lock of Subgroups
    private volatile long closedAfter = Long.MAX_VALUE; // number of the group; set by its application's thread

    /** A subgroup of these members, by rank, in the engine's present lineage. */
    Subgroup(
            SubgroupId id,
            List<NodeId> members,
            String lineage,
            Subgroups subgroups,
            Subgroups.Means means,
            CollectiveEngine engine) {
        Order order = engine.order();
        var runtime = new GroupRuntime(
                means.group(),
                means.self(),
                means.streams(),
                order.reducer(),
                means.options(),
                WINDOW,
                subgroups.listener(engine.runtime()),
                order.clock());
        super(means.group(), means.self(), runtime, order, means.options(), means.costs());
        this.id = id;
        this.self = means.self();
        this.members = List.copyOf(members);
        this.lineage = lineage;
        this.engine = engine;
    }

    SubgroupId id() {
        return id;
    }

    /** Takes a view of the group. */
    void install(GroupRuntime.Entered group) {
        GroupMachine.Event.Installed view = group.view();
        members = members.stream().filter(view.members()::contains).toList();
        if (!view.view().lineage().equals(lineage) || !members.contains(self)) {
            end(new CollectiveException("this subgroup belongs to an earlier time of the group: split again"));
            return;
        }
        List<Member> listed = group.members().stream()
                .filter(member -> members.contains(member.node()))
                .sorted(Comparator.comparingInt(member -> members.indexOf(member.node())))
                .toList();
        runtime()
                .install(
                        new GroupMachine.Event.Installed(
                                view.view(),
                                view.fence() + ":" + id.text(),
                                members,
                                view.inCompany(),
                                group.decision().of(id).among(members)),
                        listed);
    }

    /** Whether no member can need it any more, once the group's numbers up to this one have ended. */
    boolean isFree(long doneUpTo) {
        return !isInGroup() || closedAfter < doneUpTo;
    }

    Status freeze(GroupMachine.Frozen view) {
        return runtime().freeze(view.lineage(), view.epoch());
    }

    /** Ends all calls for good; its memory is freed later. */
    void end(HearthException why) {
        runtime().fail(why);
    }

    @Override
    Optional<DistributedBackend> subgroup(List<NodeId> some) {
        return engine.subgroup(some);
    }

    @Override
    public boolean isInGroup() {
        return !runtime().isOver();
    }

    @Override
    public boolean isSubgroup() {
        return true;
    }

    @Override
    public CollectiveMetrics metricsSnapshot() {
        return engine.metricsSnapshot();
    }

    @Override
    public void share(String name, List<MemorySegment> buffers) {
        throw ofGroup();
    }

    @Override
    public void share(String name, Supplier<List<MemorySegment>> buffers) {
        throw ofGroup();
    }

    @Override
    public void share(String name, int bytesMax, StateBlob blob) {
        throw ofGroup();
    }

    @Override
    public void unshare(String name) {
        throw ofGroup();
    }

    @Override
    public void resumeAt(long step) {
        throw ofGroup();
    }

    @Override
    public StepStart beginStep(CollectiveOptions how) {
        throw ofGroup();
    }

    private static IllegalStateException ofGroup() {
        return new IllegalStateException(
                "a subgroup has no steps and no shared state: they belong to the whole group, so call its context");
    }

    @Override
    public void close() {
        if (closedAfter == Long.MAX_VALUE) {
            admission().close();
            closedAfter = engine.doneUpTo();
        }
    }
}
