package io.hearth.collective.engine;

import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.DeadlineWatch;
import io.hearth.collective.exchange.Exchange;
import io.hearth.collective.exchange.GiveUpException;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.MeshDriver;
import io.hearth.collective.exchange.PausedException;
import io.hearth.collective.exchange.watch.ExchangeWatch;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.GroupMachine.Event;
import io.hearth.collective.group.StartMetStepException;
import io.hearth.collective.group.Status;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveExceptions;
import io.hearth.core.DeadlineExceededException;
import io.hearth.core.HearthException;
import io.hearth.core.LeftGroupException;
import io.hearth.core.NotEnoughRanksException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Runs one call at a time, on the application's thread: retries it after view changes until it has a result or fails. A small call may
 * begin on one thread and end on another.
 */
final class CallExecutor implements AutoCloseable {
    private final GroupMonitor monitor;
    private final MeshDriver driver;
    private final Buffers buffers;
    private final CollectiveConfig config;
    private final Clock clock;
    private final DeadlineWatch watch;
    private final LongAdder repeated = new LongAdder();

    CallExecutor(
            String group,
            GroupMonitor monitor,
            MeshDriver driver,
            Buffers buffers,
            CollectiveConfig config,
            Clock clock) {
        this.monitor = monitor;
        this.driver = driver;
        this.buffers = buffers;
        this.config = config;
        this.clock = clock;
        this.watch = new DeadlineWatch(
                "hearth-deadline-" + group, clock, this::expire, bug -> monitor.fail("the watch over deadlines", bug));
    }

    /** Number of exchanges that ran again in a later group epoch. */
    long repeated() {
        return repeated.sum();
    }

    /**
     * Opens a call; {@link #goOn} must follow until the call has ended. One call at a time.
     *
     * @throws CollectiveException it is not open, and its memory was given back
     */
    void open(Call asked) throws CollectiveException {
        if (asked.signature().admits()) {
            comeBack(asked);
        }
        monitor.lock.lock();
        try {
            begin(asked);
        } catch (CollectiveException | RuntimeException | Error refused) {
            buffers.give(asked.work());
            asked.memory().giveInput(buffers);
            monitor.call().filter(asked::equals).ifPresent(_ -> monitor.leave());
            throw refused;
        } finally {
            monitor.lock.unlock();
        }
    }

    /**
     * Runs an open call to its end and copies its result, if there is one, to the application's buffer. The call's work buffer then
     * belongs to the group.
     *
     * @param mayWait whether it may wait for other ranks; otherwise it goes on as far as it can
     * @return its outcome; empty if it would have to wait, and is still open
     */
    Optional<Status.Kept> goOn(Call asked, boolean mayWait) throws CollectiveException {
        boolean isOpen = false;
        monitor.lock.lock();
        try {
            Status.Kept outcome = awaitEnd(asked, mayWait);
            if (outcome == null) {
                isOpen = true;
                return Optional.empty();
            }
            if (outcome.refusal().isEmpty()) {
                copyOut(asked);
            }
            return Optional.of(outcome);
        } catch (InterruptedException stop) {
            CollectiveException error = new LeftGroupException(asked.signature().text() + " was interrupted", stop);
            monitor.giveUp(asked, error);
            Thread.currentThread().interrupt();
            throw error;
        } catch (RuntimeException | Error bug) {
            monitor.giveUp(asked, new LeftGroupException(asked.signature().text() + " failed: " + bug, bug));
            throw bug;
        } finally {
            try {
                if (!isOpen) {
                    leave(asked);
                }
            } finally {
                monitor.lock.unlock();
            }
        }
    }

    /**
     * Checks that this member's calls go on.
     *
     * @throws CollectiveException the reason why they ended
     */
    void requireOpen() throws CollectiveException {
        Optional<HearthException> over = monitor.read(monitor::over);
        if (over.isPresent()) {
            throw CollectiveExceptions.again(over.get());
        }
    }

    private void comeBack(Call asked) {
        if (!monitor.read(monitor::mayReturn)) {
            return; // do not wait for the driver: a forwarder may hold it for long
        }
        driver.whenIdle(() -> monitor.locked(() -> {
            if (monitor.mayReturn()) {
                monitor.comeBack();
                asked.operation().cameBack();
            }
        }));
    }

    private void begin(Call asked) throws CollectiveException {
        if (monitor.over().isPresent()) {
            throw CollectiveExceptions.again(monitor.over().get());
        }
        watch.arm(asked.dueNanos());
        monitor.enter(asked);
    }

    private Status.@Nullable Kept awaitEnd(Call asked, boolean mayWait)
            throws CollectiveException, InterruptedException {
        while (asked.outcome == null) {
            if (asked.error != null) {
                throw asked.error;
            }
            Call.Attempt attempt = asked.attempt;
            if (!mayWait && attempt == null) {
                return null;
            }
            if (attempt == null && monitor.withdraw(asked)) {
                throw new StartMetStepException("the group is already training and begins steps");
            } else if (attempt == null) {
                monitor.changed.await();
            } else {
                asked.attempt = null;
                asked.settle();
                if (!attempt(asked, attempt, mayWait)) {
                    return null;
                }
            }
        }
        return asked.outcome;
    }

