package io.hearth.simulation.trainer;

import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.collective.state.machine.FetchMachine;
import io.hearth.collective.state.machine.FetchMachine.Effect;
import io.hearth.collective.state.machine.FetchMachine.Event;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.simulation.call.GroupFrame;
import io.hearth.simulation.plant.ShellRule;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.setting.WorldSetting;
import java.util.List;

/** Fetches the state from other members within one attempt at a boundary, with the real fetch machine, as {@code StateFetcher} does. */
final class Fetch {
    private static final long REOPEN_NANOS = 100 * MILLI;

    private final ProcessContext process;
    private final WorldSetting setting;
    private final Task task;
    private final StateChunks chunks;
    private final Runnable onChange;
    private final FetchMachine machine;
    private final long begunNanos;
    private FetchMachine.State state;
    private boolean isAbandoned;
    private boolean hasGivenUp;

    /**
     * One fetch.
     *
     * @param own the present model
     * @param agreed the model to fetch
     * @param sources members that hold it, first choice first
     */
    record Task(String fence, long number, long own, long agreed, List<NodeId> sources) {
        Task {
            sources = List.copyOf(sources);
        }
    }

    /** {@code onChange} runs when the fetch is complete or given up. */
    Fetch(ProcessContext process, Task task, StateChunks chunks, long budgetNanos, Runnable onChange) {
        this.process = process;
        this.setting = process.setting();
        this.task = task;
        this.chunks = chunks;
        this.onChange = onChange;
        this.machine = new FetchMachine(FetchMachine.Limits.within(Math.max(1, budgetNanos)));
        this.begunNanos = setting.now();
        this.state = FetchMachine.start(task.sources().size(), setting.now());
    }

    void begin() {
        process.trace(() -> "fetches the state of number " + task.number() + " from "
                + task.sources().stream().map(setting::name).toList());
        for (int source = 0; source < task.sources().size(); source++) {
            open(source);
        }
        awaitTick();
    }

    /** Its duration so far. */
    long spentNanos() {
        return setting.now() - begunNanos;
    }

    boolean isOver() {
        return state.isOver();
    }

    /** Whether it ended without the state. */
    boolean hasGivenUp() {
        return hasGivenUp;
    }

    /** Its attempt at the boundary is over. */
    void abandon() {
        isAbandoned = true;
    }

    private boolean isLive() {
        return !isAbandoned && !state.isOver();
    }

    /** Opens a stream to a source, and retries while the source is dead or cannot be reached. */
    private void open(int source) {
        NodeId node = task.sources().get(source);
        boolean isThere = process.surroundings().isReachable(process, node);
        long delayNanos = isThere
                ? setting.network.dataDelay(setting.host(node).orElseThrow().index, process.host().index)
                : REOPEN_NANOS;
        setting.after(
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
        setting.after(
                Math.max(MILLI, machine.sleepNanos(state, setting.now())),
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

    /** A chunk arrived; one that differs from the agreed state is a lie. */
    void came(GroupFrame.Chunk frame) {
        int source = task.sources().indexOf(frame.from());
        if (source < 0 || !isLive() || state.sources().get(source) == null) {
            return;
        }
        if (frame.chunk() == FetchMachine.MANIFEST) {
            step(
                    frame.bits() == task.agreed()
                            ? new Event.Manifest(source, chunks.missing(task.own(), task.agreed()))
                            : new Event.Invalid(source, "sent the manifest of another state"));
        } else if (frame.bits() == StateChunks.chunk(task.agreed(), frame.chunk())
                || !setting.hooks.keeps(ShellRule.CHUNK_CHECK)) {
            chunks.put(frame.chunk(), frame.bits());
            step(new Event.Arrived(source, frame.chunk()));
        } else {
            step(new Event.Invalid(source, "sent a wrong chunk"));
        }
    }

    private void step(Event event) {
        setting.statistics.event();
        Step<FetchMachine.State, Effect> step = machine.step(state, event, setting.now());
        state = step.state();
        step.effects().forEach(this::carryOut);
    }

    private void carryOut(Effect effect) {
        switch (effect) {
            case Effect.Ask(int source, int chunk) ->
                process.surroundings().stream(
                        process,
                        task.sources().get(source),
                        new GroupFrame.Ask(task.fence(), task.number(), process.id(), chunk));
            case Effect.Reopen(int source, String why) -> {
                trace(source, why);
                open(source);
            }
            case Effect.Drop(int source, String why) -> trace(source, "not asked any more: " + why);
            case Effect.Progress _ -> {}
            case Effect.Complete() -> onChange.run();
            case Effect.GaveUp _ -> {
                hasGivenUp = true;
                onChange.run();
            }
        }
    }

    private void trace(int source, String why) {
        process.trace(() -> "state from " + setting.name(task.sources().get(source)) + ": " + why);
    }
}
