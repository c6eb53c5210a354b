package io.hearth.collective.engine;

import io.hearth.collective.CollectiveProgress;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.choice.CodecCost;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.group.OpenCall;
import io.hearth.collective.group.Status;
import io.hearth.collective.group.StatusReport;
import io.hearth.collective.group.SubgroupId;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.HearthException;
import io.hearth.election.GroupPhase;
import io.hearth.election.Member;
import io.hearth.identity.NodeId;
import io.hearth.transport.StreamSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The subgroups of an engine. They take part in every view change of the group.
 *
 * <p>A subgroup that its application closed still answers for its newest result until the group's next number has ended: all members make
 * their calls in one order, so by then none of them can lack it.
 */
final class Subgroups {
    private static final long OPEN = Long.MAX_VALUE;

    /** What every subgroup needs from the engine's owner; as in {@link CollectiveEngine}. */
    record Means(
            String group,
            NodeId self,
            StreamSource streams,
            CollectiveListener listener,
            Function<List<CompressionStrategy.Coded>, List<CodecCost>> costs) {}

    private final Means means;
    private final EngineOptions options;
    private final ReentrantLock lock = new ReentrantLock(); // guards all that follows
    private final Map<Subgroup, Long> kept = new HashMap<>(); // with the group's number after which it can go
    private final Map<Made, Integer> made = new HashMap<>();
    private final Map<NodeId, Member> known = new HashMap<>(); // all members so far, as they were listed last
    private GroupRuntime.@Nullable Entered newest;
    private GroupMachine.@Nullable Frozen frozen;
    private CollectiveTrace trace = CollectiveTrace.NONE;
    private CollectiveProgress progress = CollectiveProgress.NONE;
    private long codecNanosEnded;
    private long repeatedEnded;

    /** A list of members of which subgroups were made. */
    private record Made(String lineage, List<Member> members) {}

    Subgroups(Means means, EngineOptions options) {
        this.means = means;
        this.options = options;
    }

    /** Makes a subgroup of these members of the engine's group, by rank; empty if this node is none of them. */
    Optional<DistributedBackend> make(List<NodeId> members, CollectiveEngine engine) {
        return locked(() -> {
            free(engine.doneUpTo());
            GroupRuntime.Entered view = newest;
            if (view == null) {
                throw new IllegalStateException("the group has no members yet: wait for its start");
            }
            if (!members.contains(means.self())) {
                return Optional.empty();
            }
            if (kept.size() >= StatusReport.SUBGROUPS_MAX) {
                throw new IllegalStateException("this process has " + kept.size()
                        + " subgroups, and more are not possible: close those that are not used any more");
            }
            List<Member> listed = members.stream()
                    .map(member -> Objects.requireNonNull(known.get(member)))
                    .toList();
            String lineage = view.view().view().lineage();
            int ordinal = made.merge(new Made(lineage, listed), 1, Integer::sum) - 1;
            var subgroup = new Subgroup(
                    SubgroupId.of(lineage, listed, ordinal),
                    members,
                    lineage,
                    this,
                    means,
                    options,
                    engine,
                    means.costs());
            subgroup.runtime().trace(trace);
            subgroup.runtime().progress(progress, means.self(), engine.order().clock());
            kept.put(subgroup, OPEN);
            if (frozen != null) {
                subgroup.freeze(frozen);
            }
            subgroup.install(view);
            return Optional.of(subgroup);
        });
    }

    /** The engine's report, with those of the subgroups. */
    StatusReport freeze(Status group, String lineage, long epoch) {
        return locked(() -> {
            var view = new GroupMachine.Frozen(lineage, epoch);
            frozen = view;
            var reports = new TreeMap<SubgroupId, Status>();
            Optional<String> broken = group.broken();
            for (Subgroup subgroup : kept.keySet()) {
                Status status = subgroup.freeze(view);
                broken = broken.or(status::broken);
                reports.put(subgroup.id(), status.brief());
            }
            return new StatusReport(group.broken(broken), reports);
        });
    }

    /** All subgroups take a view of the group. */
    void install(GroupRuntime.Entered view) {
        locked(() -> {
            newest = view;
            view.members().forEach(member -> known.put(member.node(), member));
            if (frozen != null && view.view().view().succeeds(frozen)) {
                frozen = null;
            }
            kept.keySet().forEach(subgroup -> subgroup.install(view));
            return view;
        });
    }

