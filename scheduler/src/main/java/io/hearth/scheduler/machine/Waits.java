package io.hearth.scheduler.machine;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.pcollections.PSortedMap;
import org.pcollections.PSortedSet;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * Calls that wait; immutable. They are found by their group and by the end of their time, so that an event costs only what it lets go.
 *
 * @param calls by number
 * @param groups the same by group, then by number
 * @param ends the same, the first to end first
 */
public record Waits<W extends Waits.Entry>(
        PSortedMap<Long, W> calls, PSortedMap<String, PSortedMap<Long, W>> groups, PSortedSet<W> ends) {
    /** A call that waits. */
    public interface Entry {
        long call();

        String group();

        long untilNanos();
    }

    /** Nobody waits. */
    static <W extends Entry> Waits<W> none() {
        return new Waits<>(TreePMap.empty(), TreePMap.empty(), TreePSet.empty(Waits.<W>order()));
    }

    /** Instants are compared by their difference, as their zero may be anywhere. */
    private static <W extends Entry> Comparator<W> order() {
        return (one, other) -> {
            long later = one.untilNanos() - other.untilNanos();
            return later == 0 ? Long.compare(one.call(), other.call()) : Long.signum(later);
        };
    }

    Waits<W> plus(W wait) {
        return new Waits<>(
                calls.plus(wait.call(), wait),
                groups.plus(wait.group(), members(wait.group()).plus(wait.call(), wait)),
                ends.plus(wait));
    }

    Waits<W> minus(long call) {
        W wait = calls.get(call);
        if (wait == null) {
            return this;
        }
        PSortedMap<Long, W> rest = members(wait.group()).minus(call);
        return new Waits<>(
                calls.minus(call),
                rest.isEmpty() ? groups.minus(wait.group()) : groups.plus(wait.group(), rest),
                ends.minus(wait));
    }

    private PSortedMap<Long, W> members(String group) {
        return groups.getOrDefault(group, TreePMap.empty());
    }

    int size() {
        return calls.size();
    }

    /** The calls of a group, in the order of their numbers. */
    Collection<W> of(String group) {
        return members(group).values();
    }

    /** The calls whose time is up. */
    List<W> due(long now) {
        return ends.stream().takeWhile(wait -> now - wait.untilNanos() >= 0).toList();
    }

    /** Until the first call's time is up; {@link Long#MAX_VALUE} if nobody waits. */
    long sleepNanos(long now) {
        return ends.isEmpty() ? Long.MAX_VALUE : ends.first().untilNanos() - now;
    }
}