    /** Called with the lock held; releases it during the exchange. False if it was paused. */
    private boolean attempt(Call asked, Call.Attempt attempt, boolean mayWait) throws InterruptedException {
        Mesh on = attempt.mesh();
        boolean isRepeated = asked.ran != null && !attempt.isPaused();
        Mesh before = asked.ran;
        asked.ran = on;
        if (!attempt.isPaused()) {
            asked.exchange = null;
        }
        Optional<CallRejection> refusal;
        monitor.lock.unlock();
        try {
            if (isRepeated) {
                asked.watch.end(false);
                asked.watch = ExchangeWatch.NONE;
                repeated.increment();
            }
            refusal = driver.drive(on, () -> exchange(asked, attempt, mayWait), mayWait);
        } catch (PausedException later) {
            monitor.lock.lock();
            if (asked.exchange == null) { // it has not begun
                asked.ran = before;
            }
            monitor.paused(asked, attempt);
            return false;
        } catch (GiveUpException alone) {
            monitor.lock.lock();
            monitor.giveUp(asked, alone.error());
            return true;
        } catch (IOException broken) {
            monitor.lock.lock();
            monitor.broken(on, broken);
            return true;
        } catch (Throwable bug) {
            monitor.lock.lock();
            throw bug;
        }
        monitor.lock.lock();
        if (!mayWait && monitor.state().frozen().isPresent()) {
            monitor.paused(asked, attempt);
            return false;
        }
        if (!monitor.awaitThaw(on)) {
            return true;
        }
        keepExchange(asked);
        // Calls are synchronous: each rank in this call had ended all calls before it.
        long endedByAll = asked.number - 1;
        if (refusal.isPresent()) {
            monitor.step(new Event.Rejected(asked.number, on.fence(), refusal.get()));
            monitor.step(new Event.EndedByAll(endedByAll));
        } else {
            monitor.step(new Event.Finished(
                    asked.number, on.fence(), endedByAll, asked.operation().plan()));
        }
        return true;
    }

    private static void keepExchange(Call asked) {
        Exchange ended = asked.exchange;
        if (ended != null) {
            ended.end();
        }
    }

    private Optional<CallRejection> exchange(Call asked, Call.Attempt attempt, boolean mayWait) throws IOException {
        Mesh on = attempt.mesh();
        long before = on.bytesSent();
        try {
            Exchange exchange = attempt.isPaused() ? asked.exchange : null;
            if (exchange == null) {
                exchange = Exchange.ofCall(driver, on, asked.number, asked.signature(), attempt.doomed());
                asked.exchange = exchange;
            }
            exchange.go(mayWait);
            asked.watch = exchange.watch();
            return asked.operation().attempt(new OperationContext(exchange, on, config, asked));
        } finally {
            asked.bytesSent += on.bytesSent() - before;
        }
    }

    /** Releases the lock meanwhile. The result stays until this thread leaves the call. */
    private void copyOut(Call asked) {
        Mesh ran = asked.ran;
        if (ran == null) {
            return;
        }
        unlocked(() -> {
            long since = asked.watch.now();
            asked.operation().deliver(asked, ran);
            asked.watch.did(
                    asked.operation().delivery(), -1, asked.memory().target().byteSize(), since);
        });
    }

    /** Leaves the call. */
    private void leave(Call asked) {
        watch.disarm();
        Status.Kept outcome = asked.outcome;
        boolean hasResult = outcome != null && outcome.refusal().isEmpty();
        try {
            try {
                unlocked(() -> asked.watch.end(hasResult)); // a listener may block, so it is called without the lock
            } finally {
                asked.settle();
                if (!hasResult) { // an idle driver writes no input any more, not even in an abandoned mesh
                    unlocked(() -> driver.whenIdle(asked.operation()::restore));
                }
            }
        } finally {
            asked.memory().giveInput(buffers);
            if (outcome == null || outcome.bytes() == 0) {
                buffers.give(asked.work());
            }
            monitor.leave();
        }
    }

    /** Runs an action without the lock, which is held before and afterwards. */
    private void unlocked(Runnable action) {
        monitor.lock.unlock();
        try {
            action.run();
        } finally {
            monitor.lock.lock();
        }
    }

    /**
     * This member leaves its group, because its application gets an error for a call that did not begin.
     *
     * @param why a clause that ends with "waited for "; this method appends the rest
     */
    DeadlineExceededException tooLate(String why) {
        return monitor.read(() -> {
            var late = new DeadlineExceededException(why + waitingFor());
            monitor.giveUp(late);
            return late;
        });
    }

    /** This member leaves its group, because its application gets an error that the other members do not have. */
    void giveUp(CollectiveException error) {
        monitor.locked(() -> monitor.giveUp(error));
    }

    private String waitingFor() {
        return monitor.mesh().map(Mesh::waitingFor).orElse("a first view");
    }

    private void expire() {
        monitor.lock.lock();
        try {
            Optional<Call> late = monitor.call().filter(call -> call.outcome == null);
            if (late.isEmpty()) {
                return;
            }
            Call call = late.get();
            if (call.dueNanos() - clock.nanoTime() > 0) {
                watch.arm(call.dueNanos()); // the call with this deadline ended, and another one is open
                return;
            }
            String text = call.signature().text() + " (number " + call.number
                    + ") did not complete before its deadline; waited for ";
            monitor.giveUp(
                    call,
                    monitor.lack()
                            .<DeadlineExceededException>map(
                                    lack -> new NotEnoughRanksException(text + "ranks: " + lack.text()))
                            .orElseGet(() -> new DeadlineExceededException(text + waitingFor())));
        } finally {
            monitor.lock.unlock();
        }
    }

    @Override
    public void close() {
        watch.close();
    }
}
