package io.hearth.agent.loop;

import io.hearth.election.GroupPhase;
import io.hearth.identity.NodeId;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bounded queue of events for a node's owner thread. A thread that adds an event never waits.
 *
 * <p>At most {@value #OF_ONE_MAX} messages of one peer wait, so that a flood from one peer takes no place from the others. Messages of all
 * peers may fill the queue up to a reserve for events of links and sources, whose number has its own limits. A peer whose message finds no
 * place is marked as flooding, and the owner closes its link.
 */
public final class NodeInbox {
    private static final Logger LOG = LoggerFactory.getLogger(NodeInbox.class);
    private static final int EVENTS_MAX = 8192;
    private static final int RESERVE = 2048;
    private static final int OF_ONE_MAX = 1024;

    private final BlockingQueue<NodeEvent> events = new ArrayBlockingQueue<>(EVENTS_MAX);
    private final Map<NodeId, Integer> waiting =
            new ConcurrentHashMap<>(); // waiting messages; incremented by the links' thread, decremented by the owner
    private final Set<NodeId> flooding = new ConcurrentSkipListSet<>(); // the links' thread adds, the owner empties it
    private final AtomicReference<NodeEvent.@Nullable Progress> progress =
            new AtomicReference<>(); // the newest one that was not taken yet
    private final AtomicBoolean wakes = new AtomicBoolean(); // whether an event in the queue stands for progress
    private volatile @Nullable GroupPhase phase; // of the newest progress; accessed under the engine's lock
    private @Nullable NodeEvent held; // behind progress; only the owner uses it
    private final AtomicLong dropped = new AtomicLong(); // events that found no place; counted by any thread

    /** Adds a message. It is dropped, and its sender marked, if too many of the sender wait or only the reserve is left. */
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

    /** Adds a message of a machine that is being re-keyed. It is dropped, and its connection closed, if only the reserve is left. */
    void rekey(NodeEvent.RekeyMessage message) {
        if (events.remainingCapacity() <= RESERVE || !events.offer(message)) {
            message.channel().refuse("too many messages");
        }
    }

    /** Adds any other event. */
    public void event(NodeEvent event) {
        if (!events.offer(event) && dropped.getAndIncrement() == 0) {
            LOG.error("the owner thread stands still: events are dropped, the first one is {}", event);
        }
    }

    /**
     * Adds progress of the collectives; only the newest counts. It wakes the owner for another phase alone: to wake it for each number would
     * cost more than a small sum, and the owner learns of numbers soon enough when its next tick is due.
     */
    void progress(NodeEvent.Progress newest) {
        progress.set(newest);
        if (newest.phase() != phase) {
            phase = newest.phase();
            if (wakes.compareAndSet(false, true) && !events.offer(newest)) {
                wakes.set(false); // without a place the owner is awake and reads it later
            }
        }
    }

    /**
     * The next event, after a wait of at most {@code nanos}; null if none came. Progress comes before all other events: who leaves must know
     * which numbers have ended here.
     */
    @Nullable
    NodeEvent poll(long nanos) throws InterruptedException {
        NodeEvent event = held;
        held = null;
        if (event != null) {
            return event;
        }
        event = nanos <= 0 ? events.poll() : events.poll(nanos, TimeUnit.NANOSECONDS);
        if (event instanceof NodeEvent.Message message) {
            taken(message.from());
        } else if (event instanceof NodeEvent.Progress) {
            wakes.set(false);
            event = null;
        }
        NodeEvent newest = progress.getAndSet(null);
        if (newest == null) {
            return event;
        }
        held = event;
        return newest;
    }

    private void taken(NodeId from) {
        waiting.computeIfPresent(from, (_, count) -> count == 1 ? null : count - 1);
    }

    /** Peers that sent more messages than this node can take, since the last call. */
    public Set<NodeId> flooding() {
        var peers = Set.copyOf(flooding);
        flooding.removeAll(peers);
        return peers;
    }
}
