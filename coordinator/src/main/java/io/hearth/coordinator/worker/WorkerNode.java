package io.hearth.coordinator.worker;

import io.grpc.Context;
import io.hearth.coordinator.Exchange;
import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.ExchangeException.Reason;
import io.hearth.coordinator.Tensor;
import io.hearth.coordinator.collective.Plan;
import io.hearth.coordinator.collective.World;
import io.hearth.core.SetupException;
import io.netty.handler.ssl.SslContext;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A worker of a training. It registers at a coordinator, waits for the others, and then averages, meets and broadcasts with them.
 *
 * <p>All workers make the same calls in the same order. Calls of one worker run one after the other. When workers left or came, a call
 * under way may fail with {@link Reason#WORKERS_CHANGED}; the next one is of the new workers.
 */
public final class WorkerNode implements Exchange, AutoCloseable {
    private static final int NAMES_MAX = 10_000;

    private final WorkerSettings settings;
    private final Consumer<WorkerEvent> events;
    private final ReentrantLock calls = new ReentrantLock(true);

    // Guarded by this.
    private Optional<Parts> parts = Optional.empty();
    private Optional<World> world = Optional.empty();
    private final Map<String, Long> rounds = new HashMap<>(); // newest of each name, in the world
    private long worldId;
    private int rank = -1;
    private boolean isStarted;
    private boolean isClosed;
    private Optional<Context.CancellableContext> running = Optional.empty();

    /** What a started worker has. */
    private record Parts(Meetings meetings, WorkerPort port, Peers peers, Registration registration, Timer timer) {}

    /** Work of one call of a user. */
    private interface Work<T> {
        T run(Scope scope, Arrival.Round round) throws ExchangeException, InterruptedException;
    }

    /**
     * A worker that has not started.
     *
     * @param events hears what happens, on threads of the worker; it must not block
     */
    public WorkerNode(WorkerSettings settings, Consumer<WorkerEvent> events) {
        this.settings = settings;
        this.events = events;
    }

    /** A worker that has not started; events are only logged. */
    public WorkerNode(WorkerSettings settings) {
        this(settings, _ -> {});
    }

    /**
     * Registers, and waits for the other workers.
     *
     * @throws SetupException with what to do
     * @throws IllegalStateException if it was started or closed before
     */
    public void start() throws SetupException, InterruptedException {
        synchronized (this) {
            if (isStarted || isClosed) {
                throw new IllegalStateException("a worker starts once: make another one");
            }
            isStarted = true;
        }
        long deadline = System.nanoTime() + settings.startTimeout().toNanos();
        boolean isUp = false;
        try {
            Parts opened = open();
            opened.registration().start(deadline);
            try {
                var _ = awaitWorld(deadline);
            } catch (ExchangeException missing) {
                throw new SetupException(Wire.text(missing.getMessage()), missing);
            }
            isUp = true;
        } finally {
            if (!isUp) {
                close();
            }
        }
    }

    private Parts open() throws SetupException {
        var timer = new Timer();
        var meetings = new Meetings(timer.executor(), settings.callTimeout());
        @Nullable WorkerPort port = null;
        boolean isOpen = false;
        try {
            port = WorkerPort.open(settings.bind(), settings.tls(), meetings);
            String address = address(port.port());
            Optional<SslContext> towardsWorkers = Optional.empty();
            Optional<SslContext> towardsCoordinator = Optional.empty();
            if (settings.tls().isPresent()) {
                towardsWorkers = Optional.of(settings.tls().get().client());
            }
            if (settings.coordinatorTls().isPresent()) {
                towardsCoordinator = Optional.of(settings.coordinatorTls().get().client());
            }
            var registration = new Registration(
                    new Coordinators(new Peers(towardsCoordinator), settings.coordinators()),
                    settings.id().isEmpty() ? address : settings.id(),
                    address,
                    session(),
                    settings.heartbeats(),
                    this::listed,
                    events);
            var opened = new Parts(meetings, port, new Peers(towardsWorkers), registration, timer);
            synchronized (this) {
                if (isClosed) {
                    throw new SetupException("this worker is closed");
                }
                parts = Optional.of(opened);
                isOpen = true;
            }
            return opened;
        } finally {
            if (!isOpen) {
                if (port != null) {
                    port.close();
                }
                timer.close();
            }
        }
    }

    private String address(int port) throws SetupException {
        if (settings.advertised().isPresent()) {
            return settings.advertised().get();
        }
        if (settings.bind().getAddress() == null || settings.bind().getAddress().isAnyLocalAddress()) {
            throw new SetupException("others cannot call " + settings.bind().getHostString()
                    + ": say with which host and port they reach this worker");
        }
        String host = settings.bind().getHostString();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    private static long session() {
        long random = new SecureRandom().nextLong();
        return random == 0 ? 1 : random;
    }

    private void listed(int newRank, List<String> peers, List<Long> registrations) {
        if (newRank >= settings.size()) {
            events.accept(new WorkerEvent.Surplus(newRank, settings.size()));
        }
        Optional<WorkerEvent> event;
        Optional<Context.CancellableContext> over = Optional.empty();
        synchronized (this) {
            Optional<World> before = world;
            rank = newRank;
            world = World.of(newRank, settings.size(), peers, registrations);
            if (world.isPresent() && world.get().id() != worldId) {
                worldId = world.get().id();
                rounds.clear();
                over = running;
                parts.ifPresent(all -> {
                    all.meetings().world(worldId);
                    all.peers().keepOnly(Set.copyOf(world.get().addresses()));
                });
            }
            if (world.isEmpty()) {
                parts.ifPresent(all -> all.meetings().absent(World.missing(settings.size(), peers)));
            }
            event = world.equals(before) ? Optional.empty() : Optional.of(event(world));
            notifyAll();
        }
        over.ifPresent(call -> call.cancel(Arrivals.changed()));
        event.ifPresent(events);
    }

    private WorkerEvent event(Optional<World> now) {
        return now.<WorkerEvent>map(all -> new WorkerEvent.Complete(all.rank(), all.size()))
                .orElseGet(() -> new WorkerEvent.Incomplete(settings.size()));
    }

    private String surplus() {
        return "this worker has rank " + rank + " in a training of " + settings.size()
                + " workers: others have all its ranks; start it again when one has left";
    }

    private synchronized World awaitWorld(long deadlineNanos) throws ExchangeException, InterruptedException {
        while (true) {
            if (isClosed) {
                throw Peers.closed();
            }
            if (world.isPresent()) {
                return world.get();
            }
            if (rank >= settings.size()) {
                throw new ExchangeException(Reason.MISMATCH, surplus());
            }
            long left = deadlineNanos - System.nanoTime();
            if (left <= 0) {
                throw new ExchangeException(
                        Reason.TIMEOUT,
                        "not all of the " + settings.size() + " workers came in time: start the others, or name the"
                                + " right number of workers");
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /** The rank of this worker; -1 before the start, while it is not registered, and after the end. */
    public synchronized int rank() {
        return isClosed ? -1 : rank;
    }

    /** The number of workers; 0 before the start, and after the end. */
    public synchronized int size() {
        return isStarted && !isClosed ? settings.size() : 0;
    }

    @Override
    public Map<String, Tensor> average(Map<String, Tensor> tensors) throws ExchangeException, InterruptedException {
        if (settings.plan() instanceof Plan.Own(Exchange own)) {
            return own.average(tensors);
        }
        return call(
                "average",
                "",
                (scope, round) -> settings.plan() instanceof Plan.Ring
                        ? new RingAverage(scope, round).run(tensors)
                        : new TreeAverage(scope, settings.plan().tree(settings.size()), round).run(tensors));
    }

    /** Waits until all workers have come to this barrier. */
    public void barrier() throws ExchangeException, InterruptedException {
        boolean _ = call("barrier", "", (scope, round) -> {
            new Barriers(scope, settings.plan().tree(settings.size()), round).run();
            return true;
        });
    }

    /**
     * Takes a tensor from one worker to all others.
     *
     * @param mine the tensor at the root; elsewhere one of the same shape, whose values do not matter
     * @param root the rank that has it, the same on all workers
     * @return the root's tensor
     */
    public Tensor broadcast(String name, Tensor mine, int root) throws ExchangeException, InterruptedException {
        var tree = settings.plan().tree(settings.size(), root);
        return call("broadcast/" + name, name, (scope, round) -> new Broadcasts(scope, tree, round).run(mine));
    }

    private <T> T call(String kind, String name, Work<T> work) throws ExchangeException, InterruptedException {
        long deadline = System.nanoTime() + settings.callTimeout().toNanos();
        calls.lockInterruptibly();
        try {
            Context.CancellableContext context = Context.ROOT.withCancellation();
            Scope scope = begin(context, deadline);
            Context outer = context.attach();
            try {
                return work.run(scope, next(kind, name, scope));
            } catch (ExchangeException failed) {
                throw explained(failed, scope);
            } finally {
                context.detach(outer);
                context.cancel(null);
                end();
            }
        } finally {
            calls.unlock();
        }
    }

    private synchronized Scope begin(Context.CancellableContext context, long deadline)
            throws ExchangeException, InterruptedException {
        World now = awaitWorld(deadline);
        Parts all = parts.orElseThrow(Peers::closed);
        running = Optional.of(context);
        return new Scope(now, all.peers(), all.meetings(), deadline);
    }

    private synchronized Arrival.Round next(String kind, String name, Scope scope) throws ExchangeException {
        if (rounds.size() >= NAMES_MAX && !rounds.containsKey(kind)) {
            throw new ExchangeException(
                    Reason.TOO_LARGE, NAMES_MAX + " names were broadcast already, which is the limit: use them again");
        }
        long number = scope.world().id() == worldId ? rounds.merge(kind, 1L, Long::sum) : 1;
        return new Arrival.Round(scope.world().id(), number, name);
    }

    private synchronized ExchangeException explained(ExchangeException failed, Scope scope) {
        if (isClosed) {
            return new ExchangeException(Reason.CLOSED, "this worker was closed in the middle of a call", failed);
        }
        return scope.world().id() != worldId && failed.reason() != Reason.WORKERS_CHANGED
                ? new ExchangeException(
                        Reason.WORKERS_CHANGED, Wire.text(Arrivals.changed().getMessage()), failed)
                : failed;
    }

    private synchronized void end() {
        running = Optional.empty();
    }

    /** Leaves the coordinator's list and ends all calls; idempotent. */
    @Override
    public void close() {
        Optional<Parts> all;
        Optional<Context.CancellableContext> call;
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            all = parts;
            call = running;
            notifyAll();
        }
        if (all.isEmpty()) {
            return;
        }
        all.get().registration().close();
        all.get().meetings().close(new ExchangeException(Reason.CLOSED, "the worker is closed"));
        call.ifPresent(context -> context.cancel(null));
        all.get().peers().close();
        all.get().port().close();
        all.get().timer().close();
    }
}
