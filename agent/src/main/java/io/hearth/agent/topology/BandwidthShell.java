package io.hearth.agent.topology;

import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.topology.bandwidth.Bandwidth;
import io.hearth.topology.bandwidth.BandwidthMachine.Event;
import io.hearth.topology.local.LocalCounters;
import io.hearth.transport.DataStream;
import io.hearth.transport.StreamId;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one measurement at a time on a thread of its own; the machine says when. */
public final class BandwidthShell implements BandwidthTalk.Measurer, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BandwidthShell.class);
    private static final Duration OPEN_MAX = Duration.ofSeconds(2);
    private static final Duration END_MAX = Duration.ofSeconds(5);

    private final StreamSource streams;
    private final Clock clock;
    private final BooleanSupplier mayGoOn;
    private final Consumer<Event> events;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Running running; // under the lock
    private boolean closed; // under the lock

    /** The measurement that runs. */
    private static final class Running {
        private final long number;
        private @Nullable Thread thread; // under the lock, as is the stream
        private @Nullable DataStream stream;
        private boolean stopped;

        Running(long number) {
            this.number = number;
        }
    }

    /**
     * A shell without a measurement.
     *
     * @param streams borrowed
     * @param mayGoOn whether no collective runs on this node; called by the measuring thread
     * @param events takes {@link Event.Began} and the result; called by the measuring thread, for measurements that were not stopped
     */
    public BandwidthShell(StreamSource streams, Clock clock, BooleanSupplier mayGoOn, Consumer<Event> events) {
        this.streams = streams;
        this.clock = clock;
        this.mayGoOn = mayGoOn;
        this.events = events;
    }

    /**
     * Starts a measurement; one that still runs is stopped.
     *
     * @param number of the measurement
     * @param asker the node that chose the number
     * @param roundTripNanos to the peer; 0 if unknown
     */
    @Override
    public void run(NodeId peer, long number, NodeId asker, long roundTripNanos) {
        var next = new Running(number);
        var id = new StreamId("bandwidth", asker.shortText() + "#" + number, 0);
        lock.lock();
        try {
            stopRunning();
            if (closed) {
                return;
            }
            running = next;
            next.thread = Thread.ofPlatform()
                    .daemon()
                    .name("hearth-bandwidth")
                    .start(() -> measure(next, peer, id, !asker.equals(peer), roundTripNanos));
        } finally {
            lock.unlock();
        }
    }

    /** Stops the measurement with this number, if it runs; its end is not reported. */
    @Override
    public void stop(long number) {
        lock.lock();
        try {
            if (running != null && running.number == number) {
                stopRunning();
            }
        } finally {
            lock.unlock();
        }
    }

    private void stopRunning() {
        Running now = running;
        running = null;
        if (now != null) {
            now.stopped = true;
            if (now.stream != null) {
                now.stream.close();
            } else if (now.thread != null) {
                now.thread.interrupt(); // it opens the stream
            }
        }
    }

    private void measure(Running own, NodeId peer, StreamId id, boolean asked, long roundTripNanos) {
        Optional<Bandwidth> result = Optional.empty();
        try (DataStream stream = streams.open(peer, id, OPEN_MAX)) {
            if (begin(own, stream)) {
                events.accept(new Event.Began(peer, own.number));
                result = run(peer, new TrainStream(stream, clock, mayGoOn, LocalCounters::read), asked, roundTripNanos);
            }
        } catch (InterruptedException stop) {
            LOG.debug("no measurement of peer={}: stopped", peer.shortText());
        } catch (IOException failed) {
            LOG.debug("no measurement of peer={}: {}", peer.shortText(), failed.getMessage());
        } finally {
            streams.endLoan();
        }
        if (end(own)) {
            events.accept(new Event.Ended(peer, own.number, result));
        }
    }

    private static Optional<Bandwidth> run(NodeId peer, TrainStream trains, boolean asked, long roundTripNanos)
            throws IOException {
        Optional<Bandwidth> result = Optional.empty();
        try {
            result = trains.run(asked, roundTripNanos);
            return result;
        } finally {
            LOG.debug(
                    "measured peer={} with outBytes={} inBytes={}: {}",
                    peer.shortText(),
                    trains.outBytes(),
                    trains.inBytes(),
                    result.map(Object::toString).orElse("no rate"));
        }
    }

    private boolean begin(Running own, DataStream stream) {
        lock.lock();
        try {
            own.stream = stream;
            return !own.stopped;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the end is to be reported. */
    private boolean end(Running own) {
        lock.lock();
        try {
            if (own.equals(running)) {
                running = null;
            }
            return !own.stopped;
        } finally {
            lock.unlock();
        }
    }

    /** Stops the measurement that runs, and waits for its thread. */
    @Override
    public void close() {
        @Nullable Thread last;
        lock.lock();
        try {
            closed = true;
            last = running == null ? null : running.thread;
            stopRunning();
        } finally {
            lock.unlock();
        }
        try {
            if (last != null && !last.join(END_MAX)) {
                LOG.warn(
                        "the thread of a bandwidth measurement still runs {} s after its stream closed",
                        END_MAX.toSeconds());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
