package io.hearth.collective.engine;

import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.call.Call;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Exchange;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.MeshDriver;
import io.hearth.collective.exchange.Region;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.GroupMachine.Effect;
import io.hearth.collective.group.GroupMachine.Event;
import io.hearth.collective.group.StreamBrokenException;
import io.hearth.collective.schedule.RingBroadcast;
import io.hearth.core.LeftGroupException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards results after a view change, from a member that finished a call to those that did not. It uses a thread of its own,
 * because the application of a member that has the result may make no call for a long time.
 */
final class Forwarder {
    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);

    private final String group;
    private final GroupMonitor monitor;
    private final MeshDriver driver;
    private final CollectiveConfig config;
    private final List<Thread> threads = new ArrayList<>(); // guarded by the monitor's lock

    Forwarder(String group, GroupMonitor monitor, MeshDriver driver, CollectiveConfig config) {
        this.group = group;
        this.monitor = monitor;
        this.driver = driver;
        this.config = config;
    }

    /** Starts to forward these results over a mesh, one after the other; the caller holds the monitor's lock. */
    void start(Mesh on, List<Effect.Forward> forwards) {
        threads.removeIf(thread -> !thread.isAlive());
        Thread thread =
                Thread.ofPlatform().name("hearth-forward-" + group).daemon(true).unstarted(() -> run(on, forwards));
        threads.add(thread);
        thread.start();
    }

    /** Waits until all threads have ended, up to {@code secondsMax} for each. Returns whether they ended. */
    boolean end(long secondsMax) {
        List<Thread> running = monitor.read(() -> List.copyOf(threads));
        boolean ended = true;
        for (Thread thread : running) {
            try {
                thread.join(TimeUnit.SECONDS.toMillis(secondsMax));
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            ended &= !thread.isAlive();
        }
        return ended;
    }

    private void run(Mesh on, List<Effect.Forward> forwards) {
        try {
            for (Effect.Forward forward : forwards) {
                if (!forward(on, forward)) {
                    return;
                }
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError bug) {
            LOG.error("group={} cannot forward results: {}", group, bug.toString(), bug);
            monitor.locked(() -> monitor.giveUp(
                    new LeftGroupException("forwarding results of group '" + group + "' failed: " + bug, bug)));
        } catch (Throwable fatal) {
            monitor.fail("forwarding results of group '" + group + "'", fatal);
        }
    }

    /** Forwards one result. Returns whether the mesh can be used for the next one. */
    private boolean forward(Mesh on, Effect.Forward forward) throws InterruptedException {
        try {
            driver.drive(on, () -> exchange(on, forward));
        } catch (IOException broken) {
            monitor.lock.lock();
            try {
                monitor.broken(on, broken);
                return false;
            } finally {
                monitor.lock.unlock();
            }
        }
        monitor.lock.lock();
        try {
            if (!monitor.awaitThaw(on)) {
                return false;
            }
            monitor.step(new Event.Forwarded(forward.number(), on.fence()));
            monitor.step(new Event.EndedByAll(forward.number() - 1)); // this rank's caller may still copy the result
            return true;
        } finally {
            monitor.lock.unlock();
        }
    }

    private Optional<CallRejection> exchange(Mesh on, Effect.Forward forward) throws IOException {
        Optional<Buffers.Buffer> known = monitor.read(() -> forward.held()
                ? monitor.result(forward.number())
                : Optional.ofNullable(monitor.call(forward.number())).map(Call::work));
        // The machine has checked the size against this rank's call: no memory is allocated for an unchecked size.
        if (known.isEmpty() && forward.bytes() > 0) {
            throw new StreamBrokenException(
                    forward.holder(), "number " + forward.number() + " is forwarded, but not open here");
        }
        return exchange(on, forward, known.orElse(Buffers.NONE));
    }

    private Optional<CallRejection> exchange(Mesh on, Effect.Forward forward, Buffers.Buffer target)
            throws IOException {
        int root = on.byHop().position(on.rank(forward.holder()));
        boolean isNotHere = forward.holder().equals(on.self()) && !forward.held();
        if (root < 0 || isNotHere || target.bytes().byteSize() < forward.bytes()) {
            throw new StreamBrokenException(
                    on.previous(),
                    "number " + forward.number()
                            + " is forwarded by a node that does not have it, or is longer than this rank's call");
        }
        MemorySegment bytes = target.bytes().asSlice(0, forward.bytes());
        var schedule = new RingBroadcast(
                on.byHop().position(on.rank()), on.world(), root, forward.bytes(), config.segmentBytes());
        return Exchange.ofForward(driver, on, forward.number(), forward.bytes(), forward.held())
                .play(schedule, on.byHop(), Region.of(bytes), Region.of(bytes));
    }
}
