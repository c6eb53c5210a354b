package io.hearth.agent;

import io.hearth.identity.NodeId;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events on their way to a node's owner thread: bounded, and nobody who hands one in ever waits.
 *
 * <p>Of one peer at most {@value #OF_ONE_MAX} messages wait, so that a flood of one takes no place from the others. Messages of all peers
 * may fill it up to a reserve that is kept for what happens to links and sources, which is bounded by its own limits. A peer whose
 * message finds no place is noted as flooding, and the owner closes its link.
 */
final class NodeInbox {
    private static final Logger LOG = LoggerFactory.getLogger(NodeInbox.class);
    private static final int EVENTS_MAX = 8192;
    private static final int RESERVE = 2048;
    private static final int OF_ONE_MAX = 1024;

    private final BlockingQueue<NodeEvent> events = new ArrayBlockingQueue<>(EVENTS_MAX);
    private final Map<NodeId, Integer> waiting =
            new ConcurrentHashMap<>(); // messages; links' thread counts up, owner down
    private final Set<NodeId> flooding = new ConcurrentSkipListSet<>(); // links' thread adds, owner empties
    private final AtomicReference<NodeEvent.@Nullable Progress> progress =
            new AtomicReference<>(); // newest, not yet taken
    private final AtomicLong dropped = new AtomicLong(); // events that found no place at all; counted by any thread

    /** A message; dropped, and its sender noted, when too many of the sender wait or only the reserve is left. */
    void message(NodeEvent.Message message) {
        NodeId from = message.from();
        if (events.remainingCapacity() <= RESERVE || waiting.getOrDefault(from, 0) >= OF_ONE_MAX) {
            flooding.add(from);
            return;
        }
        waiting.merge(from, 1, Integer::sum);
        if (!events.offer(message)) {
            taken(from);
            flooding.add(from);
        }
    }

    /** A message of a machine that is being re-keyed; dropped, and its connection closed, when only the reserve is left. */
    void rekey(NodeEvent.RekeyMessage message) {
        if (events.remainingCapacity() <= RESERVE || !events.offer(message)) {
            message.channel().refuse("too many messages");
        }
    }

    /** Anything else. */
    void event(NodeEvent event) {
        if (!events.offer(event) && dropped.getAndIncrement() == 0) {
            LOG.error("the owner thread stands still: events are dropped, the first one is {}", event);
        }
    }

    /** How far the collectives are; only the newest counts. */
    void progress(NodeEvent.Progress newest) {
        if (progress.getAndSet(newest) == null) {
            events.offer(newest); // wakes the owner; if there is no place, it is awake and looks when it has caught up
        }
    }

    /** The next event, waiting for it at most so long; null when none came. */
    @Nullable
    NodeEvent poll(long nanos) throws InterruptedException {
        NodeEvent event = nanos <= 0 ? events.poll() : events.poll(nanos, TimeUnit.NANOSECONDS);
        if (event instanceof NodeEvent.Message message) {
            taken(message.from());
        }
        return event == null || event instanceof NodeEvent.Progress ? progress.getAndSet(null) : event;
    }

    private void taken(NodeId from) {
        waiting.computeIfPresent(from, (_, count) -> count == 1 ? null : count - 1);
    }

    /** Peers that sent more than this node can take since the last call. */
    Set<NodeId> flooding() {
        var peers = Set.copyOf(flooding);
        flooding.removeAll(peers);
        return peers;
    }
}
