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
 * Carries results that somebody finished to those who lack them, after a view change: on a thread of its own, because the
 * application of a member that has the result may call nothing for long.
 */
final class Forwarder {
    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);

    private final String group;
    private final GroupMonitor monitor;
    private final MeshDriver driver;
    private final CollectiveConfig config;
    private final List<Thread> threads = new ArrayList<>(); // under the board's lock

    Forwarder(String group, GroupMonitor monitor, MeshDriver driver, CollectiveConfig config) {
        this.group = group;
        this.monitor = monitor;
        this.driver = driver;
        this.config = config;
    }

    /** Starts to carry these over a mesh, one after the other; the board's lock is held. */
    void start(Mesh on, List<Effect.Forward> forwards) {
        threads.removeIf(thread -> !thread.isAlive());
        Thread thread =
                Thread.ofPlatform().name("hearth-forward-" + group).daemon(true).unstarted(() -> run(on, forwards));
        threads.add(thread);
        thread.start();
    }

    /** Waits some seconds until all is carried or given up; whether it is. */
    boolean end(long secondsMax) {
        List<Thread> running;
        monitor.lock.lock();
        try {
            running = List.copyOf(threads);
        } finally {
            monitor.lock.unlock();
        }
        boolean ended = true;
        for (Thread thread : running) {
            try {
                thread.join(TimeUnit.SECONDS.toMillis(secondsMax));
            } catch (InterruptedException impatient) {
                Thread.currentThread().interrupt();
            }
            ended &= !thread.isAlive();
        }
        return ended;
    }

    private void run(Mesh on, List<Effect.Forward> forwards) {
        try {
            for (Effect.Forward forward : forwards) {
                if (!carry(on, forward)) {
                    return;
                }
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError bug) {
            LOG.error("group={} cannot carry results: {}", group, bug.toString(), bug);
            monitor.lock.lock();
            try {
                monitor.giveUp(new LeftGroupException("carrying results of group '" + group + "' failed: " + bug, bug));
            } finally {
                monitor.lock.unlock();
            }
        } catch (Throwable fatal) {
            monitor.fail("carrying results of group '" + group + "'", fatal);
        }
    }

    /** Whether the mesh is good for the next one. */
    private boolean carry(Mesh on, Effect.Forward forward) throws InterruptedException {
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
            monitor.step(new Event.EndedByAll(forward.number() - 1)); // its own caller may still be copying
            return true;
        } finally {
            monitor.lock.unlock();
        }
    }

    private Optional<CallRejection> exchange(Mesh on, Effect.Forward forward) throws IOException {
        Optional<Buffers.Buffer> known;
        monitor.lock.lock();
        try {
            known = forward.held()
                    ? monitor.result(forward.number())
                    : Optional.ofNullable(monitor.call(forward.number())).map(Call::work);
        } finally {
            monitor.lock.unlock();
        }
        // The machine has checked the size against the own call: nothing is allocated for what a peer says.
        if (known.isEmpty() && forward.bytes() > 0) {
            throw new StreamBrokenException(
                    forward.holder(), "number " + forward.number() + " is forwarded, which is not open here");
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
                            + " is forwarded by a node that does not have it, or is longer than known here");
        }
        MemorySegment bytes = target.bytes().asSlice(0, forward.bytes());
        var schedule = new RingBroadcast(
                on.byHop().position(on.rank()), on.world(), root, forward.bytes(), config.segmentBytes());
        return Exchange.ofForward(driver, on, forward.number(), forward.bytes(), forward.held())
                .play(schedule, on.byHop(), Region.of(bytes), Region.of(bytes));
    }
}
