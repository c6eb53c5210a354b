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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The subgroups of an engine. They take part in every view change of the group.
 *
 * <p>A subgroup that its application closed still answers for its newest result until the group's next number has ended: all members make
 * their calls in one order, so by then each of them has it.
 */
final class Subgroups {
    /** What the subgroups of an engine have in common; as in {@link CollectiveEngine}. */
    record Means(
            String group,
            NodeId self,
            StreamSource streams,
            CollectiveListener listener,
            EngineOptions options,
            Function<List<CompressionStrategy.Coded>, List<CodecCost>> costs) {}

    private final Means means;
    private final LongAdder codecNanosEnded = new LongAdder();
    private final LongAdder repeatedEnded = new LongAdder();
    private final ReentrantLock lock = new ReentrantLock(); // guards all that follows
    private volatile List<Subgroup> kept = List.of(); // written with the lock, read by any thread
    private final Map<List<Member>, Integer> made = new HashMap<>(); // of the newest view's lineage
    private final Map<NodeId, Member> known = new HashMap<>(); // all members so far, as they were listed last
    private GroupRuntime.@Nullable Entered newest;
    private GroupMachine.@Nullable Frozen frozen;
    private @Nullable HearthException over; // why the newest view has no subgroups any more
    private boolean isClosed; // no later view has any either
    private CollectiveTrace trace = CollectiveTrace.NONE;
    private CollectiveProgress progress = CollectiveProgress.NONE;

    Subgroups(Means means) {
        this.means = means;
    }

    /** Makes a subgroup of these members of the engine's group, by rank; empty if this node is none of them. For the thread in a call. */
    Optional<DistributedBackend> make(List<NodeId> members, CollectiveEngine engine) {
        free(engine.doneUpTo());
        return locked(() -> {
            GroupRuntime.Entered view = newest;
            if (view == null) {
                throw new IllegalStateException("the group has no members yet: wait for its start");
            }
            if (!members.contains(means.self())) {
                return Optional.empty();
            }
            if (kept.size() >= StatusReport.SUBGROUPS_MAX) {
                throw new IllegalStateException("this process has " + kept.size()
                        + " subgroups, and more are not possible: close those that are not used any more; a closed one goes"
                        + " when a call of the whole group, such as barrier(), has ended after that");
            }
            List<Member> listed = members.stream()
                    .map(member -> Objects.requireNonNull(known.get(member)))
                    .toList();
            String lineage = view.view().view().lineage();
            SubgroupId id = SubgroupId.of(lineage, listed, made.merge(listed, 1, Integer::sum) - 1);
            var subgroup = new Subgroup(id, members, lineage, this, means, engine);
            subgroup.runtime().trace(trace);
            subgroup.runtime().progress(progress, means.self(), engine.order().clock());
            keep(Stream.concat(kept.stream(), Stream.of(subgroup)));
            if (frozen != null) {
                subgroup.freeze(frozen);
            }
            subgroup.install(view);
            if (over != null) {
                subgroup.end(over);
            }
            return Optional.of(subgroup);
        });
    }

    private void keep(Stream<Subgroup> subgroups) {
        kept = subgroups.toList();
    }

    /** The engine's report, with those of the subgroups. One that has ended here knows nothing that others may use. */
    StatusReport freeze(Status group, String lineage, long epoch) {
        return locked(() -> {
            var view = new GroupMachine.Frozen(lineage, epoch);
            frozen = view;
            var reports = new TreeMap<SubgroupId, Status>();
            Optional<String> broken = group.broken();
            for (Subgroup subgroup : kept) {
                Status status = subgroup.freeze(view);
                if (subgroup.isInGroup()) {
                    broken = broken.or(status::broken);
                    reports.put(subgroup.id(), status.brief());
                }
            }
            return new StatusReport(group.broken(broken), reports);
        });
    }

    /** All subgroups take a view of the group. */
    void install(GroupRuntime.Entered view) {
        locked(() -> {
            GroupMachine.Frozen now = view.view().view();
            if (newest != null && !newest.view().view().lineage().equals(now.lineage())) {
                made.clear();
            }
            newest = view;
            over = isClosed ? over : null;
            view.members().forEach(member -> known.put(member.node(), member));
            if (frozen != null && now.succeeds(frozen)) {
                frozen = null;
            }
            kept.forEach(subgroup -> subgroup.install(view));
            return view;
        });
    }

