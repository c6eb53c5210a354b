package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.Optional;

/**
 * What this node knows of the change that its view needs or undergoes.
 *
 * @param needed why it wants one itself, if it does
 * @param neededNanos since when
 * @param notBeforeNanos earliest instant of its next ballot
 * @param roundSeen highest round of any ballot met for this epoch
 * @param driver who else drives a ballot, if anybody
 * @param drivenNanos when that ballot was last heard of
 * @param broken why the streams of its group must be set up anew, if they must
 */
record Change(
        Optional<String> needed,
        long neededNanos,
        long notBeforeNanos,
        long roundSeen,
        Optional<NodeId> driver,
        long drivenNanos,
        Optional<String> broken) {
    static Change none(long now) {
        return new Change(Optional.empty(), now, now, 0, Optional.empty(), now, Optional.empty());
    }

    Change needed(Optional<String> why, long now) {
        long since = needed.isPresent() && why.isPresent() ? neededNanos : now;
        return new Change(why, since, notBeforeNanos, roundSeen, driver, drivenNanos, broken);
    }

    Change notBefore(long instant) {
        return new Change(needed, neededNanos, instant, roundSeen, driver, drivenNanos, broken);
    }

    Change drivenBy(NodeId node, long now) {
        return new Change(needed, neededNanos, notBeforeNanos, roundSeen, Optional.of(node), now, broken);
    }

    Change saw(long round) {
        return new Change(needed, neededNanos, notBeforeNanos, Math.max(round, roundSeen), driver, drivenNanos, broken);
    }

    Change broken(String why) {
        return new Change(needed, neededNanos, notBeforeNanos, roundSeen, driver, drivenNanos, Optional.of(why));
    }
}
