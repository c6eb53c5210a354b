package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.collective.GroupMachine.Effect;
import io.hearth.collective.GroupMachine.Event;
import io.hearth.collective.GroupMachine.State;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.DeadlineExceededException;
import io.hearth.core.HearthException;
import io.hearth.core.PeerLostException;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns a group's machine and carries out its effects.
 *
 * <p>{@code lock} guards the machine's state and everything that changes with it, and is held for moments only. Bytes are moved
 * without it, by the {@link RingDriver}.
 */
final class GroupShell implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupShell.class);
    private static final long CLOSE_SECONDS_MAX = 10;

    private final String group;
    private final NodeId self;
    private final CollectiveListener listener;
    private final Clock clock;
    private final GroupMachine machine;
    private final Buffers buffers = new Buffers();
    private final RingDriver driver;
    private final DeadlineWatch watch;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Long, Buffers.Buffer> results = new HashMap<>();
    private final List<Thread> forwarders = new ArrayList<>();
    private State state = State.START;
    private @Nullable Ring ring;
    private @Nullable Call call;
    private @Nullable HearthException over;
    private long repeated;

    GroupShell(
            String group,
            NodeId self,
            StreamSource streams,
            Reducer reducer,
            EngineOptions options,
            CollectiveListener listener,
            Clock clock) {
        this.group = group;
        this.self = self;
        this.listener = listener;
        this.clock = clock;
        this.machine = new GroupMachine(CollectiveEngine.WINDOW, options.policy());
        this.driver = new RingDriver(group, streams, reducer, options.segmentBytes());
        this.watch = new DeadlineWatch("hearth-deadline-" + group, clock, this::expire);
    }

    Buffers buffers() {
        return buffers;
    }

    State state() {
        lock.lock();
        try {
            return state;
        } finally {
            lock.unlock();
        }
    }

    long repeated() {
        lock.lock();
        try {
            return repeated;
        } finally {
            lock.unlock();
        }
    }

    /** Runs a call to its end on this thread; its buffer then belongs to the group. */
    Status.Kept perform(Call asked) throws CollectiveException {
        lock.lock();
        try {
            begin(asked);
            while (asked.outcome == null) {
                if (asked.error != null) {
                    throw asked.error;
                }
                Call.Attempt attempt = asked.attempt;
                if (attempt == null) {
                    changed.await();
                } else {
                    asked.attempt = null;
                    settle(asked);
                    attempt(asked, attempt);
                }
            }
            return asked.outcome;
        } catch (InterruptedException stop) {
            CollectiveException error =
                    new CollectiveException(asked.signature().text() + " was interrupted", stop);
            giveUp(asked, error);
            Thread.currentThread().interrupt();
            throw error;
        } catch (RuntimeException | Error bug) {
            giveUp(asked, new CollectiveException(asked.signature().text() + " failed: " + bug, bug));
            throw bug;
        } finally {
            leave(asked);
            lock.unlock();
        }
    }

    private void begin(Call asked) throws CollectiveException {
        if (call != null) {
            buffers.give(asked.work());
            throw new IllegalStateException(
                    "another thread is inside a collective of group '" + group + "'; one thread calls at a time");
        }
        if (over != null) {
            buffers.give(asked.work());
            throw again(over);
        }
        call = asked;
        asked.number = state.next();
        watch.arm(asked.dueNanos());
        step(new Event.Called(asked.signature()));
        if (asked.number == 1) {
            listener.progress(state.doneUpTo(), false);
        }
    }

    private void leave(Call asked) {
        if (call != asked) {
            return;
        }
        watch.disarm();
        settle(asked);
        call = null;
        boolean kept = asked.outcome != null && asked.outcome.refusal().isEmpty();
        if (!kept) {
            buffers.give(asked.work());
        }
        changed.signalAll();
    }

    private static void settle(Call asked) {
        asked.feedback.forEach(Runnable::run);
        asked.feedback.clear();
        if (asked.error != null) {
            asked.contribution().rollBack();
        }
    }

    /** Entered and left with the lock held, which is open in between. */
    private void attempt(Call asked, Call.Attempt attempt) throws InterruptedException {
        Ring on = attempt.ring();
        asked.attempts++;
        if (asked.attempts > 1) {
            repeated++;
        }
        Optional<Refusal> refusal;
        lock.unlock();
        try {
            refusal = driver.attempt(asked, attempt);
        } catch (IOException broken) {
            lock.lock();
            broken(on, broken);
            return;
        } catch (Throwable bug) {
            lock.lock();
            throw bug;
        }
        lock.lock();
        while (state.frozen().isPresent() && !on.isAbandoned()) {
            changed.await();
        }
        if (on.isAbandoned()) {
            return;
        }
        Event end = refusal.isPresent()
                ? new Event.Refused(asked.number, on.fence(), refusal.get())
                : new Event.Finished(asked.number, on.fence());
        step(end);
        // Calls are synchronous: whoever took part in this number had ended all before it.
        step(new Event.EndedByAll(asked.number - 1));
    }

    private void broken(Ring on, IOException broken) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (on == ring && over == null && state.broken().isEmpty()) {
            NodeId peer = broken instanceof RingBrokenException known ? known.peer() : on.previous();
            String why = broken.getMessage() == null ? broken.toString() : broken.getMessage();
            on.waitsFor("the view change after: " + why);
            step(new Event.StreamBroken(on.fence(), peer, why));
            on.abandon(); // so that the neighbours hear of it
        }
    }

    /** Steps the machine and carries out what it says; the lock is held. */
    private void step(Event event) {
        Step<State, Effect> step = machine.step(state, event, clock.nanoTime());
        state = step.state();
        var forwards = new ArrayList<Effect.Forward>();
        for (Effect effect : step.effects()) {
            switch (effect) {
                case Effect.Abandon() -> renewRing();
                case Effect.RollBack(long number) ->
                    ofCall(number).ifPresent(open -> open.feedback.add(open.contribution()::rollBack));
                case Effect.Commit(long number) ->
                    ofCall(number).ifPresent(open -> open.feedback.add(open.contribution()::commit));
                case Effect.Run(long number, Optional<Refusal> doomed) -> run(number, doomed);
                case Effect.Forward forward -> forwards.add(forward);
                case Effect.End(Status.Kept outcome) -> end(outcome);
                case Effect.Release(long number) -> {
                    Buffers.Buffer result = results.remove(number);
                    if (result != null) {
                        buffers.give(result);
                    }
                }
                case Effect.TellBroken(NodeId peer, String why) -> listener.streamBroken(peer, why);
                case Effect.TellProgress(long doneUpTo) -> listener.progress(doneUpTo, state.next() == 1);
            }
        }
        if (!forwards.isEmpty() && ring != null) {
            startForwarder(ring, forwards);
        }
        changed.signalAll();
    }

    private Optional<Call> ofCall(long number) {
        return Optional.ofNullable(call).filter(open -> open.number == number);
    }

    private void renewRing() {
        if (ring != null) {
            ring.abandon();
        }
        driver.gate().wake();
        ring = new Ring(state.fence(), state.members(), self);
        ofCall(state.next() - 1).ifPresent(open -> open.attempt = null);
    }

    private void run(long number, Optional<Refusal> doomed) {
        Ring on = ring;
        if (on != null) {
            ofCall(number).ifPresent(open -> open.attempt = new Call.Attempt(on, doomed));
        }
    }

    private void end(Status.Kept outcome) {
        ofCall(outcome.number()).ifPresent(open -> {
            open.attempt = null;
            open.outcome = outcome;
            if (outcome.refusal().isEmpty()) {
                results.put(outcome.number(), open.work());
            }
        });
    }

    private void startForwarder(Ring on, List<Effect.Forward> forwards) {
        forwarders.removeIf(thread -> !thread.isAlive());
        Thread thread =
                Thread.ofPlatform().name("hearth-forward-" + group).daemon(true).unstarted(() -> forward(on, forwards));
        forwarders.add(thread);
        thread.start();
    }

    private void forward(Ring on, List<Effect.Forward> forwards) {
        try {
            for (Effect.Forward forward : forwards) {
                carry(on, forward);
                lock.lock();
                try {
                    while (state.frozen().isPresent() && !on.isAbandoned()) {
                        changed.await();
                    }
                    if (on.isAbandoned()) {
                        return;
                    }
                    step(new Event.Forwarded(forward.number(), on.fence()));
                    step(new Event.EndedByAll(forward.number() - 1)); // its own caller may still be copying
                } finally {
                    lock.unlock();
                }
            }
        } catch (IOException broken) {
            lock.lock();
            try {
                broken(on, broken);
            } catch (InterruptedException never) {
                Thread.currentThread().interrupt();
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException never) {
            Thread.currentThread().interrupt();
        }
    }

    private void carry(Ring on, Effect.Forward forward) throws IOException, InterruptedException {
        Optional<Buffers.Buffer> known;
        lock.lock();
        try {
            known = forward.held()
                    ? Optional.ofNullable(results.get(forward.number()))
                    : ofCall(forward.number()).map(Call::work);
        } finally {
            lock.unlock();
        }
        Buffers.Buffer target = known.orElseGet(() -> buffers.take(forward.bytes()));
        try {
            driver.carry(on, forward, target.bytes());
        } finally {
            if (known.isEmpty()) {
                buffers.give(target);
            }
        }
    }

    /** Stops every data thread, then says where this member stands; nothing ends until {@link #install}. */
    Status freeze(String lineage, long epoch) {
        driver.gate().shut();
        lock.lock();
        try {
            step(new Event.Freeze(new GroupMachine.Frozen(lineage, epoch)));
            if (ring != null) {
                ring.waitsFor("the view change");
            }
            return state.status();
        } finally {
            lock.unlock();
        }
    }

    void install(Event.Installed view) {
        lock.lock();
        try {
            if (over != null) {
                return;
            }
            step(view);
            if (state.frozen().isEmpty()) {
                driver.gate().open();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends everything with {@code why}; a group in which nothing was called yet just waits for the next view. */
    void removed(HearthException why) {
        lock.lock();
        try {
            if (state.next() > 1) {
                finish(why);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends everything with {@code why}. */
    void fail(HearthException why) {
        lock.lock();
        try {
            finish(why);
        } finally {
            lock.unlock();
        }
    }

    private void finish(HearthException why) {
        if (over == null) {
            over = why;
        }
        if (call != null && call.outcome == null && call.error == null) {
            call.error = again(why);
        }
        if (ring != null) {
            ring.abandon();
        }
        driver.gate().wake();
        changed.signalAll();
    }

    private void expire() {
        lock.lock();
        try {
            Call late = call;
            if (late == null || late.outcome != null) {
                return;
            }
            if (late.dueNanos() - clock.nanoTime() > 0) {
                watch.arm(late.dueNanos()); // another call took the place of the one that was due
                return;
            }
            String waitedFor = ring == null ? "a first view" : ring.waitingFor();
            giveUp(
                    late,
                    new DeadlineExceededException(late.signature().text() + " (number " + late.number
                            + ") did not complete before its deadline; waited for " + waitedFor));
        } finally {
            lock.unlock();
        }
    }

    /** This member alone gives an error to its application, so it may not go on in the group. */
    private void giveUp(Call asked, CollectiveException error) {
        if (call == asked && asked.outcome == null && asked.error == null && over == null) {
            asked.error = error;
            finish(new CollectiveException(error.getMessage() + "; this member left the group, start it again"));
            listener.gaveUp(String.valueOf(error.getMessage()));
        }
    }

    private static CollectiveException again(HearthException why) {
        String text = String.valueOf(why.getMessage());
        return switch (why) {
            case RemovedFromClusterException _ -> new RemovedFromClusterException(text, why);
            case PeerLostException _ -> new PeerLostException(text, why);
            default -> new CollectiveException(text, why);
        };
    }

    @Override
    public void close() {
        var leftovers = new ArrayList<Thread>();
        boolean idle;
        lock.lock();
        try {
            finish(new CollectiveException("the backend of group '" + group + "' is closed"));
            leftovers.addAll(forwarders);
            idle = awaitNoCall();
        } finally {
            lock.unlock();
        }
        driver.close();
        watch.close();
        for (Thread thread : leftovers) {
            idle &= joined(thread);
        }
        if (!idle) {
            LOG.warn("group {} is closed, but a thread is still inside; its memory is kept", group);
            return;
        }
        results.values().forEach(buffers::give);
        results.clear();
        buffers.close();
    }

    private boolean awaitNoCall() {
        long left = TimeUnit.SECONDS.toNanos(CLOSE_SECONDS_MAX);
        try {
            while (call != null && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
        return call == null;
    }

    private static boolean joined(Thread thread) {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS_MAX));
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
