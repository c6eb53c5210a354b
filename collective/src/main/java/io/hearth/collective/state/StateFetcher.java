package io.hearth.collective.state;

import io.hearth.collective.exchange.GiveUpException;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.watch.ProgressReporter;
import io.hearth.collective.state.FetchSource.Report;
import io.hearth.collective.state.FetchSource.Slot;
import io.hearth.collective.state.machine.FetchMachine;
import io.hearth.collective.state.machine.FetchMachine.Effect;
import io.hearth.collective.state.machine.FetchMachine.Event;
import io.hearth.core.Clock;
import io.hearth.core.StateSyncException;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the group's state from ranks that hold it, within one attempt at a boundary. The calling thread steps the {@link
 * FetchMachine} and sends the requests; each source has a thread that receives. The application's buffers are written at the end,
 * when all bytes have arrived and are checked.
 */
final class StateFetcher {
    private static final Logger LOG = LoggerFactory.getLogger(StateFetcher.class);
    private static final int INBOX_MAX = 256;

    private final Task task;
    private final FetchMachine machine;
    private final BlockingQueue<Report> inbox = new ArrayBlockingQueue<>(INBOX_MAX);
    private final List<FetchSource> sources = new ArrayList<>();
    private final Set<Slot> requested = new LinkedHashSet<>();
    private final Set<Integer> suppliers = new TreeSet<>();
    private String problem = "no source answered";
    private @Nullable StateManifest manifest;
    private long bytesTotal;
    private long bytesDone;

    /**
     * Input of a fetch; all borrowed.
     *
     * @param own manifest of the current content of {@code state}
     * @param agreed the state to fetch
     * @param sources members that hold it, first choice first, at least one
     * @param number number of the boundary's call
     * @param budgetNanos for this attempt
     * @param budgetText budget of all attempts, for messages
     * @param progress gets the progress
     */
    record Task(
            SharedState state,
            StateManifest own,
            StateClaim agreed,
            List<NodeId> sources,
            Mesh mesh,
            long number,
            long budgetNanos,
            String budgetText,
            ProgressReporter progress) {
        Task {
            sources = List.copyOf(sources);
        }
    }

    StateFetcher(Task task) {
        this.task = task;
        this.machine = new FetchMachine(FetchMachine.Limits.within(Math.max(1, task.budgetNanos())));
    }

