package io.hearth.transport.lane;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.transport.StreamId;
import io.hearth.transport.machine.AddressPair;
import io.hearth.transport.machine.LaneLimits;
import io.hearth.transport.machine.StreamTickets;
import io.hearth.transport.machine.StreamTickets.Grant;
import io.hearth.transport.machine.StreamTickets.Offer;
import io.hearth.transport.machine.StreamTickets.Wanted;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lanes of this node's streams. The side that dialled a stream dials its missing lanes too, at first and after they were lost, on one
 * thread for all streams. The other side issues a ticket for each.
 */
public final class Lanes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Lanes.class);
    private static final int STREAMS_MAX = 1024;

    /** Time between two looks for lost lanes. */
    private static final long LOOK_NANOS = 100_000_000L;

    private static final long PAUSE_NANOS_MIN = 250_000_000L;
    private static final long PAUSE_NANOS_MAX = 8_000_000_000L;
    private static final Duration JOIN = Duration.ofSeconds(2);

    /** Opens one connection. */
    public interface Dialer {
        void dial(LaneStream stream, int lane, AddressPair path) throws IOException, InterruptedException;
    }

    /** The lanes of a stream that this node dials. */
    private static final class Dialed {
        private final LaneStream stream;
        private final List<AddressPair> paths; // by lane
        private final long[] dueNanos = new long[LaneLimits.LANES_MAX];
        private final long[] pauseNanos = new long[LaneLimits.LANES_MAX];

        private Dialed(LaneStream stream, List<AddressPair> paths, long nowNanos) {
            this.stream = stream;
            this.paths = List.copyOf(paths);
            for (int lane = 0; lane < dueNanos.length; lane++) {
                dueNanos[lane] = nowNanos;
                pauseNanos[lane] = PAUSE_NANOS_MIN;
            }
        }
    }

    /** A missing lane. */
    private record Missing(Dialed of, int lane) {}

    private final Dialer dialer;
    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock(); // guards all below
    private final Condition added = lock.newCondition();
    private final Map<LaneStream, Dialed> dialed = new LinkedHashMap<>(); // at most STREAMS_MAX
    private final Map<Wanted, LaneStream> accepted = new LinkedHashMap<>(); // at most STREAMS_MAX
    private final StreamTickets<AddressPair> tickets;
    private @Nullable Thread thread;
    private boolean closed;

    public Lanes(Dialer dialer, Supplier<Bytes> random, Clock clock) {
        this.dialer = dialer;
        this.clock = clock;
        this.tickets = new StreamTickets<>(STREAMS_MAX * LaneLimits.LANES_MAX, random);
    }

    /** The name of a lane's connection. */
    public static StreamId name(StreamId stream, int lane) {
        return new StreamId(stream.group(), stream.fence(), stream.index() + (lane + 1) * (StreamId.INDEX_MAX + 1));
    }

    /** Whether this names a connection of a lane. */
    public static boolean isLane(StreamId id) {
        return id.index() > StreamId.INDEX_MAX;
    }

    private static int lane(StreamId id) {
        return id.index() / (StreamId.INDEX_MAX + 1) - 1;
    }

    private static StreamId stream(StreamId id) {
        return new StreamId(id.group(), id.fence(), id.index() % (StreamId.INDEX_MAX + 1));
    }

    /**
     * Dials the missing lanes of a stream until it ends.
     *
     * @param paths of the lanes, that of the first one included
     */
    public void dial(LaneStream stream, List<AddressPair> paths) {
        lock.lock();
        try {
            if (closed || dialed.size() >= STREAMS_MAX) {
                return; // then it has one lane
            }
            dialed.put(stream, new Dialed(stream, paths, clock.nanoTime()));
            if (thread == null) {
                thread = Thread.ofPlatform().daemon().name("hearth-lanes").start(this::run);
            }
            added.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Accepts lanes of a stream until it ends.
     *
     * @return tickets for requests that came before
     */
    public Collection<Offer<AddressPair>> accept(LaneStream stream, int count) {
        var offers = new ArrayList<Offer<AddressPair>>();
        lock.lock();
        try {
            if (accepted.size() >= STREAMS_MAX) {
                return List.of(); // then it has one lane
            }
            accepted.put(new Wanted(stream.peer(), stream.id()), stream);
            for (int lane = 0; lane < count; lane++) {
                var wanted = new Wanted(stream.peer(), name(stream.id(), lane));
                tickets.closed(wanted); // of a former stream with this name
                if (tickets.opened(wanted)) {
                    tickets.pending(wanted, clock.nanoTime()).ifPresent(offers::add);
                }
            }
        } finally {
            lock.unlock();
        }
        return offers;
    }

    /** Handles a peer's request for a lane over that path. */
    public Optional<Offer<AddressPair>> requested(NodeId peer, StreamId id, AddressPair path, long number) {
        lock.lock();
        try {
            return tickets.requested(new Wanted(peer, id), path, number, clock.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** Whether a valid ticket was sent for that path. */
    public boolean isAwaited(AddressPair path) {
        lock.lock();
        try {
            return tickets.isOut(path::equals, clock.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** A stream that a connection may join. */
    public record Place(LaneStream stream, int lane, StreamId id, AddressPair path) {}

    /** Removes a ticket; empty if it is not valid. */
    public Optional<Place> redeem(Bytes ticket) {
        lock.lock();
        try {
            return tickets.redeem(ticket, clock.nanoTime()).flatMap(this::place);
        } finally {
            lock.unlock();
        }
    }

    private Optional<Place> place(Grant<AddressPair> grant) {
        StreamId id = grant.wanted().id();
        return Optional.ofNullable(accepted.get(new Wanted(grant.wanted().peer(), stream(id))))
                .map(stream -> new Place(stream, lane(id), id, grant.link()));
    }

    /** A stream ended. */
    public void ended(LaneStream stream) {
        lock.lock();
        try {
            dialed.remove(stream);
            if (accepted.remove(new Wanted(stream.peer(), stream.id()), stream)) {
                for (int lane = 0; lane < LaneLimits.LANES_MAX; lane++) {
                    tickets.closed(new Wanted(stream.peer(), name(stream.id(), lane)));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** The last link to that node ended. */
    public void lost(NodeId peer) {
        lock.lock();
        try {
            tickets.lost(peer);
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (true) {
                Missing missing = await();
                if (missing == null) {
                    return;
                }
                dial(missing);
            }
        } catch (InterruptedException closing) {
            LOG.debug("no more lanes are dialled");
        }
    }

    private void dial(Missing missing) throws InterruptedException {
        Dialed of = missing.of();
        int lane = missing.lane();
        try {
            dialer.dial(of.stream, lane, of.paths.get(lane));
            of.pauseNanos[lane] = PAUSE_NANOS_MIN;
        } catch (IOException failed) {
            LOG.debug("no lane peer={} lane={}: {}", of.stream.peer().shortText(), lane, failed.getMessage());
            of.pauseNanos[lane] = Math.min(PAUSE_NANOS_MAX, 2 * of.pauseNanos[lane]);
        }
        of.dueNanos[lane] = clock.nanoTime() + of.pauseNanos[lane];
    }

    /** Waits for a missing lane; null when this object is closed. */
    private @Nullable Missing await() throws InterruptedException {
        while (true) {
            Missing missing = missing(all());
            if (missing != null) {
                return missing;
            }
            lock.lock();
            try {
                if (closed) {
                    return null;
                }
                if (dialed.isEmpty()) {
                    added.await();
                } else {
                    boolean _ = added.await(LOOK_NANOS, TimeUnit.NANOSECONDS);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private List<Dialed> all() {
        lock.lock();
        try {
            return closed ? List.of() : List.copyOf(dialed.values());
        } finally {
            lock.unlock();
        }
    }

    /** Looks without this object's lock, because a stream that ends holds its own and calls {@link #ended}. */
    private @Nullable Missing missing(List<Dialed> all) {
        for (Dialed of : all) {
            if (!of.stream.isOpen()) {
                ended(of.stream);
                continue;
            }
            for (int lane = 0; lane < of.paths.size(); lane++) {
                if (!of.stream.hasLane(lane) && of.dueNanos[lane] - clock.nanoTime() <= 0) {
                    return new Missing(of, lane);
                }
            }
        }
        return null;
    }

    @Override
    public void close() {
        Thread last;
        lock.lock();
        try {
            closed = true;
            last = thread;
            added.signalAll();
        } finally {
            lock.unlock();
        }
        if (last != null) {
            last.interrupt();
            try {
                last.join(JOIN);
            } catch (InterruptedException impatient) {
                Thread.currentThread().interrupt(); // passed to the caller; the thread ends by itself
            }
        }
    }
}
