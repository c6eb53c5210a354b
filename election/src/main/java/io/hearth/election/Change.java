package io.hearth.election;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What this node knows of the change that its view needs or undergoes.
 *
 * @param needed why it wants one itself, if it does
 * @param neededNanos since when
 * @param notBeforeNanos earliest instant of its next ballot
 * @param driver who else drives a ballot, if anybody
 * @param drivenNanos when that ballot was last heard of
 * @param broken why the streams of its group must be set up anew, if they must
 * @param gone machines that will never vote about this view
 */
record Change(
        Optional<String> needed,
        long neededNanos,
        long notBeforeNanos,
        Optional<NodeId> driver,
        long drivenNanos,
        Optional<String> broken,
        SortedSet<PeerId> gone) {
    static Change none(long now) {
        return new Change(Optional.empty(), now, now, Optional.empty(), now, Optional.empty(), new TreeSet<>());
    }

    Change needed(Optional<String> why, long now) {
        long since = needed.isPresent() && why.isPresent() ? neededNanos : now;
        return new Change(why, since, notBeforeNanos, driver, drivenNanos, broken, gone);
    }

    /** The clocks start again: what was needed or driven during an outage may be so no more. */
    Change restarted(long now) {
        return new Change(Optional.empty(), now, notBeforeNanos, Optional.empty(), drivenNanos, broken, gone);
    }

    Change notBefore(long instant) {
        return new Change(needed, neededNanos, instant, driver, drivenNanos, broken, gone);
    }

    Change drivenBy(NodeId node, long now) {
        return new Change(needed, neededNanos, notBeforeNanos, Optional.of(node), now, broken, gone);
    }

    /** Nobody drives it. */
    Change abandoned() {
        return new Change(needed, neededNanos, notBeforeNanos, Optional.empty(), drivenNanos, broken, gone);
    }

    Change broken(String why) {
        return new Change(needed, neededNanos, notBeforeNanos, driver, drivenNanos, Optional.of(why), gone);
    }

    Change gone(PeerId machine) {
        var more = new TreeSet<>(gone);
        more.add(machine);
        return new Change(needed, neededNanos, notBeforeNanos, driver, drivenNanos, broken, more);
    }
}
