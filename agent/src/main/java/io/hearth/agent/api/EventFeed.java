package io.hearth.agent.api;

import io.hearth.agent.history.ClusterEvent;
import io.hearth.agent.history.ClusterHistory;
import io.hearth.agent.status.VersionedValue;
import java.util.ArrayDeque;
import java.util.Deque;

/** The events after a number, one by one; waits for those that have not happened yet. One thread uses it. */
final class EventFeed {
    private final VersionedValue<ClusterHistory> history;
    private final Deque<ClusterEvent> ready = new ArrayDeque<>();
    private long seenVersion;
    private long seenNumber;

    EventFeed(VersionedValue<ClusterHistory> history, long after) {
        this.history = history;
        this.seenNumber = after;
    }

    ClusterEvent next() throws InterruptedException {
        while (ready.isEmpty()) {
            VersionedValue.Version<ClusterHistory> newest = history.awaitAfter(seenVersion);
            seenVersion = newest.number();
            ready.addAll(newest.value().after(seenNumber));
            seenNumber = Math.max(seenNumber, newest.value().number());
        }
        return ready.remove();
    }
}
