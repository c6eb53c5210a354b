package io.hearth.collective.state;

import io.hearth.collective.exchange.GiveUpException;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.ProgressTeller;
import io.hearth.collective.state.FetchSource.News;
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
 * Takes over the group's state from ranks that hold it, within one attempt at a boundary. The calling thread steps the
 * {@link FetchMachine} and asks; one thread for each source receives. The application's buffers are written at the end, when
 * all bytes are there and right.
 */
final class StateFetcher {
    private static final Logger LOG = LoggerFactory.getLogger(StateFetcher.class);
    private static final int INBOX_MAX = 256;

    private final Task task;
    private final FetchMachine machine;
    private final BlockingQueue<News> inbox = new ArrayBlockingQueue<>(INBOX_MAX);
    private final List<FetchSource> sources = new ArrayList<>();
    private final Set<Slot> flying = new LinkedHashSet<>();
    private final Set<Integer> givers = new TreeSet<>();
    private String trouble = "no source answered";
    private @Nullable StateManifest manifest;
    private long bytesTotal;
    private long bytesDone;

    /**
     * What to do; all borrowed.
     *
     * @param own manifest of what the state holds now
     * @param agreed what it is to hold
     * @param sources that hold it, first choice first, at least one
     * @param number of the boundary
     * @param budgetNanos for this attempt
     * @param budgetText for people, the budget of all attempts
     * @param progress told how far it is
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
            ProgressTeller progress) {
        Task {
            sources = List.copyOf(sources);
        }
    }

    StateFetcher(Task task) {
        this.task = task;
        this.machine = new FetchMachine(FetchMachine.Limits.within(Math.max(1, task.budgetNanos())));
    }

    /**
     * Fetches and takes over; {@code streams} are closed when this returns or throws.
     *
     * @return the manifest of what the state holds now
     * @throws GiveUpException this rank cannot get the state; its buffers are untouched
     * @throws IOException the mesh was abandoned; what arrived is kept for the next attempt
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
            keepWhatCame();
        }
        takeOver(arrived);
        LOG.info(
                "took over the group's state: {} from peers={} ms={}",
                size(bytesDone),
                givers.size(),
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
        News news;
        try {
            news = inbox.poll(sleepNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException) new InterruptedIOException("interrupted").initCause(stop);
        }
        return switch (news) {
            case null -> new Event.Tick();
            case News.Happened(Event event) -> event;
            case News.ManifestCame(int source, StateManifest came) -> new Event.Manifest(source, missing(came));
            case News.ChunkCame(int source, Slot slot) -> {
                keep(slot);
                bytesDone += slot.length;
                givers.add(source);
                task.progress().inAll(bytesTotal, givers.size());
                task.progress().moved(slot.length);
                yield new Event.Arrived(source, slot.chunk);
            }
        };
    }

    /** What is neither in the buffers nor left from an earlier attempt. */
    private List<Integer> missing(StateManifest came) throws GiveUpException {
        StateLayout layout = task.own().layout();
        Mesh mesh = task.mesh();
        String difference = layout.differenceFrom(came.layout()).orElse(null);
        if (difference != null) {
            throw new GiveUpException(new StateSyncException(mesh.name(mesh.self()) + " " + difference
                    + "; share the same buffers in the same order on all ranks"));
        }
        manifest = came;
        List<Integer> missing = task.state().staging().missing(came, task.own().differing(came));
        bytesTotal = missing.stream().mapToLong(layout::chunkLength).sum();
        task.progress().inAll(bytesTotal, sources.size());
        return missing;
    }

    private StateManifest known() {
        if (manifest == null) {
            throw new AssertionError("no chunk comes before the manifest");
        }
        return manifest;
    }

    private void carryOut(Effect effect) throws IOException {
        switch (effect) {
            case Effect.Ask(int source, int chunk)
            when chunk == FetchMachine.MANIFEST -> sources.get(source).askManifest();
            case Effect.Ask(int source, int chunk) -> sources.get(source).ask(slot(chunk));
            case Effect.Reopen(int source, String why) -> {
                trouble = name(source) + ": " + why;
                LOG.debug("opening another stream for state from {}", trouble);
                sources.get(source).reopen();
            }
            case Effect.Drop(int source, String why) -> {
                trouble = name(source) + ": " + why;
                LOG.warn("a source of the group's state is not asked any more: {}", trouble);
                sources.get(source).drop();
            }
            case Effect.Progress _ -> task.progress().moved(0); // also while nothing comes
            case Effect.Complete() -> {}
            case Effect.GaveUp(FetchMachine.Reason reason) ->
                throw new GiveUpException(new StateSyncException(text(reason)));
        }
    }

    private String text(FetchMachine.Reason reason) {
        Mesh mesh = task.mesh();
        String what = mesh.name(mesh.self()) + " lacks the group's state of "
                + size(task.own().layout().bytes());
        String came = size(bytesDone) + " of " + size(bytesTotal) + " did, from " + givers.size() + " members";
        return switch (reason) {
            case OUT_OF_TIME ->
                what + ", which did not arrive within " + task.budgetText() + " ("
                        + (manifest == null ? trouble : came)
                        + "); raise stateBudget, or call again, since what arrived is kept";
            case NO_SOURCE ->
                what + ", and no member that holds it can be asked any more (" + trouble
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
        flying.add(slot);
        return slot;
    }

    private void keep(Slot slot) {
        flying.remove(slot);
        task.state().staging().put(slot.chunk, slot.fingerprint, slot.piece);
    }

    /** No other thread is left. */
    private void keepWhatCame() {
        for (News news : inbox) {
            if (news instanceof News.ChunkCame came) {
                keep(came.slot());
            }
        }
        flying.forEach(slot -> task.state().staging().giveBack(slot.piece));
        flying.clear();
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

    /** For people: {@code 10 s}, {@code 0.5 s}. */
    static String text(Duration time) {
        long millis = time.toMillis();
        return (millis % 1000 == 0 ? String.valueOf(millis / 1000) : String.valueOf(millis / 1000.0)) + " s";
    }

    /** For people: {@code 3.2 GiB}. */
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
