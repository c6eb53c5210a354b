package io.hearth.replicated.host;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.replicated.CommandKey;
import io.hearth.replicated.Content;
import io.hearth.replicated.Position;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.StoreId;
import io.hearth.replicated.disk.StoreFile;
import io.hearth.replicated.disk.StoreThread;
import io.hearth.replicated.machine.Copy;
import io.hearth.replicated.machine.ReplicaEffect;
import io.hearth.replicated.machine.ReplicaEvent;
import io.hearth.replicated.machine.ReplicaMachine;
import io.hearth.replicated.machine.ReplicaState;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one replica: its owner thread steps the machine and carries out the effects, and another thread waits for the disk. */
public final class ReplicaHost<S> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaHost.class);
    private static final long CLOSE_MILLIS = 5_000;
    private static final long IDLE_NANOS = 60_000_000_000L;
    private static final int OF_ONE_MAX = 1_024;

    /** What the service of this node is told, on the owner thread. It must not block. */
    public interface Service<S> {
        /** From now on this node orders commands; {@code state} has everything that was answered. */
        void elected(S state);

        /** This machine's copy has this newest state, whether or not it orders commands. */
        default void applied(S state) {}

        /** From now on it does not. */
        void deposed(String why);

        /** A thread of the host ended by an error. */
        void failed(Throwable why);
    }

    /** What became of a command. */
    public sealed interface Outcome {
        /** It is applied and survives. */
        record Applied(Bytes answer) implements Outcome {}

        /** It was not taken, or nobody knows: this node does not order commands any more, or too many wait. */
        record Unknown(String why) implements Outcome {}
    }

    private sealed interface Task {
        record Event(ReplicaEvent event) implements Task {}

        record Command(Bytes body, Consumer<Outcome> then) implements Task {}

        record Query(Consumer<Boolean> then) implements Task {}
    }

    private final ReplicaMachine<S> machine;
    private final NodeId self;
    private final long incarnation;
    private final Clock clock;
    private final BiConsumer<NodeId, ReplicaMessage> sender;
    private final Service<S> service;
    private final StoreThread disk;
    private final LinkedBlockingQueue<Task> tasks =
            new LinkedBlockingQueue<>(); // bounded by its users, who wait for answers, and by OF_ONE_MAX
    private final Map<NodeId, Integer> waiting = new ConcurrentHashMap<>(); // messages in tasks, by sender
    private final Thread thread;
    private final SecureRandom random = new SecureRandom();

    private volatile ReplicaState<S> state; // the owner thread writes it

    // The owner thread's own.
    private final Map<Long, Consumer<Outcome>> commands = new HashMap<>();
    private final Map<Long, Consumer<Boolean>> queries = new HashMap<>();
    private final TreeSet<Long> open = new TreeSet<>();
    private Optional<Map.Entry<StoreId, Position>> told =
            Optional.empty(); // of the newest state that the service knows
    private long numbers;
    private long reads;

    /**
     * A host that has not started.
     *
     * @param incarnation of this node; higher than that of each earlier start
     * @param file owned
     * @param sender sends a message over the link to a node, or drops it if there is none
     */
    public ReplicaHost(
            ReplicaMachine<S> machine,
            NodeId self,
            long incarnation,
            StoreFile file,
            BiConsumer<NodeId, ReplicaMessage> sender,
            Service<S> service,
            Clock clock) {
        this.machine = machine;
        this.self = self;
        this.incarnation = incarnation;
        this.clock = clock;
        this.sender = sender;
        this.service = service;
        this.state = machine.initial(self, file.seat(), file.record(), clock.nanoTime());
        this.disk = new StoreThread(self.shortText(), file, this::event, service::failed);
        this.thread = Thread.ofPlatform()
                .name("hearth-replica-" + self.shortText())
                .daemon()
                .unstarted(this::run);
    }

    public void start() {
        disk.start();
        thread.start();
    }

    /** The newest state; any thread. */
    public ReplicaState<S> state() {
        return state;
    }

    /** Adds an event; any thread. */
    public void event(ReplicaEvent event) {
        tasks.add(new Task.Event(event));
    }

    /**
     * Adds a message of another replica; any thread.
     *
     * @return false if it was dropped, because its sender sends faster than this replica can take
     */
    public boolean received(NodeId from, ReplicaMessage message) {
        if (waiting.merge(from, 1, Integer::sum) > OF_ONE_MAX) {
            taken(from);
            return false;
        }
        event(new ReplicaEvent.Received(from, message));
        return true;
    }

    private void taken(NodeId from) {
        waiting.computeIfPresent(from, (_, count) -> count == 1 ? null : count - 1);
    }

    /**
     * Has a command applied; {@code then} gets the outcome on the owner thread. Any thread.
     *
     * @param command at most {@link Content#COMMAND_BYTES_MAX} bytes
     */
    public void submit(Bytes command, Consumer<Outcome> then) {
        if (command.size() > Content.COMMAND_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a command has at most " + Content.COMMAND_BYTES_MAX + " bytes, got " + command.size());
        }
        tasks.add(new Task.Command(command, then));
    }

    /**
     * Asks whether {@link #state} has everything that was answered before; {@code then} gets it on the owner thread, or at once on this one
     * if no other replica has to be asked. Any thread.
     */
    public void confirm(Consumer<Boolean> then) {
        if (state.isPrimaryAlone()) {
            then.accept(true);
            return;
        }
        tasks.add(new Task.Query(then));
    }

    private void run() {
        try {
            while (true) {
                long sleep = Math.min(machine.sleepNanos(state, clock.nanoTime()), IDLE_NANOS);
                @Nullable Task task = tasks.poll(sleep, TimeUnit.NANOSECONDS);
                if (task == null) {
                    step(new ReplicaEvent.Tick(clock.epochMillis(), random.nextLong()));
                } else {
                    carryOut(task);
                }
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (Throwable fatal) { // else callers would wait for ever without a word
            LOG.error("the replica of the services' state stopped: {}", String.valueOf(fatal), fatal);
            service.failed(fatal);
        }
    }

    private void carryOut(Task task) {
        switch (task) {
            case Task.Event(ReplicaEvent event) -> {
                if (event instanceof ReplicaEvent.Received received) {
                    taken(received.from());
                }
                step(event);
            }
            case Task.Query(Consumer<Boolean> then) -> {
                long id = ++reads;
                queries.put(id, then);
                step(new ReplicaEvent.Read(id));
            }
            case Task.Command(Bytes body, Consumer<Outcome> then) -> submitNow(body, then);
        }
    }

    private void submitNow(Bytes body, Consumer<Outcome> then) {
        Optional<StoreId> store = state.copy().map(copy -> copy.id());
        if (store.isEmpty()) {
            then.accept(new Outcome.Unknown("this node has no copy of the services' state yet"));
            return;
        }
        long number = ++numbers;
        commands.put(number, then);
        open.add(number);
        var key = new CommandKey(self, incarnation, number, open.first() - 1);
        step(new ReplicaEvent.Submit(store.get(), key, body));
    }

    private void step(ReplicaEvent event) {
        Step<ReplicaState<S>, ReplicaEffect> step = machine.step(state, event, clock.nanoTime());
        state = step.state();
        tell();
        step.effects().forEach(this::carryOut);
    }

    private void tell() {
        Optional<Copy<S>> copy = state.copy();
        Optional<Map.Entry<StoreId, Position>> newest =
                copy.map(each -> Map.entry(each.id(), each.applied().at()));
        if (copy.isPresent() && !newest.equals(told)) {
            told = newest;
            service.applied(copy.get().applied().state());
        }
    }

    private void carryOut(ReplicaEffect effect) {
        switch (effect) {
            case ReplicaEffect.Send(NodeId to, ReplicaMessage message) -> sender.accept(to, message);
            case ReplicaEffect.Write write -> disk.write(write);
            case ReplicaEffect.Answered(CommandKey key, Bytes answer) -> finish(key, new Outcome.Applied(answer));
            case ReplicaEffect.NotTaken(CommandKey key, ReplicaEffect.Refusal why) ->
                finish(key, new Outcome.Unknown(text(why)));
            case ReplicaEffect.Confirmed(long id) -> finish(id, true);
            case ReplicaEffect.NotConfirmed(long id) -> finish(id, false);
            case ReplicaEffect.Elected() ->
                service.elected(state.copy().orElseThrow().applied().state());
            case ReplicaEffect.Deposed(String why) -> {
                var waiting = Map.copyOf(commands);
                commands.clear();
                open.clear();
                waiting.values().forEach(then -> then.accept(new Outcome.Unknown(why)));
                service.deposed(why);
            }
        }
    }

    private static String text(ReplicaEffect.Refusal why) {
        return switch (why) {
            case NOT_PRIMARY -> "another machine orders commands, or none does yet";
            case BUSY -> "too many commands wait for the disks of the others";
            case OUTDATED -> "the command was repeated too late";
        };
    }

    private void finish(CommandKey key, Outcome outcome) {
        boolean isMine = key.origin().equals(self) && key.incarnation() == incarnation;
        Consumer<Outcome> then = isMine ? commands.remove(key.number()) : null;
        if (then != null) {
            open.remove(key.number());
            then.accept(outcome);
        }
    }

    private void finish(long readId, boolean isConfirmed) {
        Consumer<Boolean> then = queries.remove(readId);
        if (then != null) {
            then.accept(isConfirmed);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
        disk.close();
    }
}
