package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;

import io.hearth.collective.state.machine.FetchMachine;
import io.hearth.collective.state.machine.FetchMachine.Effect;
import io.hearth.collective.state.machine.FetchMachine.Event;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import java.util.List;

/** Takes the state of others over within one attempt at a boundary: the real fetch machine, as {@code StateFetcher} has it. */
final class Fetch {
    private static final long REOPEN_NANOS = 100 * MILLI;

    private final NodeProcess process;
    private final World world;
    private final Task task;
    private final Staging staging;
    private final Runnable onChange;
    private final FetchMachine machine;
    private final long begunNanos;
    private FetchMachine.State state;
    private boolean isAbandoned;
    private boolean hasGivenUp;

    /**
     * What to do.
     *
     * @param own model that is held now
     * @param agreed model that is to be held
     * @param sources that hold it, first choice first
     */
    record Task(String fence, long number, long own, long agreed, List<NodeId> sources) {
        Task {
            sources = List.copyOf(sources);
        }
    }

    /** {@code onChange} is told when it is over, one way or the other. */
    Fetch(NodeProcess process, Task task, Staging staging, long budgetNanos, Runnable onChange) {
        this.process = process;
        this.world = process.world;
        this.task = task;
        this.staging = staging;
        this.onChange = onChange;
        this.machine = new FetchMachine(FetchMachine.Limits.within(Math.max(1, budgetNanos)));
        this.begunNanos = world.now();
        this.state = FetchMachine.start(task.sources().size(), world.now());
    }

    void begin() {
        world.trace(
                process,
                () -> "fetches the state of number " + task.number() + " from "
                        + task.sources().stream().map(world::name).toList());
        for (int source = 0; source < task.sources().size(); source++) {
            open(source);
        }
        awaitTick();
    }

    /** How long it took, or takes so far. */
    long spentNanos() {
        return world.now() - begunNanos;
    }

    boolean isOver() {
        return state.isOver();
    }

    /** Over, and without the state. */
    boolean hasGivenUp() {
        return hasGivenUp;
    }

    /** The attempt that it belongs to is over. */
    void abandon() {
        isAbandoned = true;
    }

    private boolean isLive() {
        return !isAbandoned && !state.isOver();
    }

    /** A stream needs a source that lives and can be reached; until then it is tried again. */
    private void open(int source) {
        Host host = world.cluster.host(task.sources().get(source)).orElseThrow();
        boolean isThere = host.isUp() && !world.network.isCutEitherWay(process.host.index, host.index);
        long delayNanos = isThere ? world.network.dataDelay(host.index, process.host.index) : REOPEN_NANOS;
        world.after(
                delayNanos,
                () -> process.deliver(() -> {
                    if (isLive() && isThere) {
                        step(new Event.Opened(source));
                    } else if (isLive()) {
                        open(source);
                    }
                }));
    }

    private void awaitTick() {
        world.after(
                Math.max(MILLI, machine.sleepNanos(state, world.now())),
                () -> process.deliver(() -> {
                    if (isLive()) {
                        step(new Event.Tick());
                        if (isLive()) {
                            awaitTick();
                        }
                    }
                }));
    }

    /** The stream of state from that member breaks, if there is one. */
    boolean lost(NodeId peer, String why) {
        int source = task.sources().indexOf(peer);
        if (source < 0 || !isLive()) {
            return false;
        }
        step(new Event.Lost(source, why));
        return true;
    }

    /** An answer came; what is not what all agreed on is a lie. */
    void came(Frame.Chunk frame) {
        int source = task.sources().indexOf(frame.from());
        if (source < 0 || !isLive() || state.sources().get(source) == null) {
            return;
        }
        if (frame.chunk() == FetchMachine.MANIFEST) {
            step(
                    frame.bits() == task.agreed()
                            ? new Event.Manifest(source, staging.missing(task.own(), task.agreed()))
                            : new Event.Lied(source, "sent the manifest of another state"));
        } else if (frame.bits() == Staging.chunk(task.agreed(), frame.chunk()) || !world.hooks.checksChunks()) {
            staging.put(frame.chunk(), frame.bits());
            step(new Event.Arrived(source, frame.chunk()));
        } else {
            step(new Event.Lied(source, "sent a wrong chunk"));
        }
    }

    private void step(Event event) {
        world.tally.event();
        Step<FetchMachine.State, Effect> step = machine.step(state, event, world.now());
        state = step.state();
        step.effects().forEach(this::carryOut);
    }

    private void carryOut(Effect effect) {
        switch (effect) {
            case Effect.Ask(int source, int chunk) ->
                world.bus.stream(
                        process,
                        task.sources().get(source),
                        new Frame.Ask(task.fence(), task.number(), process.host.id, chunk));
            case Effect.Reopen(int source, String why) -> {
                trace(source, why);
                open(source);
            }
            case Effect.Drop(int source, String why) -> trace(source, "not asked any more: " + why);
            case Effect.Progress _ -> {}
            case Effect.Complete() -> {
                world.tally.transfer();
                onChange.run();
            }
            case Effect.GaveUp _ -> {
                hasGivenUp = true;
                onChange.run();
            }
        }
    }

    private void trace(int source, String why) {
        world.trace(process, () -> "state from " + world.name(task.sources().get(source)) + ": " + why);
    }
}