    /**
     * Fetches the state and writes it to the buffers; closes {@code streams}.
     *
     * @return the manifest of the new content
     * @throws GiveUpException if this rank cannot get the state; its buffers are unchanged
     * @throws IOException if the mesh was abandoned; chunks that arrived are kept for the next attempt
     */
    StateManifest fetch(StateStreams streams, Clock clock) throws IOException {
        task.mesh().waitsFor("the group's state");
        long startNanos = clock.nanoTime();
        StateManifest arrived;
        try (streams) {
            start(streams);
            arrived = receiveAll(clock);
        } finally {
            task.progress().ended();
            keepArrived();
        }
        takeOver(arrived);
        LOG.info(
                "took over the group's state: {} from peers={} ms={}",
                size(bytesDone),
                suppliers.size(),
                TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - startNanos));
        return arrived;
    }

    private void start(StateStreams streams) {
        int rank = task.mesh().members().indexOf(task.mesh().self());
        for (NodeId peer : task.sources()) {
            var source = new FetchSource(
                    sources.size(), peer, rank, task.number(), task.agreed().digest(), streams, inbox);
            sources.add(source);
            streams.start("hearth-state-from-" + peer.shortText(), source::run);
        }
    }

    private StateManifest receiveAll(Clock clock) throws IOException {
        FetchMachine.State state = FetchMachine.start(sources.size(), clock.nanoTime());
        while (!state.isOver()) {
            Event event = next(machine.sleepNanos(state, clock.nanoTime()));
            task.mesh().check();
            Step<FetchMachine.State, Effect> step = machine.step(state, event, clock.nanoTime());
            state = step.state();
            for (Effect effect : step.effects()) {
                carryOut(effect);
            }
        }
        return known();
    }

    private Event next(long sleepNanos) throws IOException {
        Report report;
        try {
            report = inbox.poll(sleepNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException) new InterruptedIOException("interrupted").initCause(stop);
        }
        return switch (report) {
            case null -> new Event.Tick();
            case Report.Occurred(Event event) -> event;
            case Report.ManifestCame(int source, StateManifest arrived) -> new Event.Manifest(source, missing(arrived));
            case Report.ChunkCame(int source, Slot slot) -> {
                keep(slot);
                bytesDone += slot.length;
                suppliers.add(source);
                task.progress().inAll(bytesTotal, suppliers.size());
                task.progress().moved(slot.length);
                yield new Event.Arrived(source, slot.chunk);
            }
        };
    }

    /** Chunks that are neither in the buffers nor kept from an earlier attempt. */
    private List<Integer> missing(StateManifest arrived) throws GiveUpException {
        StateLayout layout = task.own().layout();
        Mesh mesh = task.mesh();
        String difference = layout.differenceFrom(arrived.layout()).orElse(null);
        if (difference != null) {
            throw new GiveUpException(new StateSyncException(mesh.name(mesh.self()) + " " + difference
                    + "; share the same buffers in the same order on all ranks"));
        }
        manifest = arrived;
        List<Integer> missing =
                task.state().staging().missing(arrived, task.own().differing(arrived));
        bytesTotal = missing.stream().mapToLong(layout::chunkLength).sum();
        task.progress().inAll(bytesTotal, sources.size());
        return missing;
    }

    private StateManifest known() {
        if (manifest == null) {
            throw new AssertionError("a chunk arrived before the manifest");
        }
        return manifest;
    }

    private void carryOut(Effect effect) throws IOException {
        switch (effect) {
            case Effect.Ask(int source, int chunk)
            when chunk == FetchMachine.MANIFEST -> sources.get(source).askManifest();
            case Effect.Ask(int source, int chunk) -> sources.get(source).ask(slot(chunk));
            case Effect.Reopen(int source, String why) -> {
                problem = name(source) + ": " + why;
                LOG.debug("opening another stream for state from {}", problem);
                sources.get(source).reopen();
            }
            case Effect.Drop(int source, String why) -> {
                problem = name(source) + ": " + why;
                LOG.warn("giving up a source of the group's state: {}", problem);
                sources.get(source).drop();
            }
            case Effect.Progress _ -> task.progress().moved(0); // also while no bytes arrive
            case Effect.Complete() -> {}
            case Effect.GaveUp(FetchMachine.Reason reason) ->
                throw new GiveUpException(new StateSyncException(text(reason)));
        }
    }

    private String text(FetchMachine.Reason reason) {
        Mesh mesh = task.mesh();
        String what = mesh.name(mesh.self()) + " does not have the group's state of "
                + size(task.own().layout().bytes());
        String arrived =
                size(bytesDone) + " of " + size(bytesTotal) + " arrived, from " + suppliers.size() + " members";
        return switch (reason) {
            case OUT_OF_TIME ->
                what + ", which did not arrive within " + task.budgetText() + " ("
                        + (manifest == null ? problem : arrived)
                        + "); raise stateBudget, or call again, since what arrived is kept";
            case NO_SOURCE ->
                what + ", and no member that holds it is left as a source (" + problem
                        + "); call again, since what arrived is kept";
        };
    }

    private String name(int source) {
        return task.mesh().name(sources.get(source).peer());
    }

    private Slot slot(int chunk) {
        StateLayout layout = known().layout();
        var slot = new Slot(
                chunk,
                (long) chunk * layout.chunkBytes(),
                layout.chunkLength(chunk),
                known().fingerprint(chunk),
                task.state().staging().take());
        requested.add(slot);
        return slot;
    }

    private void keep(Slot slot) {
        requested.remove(slot);
        task.state().staging().put(slot.chunk, slot.fingerprint, slot.piece);
    }

    /** Keeps all chunks that arrived; no other thread is running any more. */
    private void keepArrived() {
        for (Report report : inbox) {
            if (report instanceof Report.ChunkCame arrived) {
                keep(arrived.slot());
            }
        }
        requested.forEach(slot -> task.state().staging().giveBack(slot.piece));
        requested.clear();
    }

    private void takeOver(StateManifest arrived) {
        StateStaging staging = task.state().staging();
        StateLayout layout = arrived.layout();
        for (int chunk : task.own().differing(arrived)) {
            task.state()
                    .write(
                            (long) chunk * layout.chunkBytes(),
                            staging.bytes(chunk).asSlice(0, layout.chunkLength(chunk)));
        }
        staging.close();
    }

    /** A duration for messages: {@code 10 s}, {@code 0.5 s}. */
    static String text(Duration time) {
        long millis = time.toMillis();
        return (millis % 1000 == 0 ? String.valueOf(millis / 1000) : String.valueOf(millis / 1000.0)) + " s";
    }

    /** A size for messages: {@code 3.2 GiB}. */
    static String size(long bytes) {
        String[] units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < units.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + " bytes" : String.format(Locale.ROOT, "%.1f %s", value, units[unit]);
    }
}
