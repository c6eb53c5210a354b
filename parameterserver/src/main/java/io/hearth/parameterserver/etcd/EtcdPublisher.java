package io.hearth.parameterserver.etcd;

import io.hearth.core.Clock;
import io.hearth.core.Step;
import io.hearth.parameterserver.checkpoint.Written;
import io.hearth.parameterserver.etcd.machine.RegistrationEffect;
import io.hearth.parameterserver.etcd.machine.RegistrationEvent;
import io.hearth.parameterserver.etcd.machine.RegistrationMachine;
import io.hearth.parameterserver.etcd.machine.RegistrationState;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Keeps a server in an etcd, on a thread of its own: whatever etcd does, the server goes on. */
public final class EtcdPublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EtcdPublisher.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final long CLOSE_SECONDS = 10;

    private final EtcdPublication publication;
    private final EtcdPlace place;
    private final Clock clock;
    private final RegistrationMachine machine;
    private final ScheduledThreadPoolExecutor thread;

    // The thread's.
    private final CheckpointNotes notes = new CheckpointNotes();
    private RegistrationState state;
    private String address = "";
    private @Nullable EtcdSession session;
    private @Nullable Future<?> planned;

    /** A publisher that does nothing before {@link #listening}. */
    public EtcdPublisher(EtcdPublication publication, Clock clock) {
        this.publication = publication;
        this.place = publication.place();
        this.clock = clock;
        this.machine = new RegistrationMachine(publication.lease().toNanos());
        this.state = RegistrationState.start(clock.nanoTime());
        this.thread = new ScheduledThreadPoolExecutor(
                1,
                Thread.ofPlatform().name("hearth-parameterserver-etcd").daemon().factory());
        thread.setRemoveOnCancelPolicy(true);
    }

    /** Registers the server, whose port is open at this address. */
    public void listening(InetSocketAddress port) {
        run(() -> {
            address = publication.address().orElseGet(() -> HostPort.text(port));
            step(new RegistrationEvent.Tick());
        });
    }

    /** Publishes a checkpoint, once the server is registered. */
    public void written(Written written) {
        run(() -> {
            notes.add(written);
            step(new RegistrationEvent.Noted());
        });
    }

    private void run(Runnable task) {
        try {
            thread.execute(() -> guarded(task));
        } catch (RejectedExecutionException closed) {
            // etcd has forgotten the server already
        }
    }

    /** The executor would swallow an error, and the server would leave etcd without a word. */
    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error bug) {
            LOG.error("this parameter server is no longer kept in the etcd at {}", place.text(), bug);
            throw bug;
        }
    }

    private void step(RegistrationEvent first) {
        if (address.isEmpty()) {
            state = machine.step(state, first, clock.nanoTime()).state(); // a note before the port is open
            return;
        }
        var events = new ArrayDeque<>(List.of(first));
        while (!events.isEmpty()) {
            Step<RegistrationState, RegistrationEffect> step = machine.step(state, events.remove(), clock.nanoTime());
            state = step.state();
            step.effects().forEach(effect -> carryOut(effect).ifPresent(events::add));
        }
        plan();
    }

    private void plan() {
        Future<?> before = planned;
        if (before != null) {
            before.cancel(false);
        }
        long sleep = machine.sleepNanos(state, clock.nanoTime());
        if (sleep < Long.MAX_VALUE && !thread.isShutdown()) {
            planned = thread.schedule(
                    () -> guarded(() -> step(new RegistrationEvent.Tick())), sleep, TimeUnit.NANOSECONDS);
        }
    }

    private Optional<RegistrationEvent> carryOut(RegistrationEffect effect) {
        switch (effect) {
            case RegistrationEffect.Drop() -> drop();
            case RegistrationEffect.Warn(String why) ->
                LOG.warn(
                        "the etcd at {} is of no use now ({}): the parameter server goes on without it and asks it again each few"
                                + " seconds, but trainers that start may not find it; see that etcd runs there",
                        place.text(),
                        why);
            case RegistrationEffect.Say(int index, boolean isBack) ->
                // at the level of the warning, so that its reader sees both
                LOG.atLevel(isBack ? Level.WARN : Level.INFO)
                        .log(
                                "the etcd at {} {} this parameter server at {} as {}",
                                place.text(),
                                isBack ? "is back and has" : "has",
                                address,
                                place.serverKey(index));
            case RegistrationEffect.Ask question -> {
                return Optional.of(ask(question));
            }
        }
        return Optional.empty();
    }

    private RegistrationEvent ask(RegistrationEffect.Ask question) {
        try {
            EtcdSession open = session;
            if (open == null) {
                open = new EtcdSession(place, TIMEOUT);
                session = open;
            }
            return ask(question, open);
        } catch (IOException | RuntimeException failed) { // an error of the library is one of etcd
            return new RegistrationEvent.Failed(String.valueOf(failed.getMessage()));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return new RegistrationEvent.Failed("the server stops");
        }
    }

    private RegistrationEvent ask(RegistrationEffect.Ask question, EtcdSession open)
            throws IOException, InterruptedException {
        return switch (question) {
            case RegistrationEffect.Grant() -> {
                var _ = open.putIfAbsent(
                        place.desiredKey(), Integer.toString(publication.desired()), OptionalLong.empty());
                yield new RegistrationEvent.Granted(open.grant(publication.lease()));
            }
            case RegistrationEffect.ListServers() ->
                new RegistrationEvent.Listed(indexes(open.list(place.servers()).keySet()));
            case RegistrationEffect.Claim(int index, long lease) ->
                open.putIfAbsent(place.serverKey(index), address, OptionalLong.of(lease))
                        ? new RegistrationEvent.Claimed()
                        : new RegistrationEvent.Taken();
            case RegistrationEffect.Renew(int index, long lease) ->
                open.renew(lease) && open.has(place.serverKey(index), lease)
                        ? new RegistrationEvent.Renewed()
                        : new RegistrationEvent.Lost();
            case RegistrationEffect.Publish(int index) -> {
                open.put(place.checkpointKey(index), notes.json(address, clock.epochMillis()));
                yield new RegistrationEvent.Published();
            }
        };
    }

    /** Other keys below the prefix are of no index. */
    private static SortedSet<Integer> indexes(Iterable<String> keys) {
        var indexes = new TreeSet<Integer>();
        for (String key : keys) {
            if (key.matches("[0-9]{1,9}")) {
                indexes.add(Integer.parseInt(key));
            }
        }
        return indexes;
    }

    private void drop() {
        EtcdSession open = session;
        session = null;
        if (open != null) {
            open.close();
        }
    }

    /** Has the key removed. */
    private void leave() {
        EtcdSession open = session;
        if (open != null && state.phase() == RegistrationState.Phase.REGISTERED) {
            try {
                open.revoke(state.lease().orElse(0));
            } catch (IOException | RuntimeException failed) {
                LOG.info(
                        "the etcd at {} keeps this parameter server for {} s more ({})",
                        place.text(),
                        publication.lease().toSeconds(),
                        failed.getMessage());
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }
        drop();
    }

    /** Removes the server from etcd, which takes some seconds if etcd does not answer; idempotent. */
    @Override
    public void close() {
        try {
            thread.submit(this::leave).get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | RejectedExecutionException late) {
            // the lease ends by itself
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
        thread.shutdownNow();
    }
}