    /**
     * This member is out of the group; its subgroups end for good.
     *
     * @param isLast whether there will be no others after them
     */
    void end(HearthException why, boolean isLast) {
        locked(() -> {
            over = why;
            isClosed |= isLast;
            kept.forEach(subgroup -> subgroup.end(why));
            return why;
        });
    }

    /** Frees the subgroups that no member can need any more, without the lock, because a thread may end late. */
    void free(long doneUpTo) {
        for (Subgroup subgroup : kept) {
            if (subgroup.isFree(doneUpTo) && forget(subgroup)) {
                codecNanosEnded.add(subgroup.runtime().codecNanos());
                repeatedEnded.add(subgroup.runtime().executor().repeated());
                if (subgroup.runtime().end()) {
                    subgroup.closeMemories();
                }
            }
        }
    }

    /** Removes it from those that are kept; false if another thread has. */
    private boolean forget(Subgroup subgroup) {
        return locked(() -> {
            int before = kept.size();
            keep(kept.stream().filter(other -> !other.equals(subgroup)));
            return kept.size() < before;
        });
    }

    /** Whether there is one. */
    boolean areUsed() {
        return !kept.isEmpty();
    }

    /** The highest called number of each, by the text of its id. */
    SortedMap<String, Long> called() {
        var called = new TreeMap<String, Long>();
        for (Subgroup subgroup : kept) {
            called.put(subgroup.id().text(), subgroup.runtime().state().next() - 1);
        }
        return called;
    }

    /** The open call; empty without one. As {@link CollectiveEngine#openCall}. */
    Optional<OpenCall> openCall() {
        return kept.stream()
                .flatMap(subgroup -> subgroup.runtime().openCall(subgroup.id().text()).stream())
                .findFirst();
    }

    /** As {@link CollectiveEngine#mismatched}. */
    void mismatched(OpenCall call, String why) {
        kept.stream()
                .filter(subgroup -> subgroup.id().text().equals(call.place()))
                .forEach(subgroup -> subgroup.runtime().mismatched(call.number(), why));
    }

    void rest(boolean resting) {
        kept.forEach(subgroup -> subgroup.runtime().rest(resting));
    }

    void trace(CollectiveTrace listener) {
        locked(() -> trace = listener);
        kept.forEach(subgroup -> subgroup.runtime().trace(listener));
    }

    void progress(CollectiveProgress listener) {
        locked(() -> progress = listener);
        kept.forEach(subgroup -> subgroup.runtime()
                .progress(listener, means.self(), subgroup.order().clock()));
    }

    boolean isMoving() {
        return kept.stream().anyMatch(subgroup -> subgroup.runtime().state().isMoving());
    }

    /** Whether the current thread is a data thread of a subgroup. */
    boolean isDataThread() {
        return kept.stream().anyMatch(subgroup -> subgroup.runtime().isDataThread());
    }

    /** Total time of the codecs, in nanoseconds, of subgroups that are gone too. */
    long codecNanos() {
        return sum(codecNanosEnded, subgroup -> subgroup.runtime().codecNanos());
    }

    /** Number of exchanges that ran again, of subgroups that are gone too. */
    long repeated() {
        return sum(repeatedEnded, subgroup -> subgroup.runtime().executor().repeated());
    }

    private long sum(LongAdder ended, ToLongFunction<Subgroup> of) {
        return ended.sum() + kept.stream().mapToLong(of).sum();
    }

    /** Ends everything, in bounded time; returns whether every thread ended. */
    boolean close() {
        boolean ended = true;
        for (Subgroup subgroup : kept) {
            ended &= subgroup.runtime().end();
        }
        return ended;
    }

    /** Frees the memories of the codecs; after {@link #close}. */
    void closeMemories() {
        kept.forEach(Subgroup::closeMemories);
    }

    /** Passes on what concerns the whole node. A member that leaves a subgroup leaves its group. */
    CollectiveListener listener(GroupRuntime group) {
        return new CollectiveListener() {
            @Override
            public void progress(long doneUpTo, GroupPhase phase) { // for others, the group's own numbers count
                if (doneUpTo == 1) {
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

    /** Runs an action for each. */
    void each(Consumer<Subgroup> action) {
        kept.forEach(action);
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