    /** This member is out of the group; its subgroups end for good. */
    void end(HearthException why) {
        each(subgroup -> subgroup.end(why));
    }

    /** A subgroup's application needs it no more, after these numbers of the group. */
    void closed(Subgroup subgroup, long doneUpTo) {
        locked(() -> kept.computeIfPresent(subgroup, (_, _) -> doneUpTo));
    }

    /** Frees the subgroups that no member can need any more. For the thread in a call. */
    private void free(long doneUpTo) {
        for (Subgroup subgroup : List.copyOf(kept.keySet())) {
            boolean isOver = subgroup.runtime().isOver();
            if ((isOver || kept.getOrDefault(subgroup, OPEN) < doneUpTo)
                    && subgroup.runtime().end()) {
                codecNanosEnded += subgroup.runtime().codecNanos();
                repeatedEnded += subgroup.runtime().executor().repeated();
                subgroup.closeMemories();
                kept.remove(subgroup);
            }
        }
    }

    /** Whether there was ever one. */
    boolean isUsed() {
        return locked(() -> !made.isEmpty());
    }

    /** The highest called number of each, by the text of its id. */
    SortedMap<String, Long> called() {
        var called = new TreeMap<String, Long>();
        each(subgroup ->
                called.put(subgroup.id().text(), subgroup.runtime().state().next() - 1));
        return called;
    }

    /** As {@link CollectiveEngine#openCall}. */
    Optional<OpenCall> openCall(SortedMap<String, Long> called) {
        return all().stream()
                .flatMap(subgroup -> subgroup.runtime().openCall(subgroup.id().text(), called).stream())
                .findFirst();
    }

    /** As {@link CollectiveEngine#mismatched}. */
    void mismatched(OpenCall call, String why) {
        each(subgroup -> {
            if (subgroup.id().text().equals(call.place())) {
                subgroup.runtime().mismatched(call.number(), why);
            }
        });
    }

    void rest(boolean resting) {
        each(subgroup -> subgroup.runtime().rest(resting));
    }

    void trace(CollectiveTrace listener) {
        locked(() -> trace = listener);
        each(subgroup -> subgroup.runtime().trace(listener));
    }

    void progress(CollectiveProgress listener) {
        locked(() -> progress = listener);
        each(subgroup -> subgroup.runtime()
                .progress(listener, means.self(), subgroup.order().clock()));
    }

    boolean isMoving() {
        return all().stream().anyMatch(subgroup -> subgroup.runtime().state().isMoving());
    }

    /** Whether the current thread is a data thread of a subgroup. */
    boolean isDataThread() {
        return all().stream().anyMatch(subgroup -> subgroup.runtime().isDataThread());
    }

    /** Total time of the codecs, in nanoseconds, of subgroups that are gone too. */
    long codecNanos() {
        return sum(codecNanosEnded, subgroup -> subgroup.runtime().codecNanos());
    }

    /** Number of exchanges that ran again, of subgroups that are gone too. */
    long repeated() {
        return sum(repeatedEnded, subgroup -> subgroup.runtime().executor().repeated());
    }

    private long sum(long ended, ToLongFunction<Subgroup> of) {
        return ended + all().stream().mapToLong(of).sum();
    }

    /** Ends everything, in bounded time; returns whether every thread ended. */
    boolean close() {
        boolean ended = true;
        for (Subgroup subgroup : all()) {
            ended &= subgroup.runtime().end();
        }
        return ended;
    }

    /** Frees the memories of the codecs; after {@link #close}. */
    void closeMemories() {
        each(Subgroup::closeMemories);
    }

    /** Passes on what concerns the whole node. A member that leaves a subgroup leaves its group. */
    CollectiveListener listener(GroupRuntime group) {
        return new CollectiveListener() {
            @Override
            public void progress(long doneUpTo, GroupPhase phase) { // for others, the group's own numbers count
                if (doneUpTo > 0) {
                    group.begun();
                }
            }

            @Override
            public void streamBroken(NodeId peer, String why) {
                means.listener().streamBroken(peer, why);
            }

            @Override
            public void gaveUp(String why) {
                means.listener().gaveUp(why);
            }

            @Override
            public void failed(Throwable why) {
                means.listener().failed(why);
            }
        };
    }

    private List<Subgroup> all() {
        return locked(() -> new ArrayList<>(kept.keySet()));
    }

    /** Runs an action for each, without the lock. */
    void each(Consumer<Subgroup> action) {
        all().forEach(action);
    }

    private <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
