package io.hearth.election.view.state;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The change that this node's view needs or undergoes.
 *
 * @param needed why this node wants one; empty if it does not
 * @param neededNanos time since when it wants it
 * @param notBeforeNanos earliest instant of its next ballot
 * @param driver the other node that drives a ballot, if there is one
 * @param drivenNanos time of the last message of that ballot
 * @param broken why the streams of its group must be set up again, if they must
 * @param gone machines that will never vote about this view
 * @param unvoted machines that this node asked for a vote about the change, in its newest ballot or before, and that did not vote in time
 */
public record Change(
        Optional<String> needed,
        long neededNanos,
        long notBeforeNanos,
        Optional<NodeId> driver,
        long drivenNanos,
        Optional<String> broken,
        SortedSet<PeerId> gone,
        SortedMap<PeerId, Unvoted> unvoted) {
    /**
     * A requested vote.
     *
     * @param sinceNanos time of the first request
     * @param acceptance whether an acceptance is missing; a promise is no answer then
     */
    public record Unvoted(long sinceNanos, boolean acceptance) {}

    public static Change none(long now) {
        return new Change(
                Optional.empty(), now, now, Optional.empty(), now, Optional.empty(), new TreeSet<>(), new TreeMap<>());
    }

    public Change needed(Optional<String> why, long now) {
        long since = needed.isPresent() && why.isPresent() ? neededNanos : now;
        return new Change(why, since, notBeforeNanos, driver, drivenNanos, broken, gone, unvoted);
    }

    /** Restarts the timers after an outage, since older reasons and ballots may be void. */
    public Change restarted(long now) {
        return new Change(
                Optional.empty(), now, notBeforeNanos, Optional.empty(), drivenNanos, broken, gone, new TreeMap<>());
    }

    public Change notBefore(long instant) {
        return new Change(needed, neededNanos, instant, driver, drivenNanos, broken, gone, unvoted);
    }

    public Change drivenBy(NodeId node, long now) {
        return new Change(needed, neededNanos, notBeforeNanos, Optional.of(node), now, broken, gone, unvoted);
    }

    /** Without a driver. */
    public Change abandoned() {
        return new Change(needed, neededNanos, notBeforeNanos, Optional.empty(), drivenNanos, broken, gone, unvoted);
    }

    public Change broken(String why) {
        return new Change(needed, neededNanos, notBeforeNanos, driver, drivenNanos, Optional.of(why), gone, unvoted);
    }

    public Change gone(PeerId machine) {
        var more = new TreeSet<>(gone);
        more.add(machine);
        return new Change(needed, neededNanos, notBeforeNanos, driver, drivenNanos, broken, more, unvoted);
    }

    /** These machines are asked for a promise, or for an acceptance. */
    public Change asked(Collection<PeerId> machines, boolean acceptance, long now) {
        var more = new TreeMap<>(unvoted);
        machines.forEach(machine -> more.putIfAbsent(machine, new Unvoted(now, acceptance)));
        return with(more);
    }

    public Change voted(PeerId machine, boolean acceptance) {
        Unvoted missing = unvoted.get(machine);
        if (missing == null || (missing.acceptance() && !acceptance)) {
            return this;
        }
        var fewer = new TreeMap<>(unvoted);
        fewer.remove(machine);
        return with(fewer);
    }

    /** This node waits for no votes. */
    public Change unasked() {
        return unvoted.isEmpty() ? this : with(new TreeMap<>());
    }

    private Change with(SortedMap<PeerId, Unvoted> votes) {
        return new Change(needed, neededNanos, notBeforeNanos, driver, drivenNanos, broken, gone, votes);
    }
}
