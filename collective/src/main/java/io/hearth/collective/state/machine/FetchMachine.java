package io.hearth.collective.state.machine;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which chunk of a state a rank asks of whom.
 *
 * <pre>
 * source   OPENING --Opened--> READY --Lost--> OPENING   (Reopen; what it was asked is asked elsewhere)
 *                              READY --Lost for the last time, Lied, silent while another is ready--> DROPPED
 * fetch    manifest from one READY source --Manifest--> chunks, a few at once from each READY source --> Complete
 *          all DROPPED, or out of time --> GaveUp
 * </pre>
 *
 * <p>Faster sources answer sooner and so are asked more often; no speed is estimated. A chunk is asked of one source at a time.
 * Asking for the last ones twice would end sooner when a source stalls, at the price of sending them twice when none does;
 * instead a silent source loses its chunks.
 */
public final class FetchMachine implements Machine<FetchMachine.State, FetchMachine.Event, FetchMachine.Effect> {
    /** In place of a chunk's number: what comes before the chunks. */
    public static final int MANIFEST = -1;

    private final Limits limits;

    /** A fetch within these bounds. */
    public FetchMachine(Limits limits) {
        this.limits = limits;
    }

    /**
     * Bounds.
     *
     * @param pipelineMax chunks asked of one source at once
     * @param lossesMax lost streams after which a source is not asked again
     * @param quietNanos silence after which a source loses its chunks, if another one is ready
     * @param budgetNanos for all
     * @param reportNanos between two reports of progress
     */
    public record Limits(int pipelineMax, int lossesMax, long quietNanos, long budgetNanos, long reportNanos) {
        public Limits {
            if (pipelineMax < 1 || lossesMax < 1 || quietNanos < 1 || budgetNanos < 1 || reportNanos < 1) {
                throw new IllegalArgumentException("every limit is at least 1");
            }
        }

        /**
         * Those that a group's state is fetched with.
         *
         * @param budgetNanos for all, positive
         */
        public static Limits within(long budgetNanos) {
            return new Limits(3, 3, Math.max(1, budgetNanos / 3), budgetNanos, 1_000_000_000L);
        }
    }

    /** What happens. Sources are numbered from 0, first choice first. */
    public sealed interface Event {
        /** There is a stream to that source. */
        record Opened(int source) implements Event {}

        /** Bytes of a chunk or manifest came from it. */
        record Heard(int source) implements Event {}

        /** The right manifest came; {@code missing} chunks of it are to be asked for. */
        record Manifest(int source, List<Integer> missing) implements Event {
            public Manifest {
                missing = List.copyOf(missing);
            }
        }

        /** A chunk came and is right. */
        record Arrived(int source, int chunk) implements Event {}

        /** The stream broke. */
        record Lost(int source, String why) implements Event {}

        /** What came is not what was asked for. */
        record Lied(int source, String why) implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** What to do. */
    public sealed interface Effect {
        /** Ask for a chunk or {@link #MANIFEST}. */
        record Ask(int source, int chunk) implements Effect {}

        /** Open another stream to it. */
        record Reopen(int source, String why) implements Effect {}

        /** Close its stream for good. */
        record Drop(int source, String why) implements Effect {}

        /** {@code arrived} chunks of {@code missing}, from so many sources that are ready. */
        record Progress(int arrived, int missing, int ready) implements Effect {}

        /** All is there. */
        record Complete() implements Effect {}

        /** All that could be done was. */
        record GaveUp(Reason reason) implements Effect {}
    }

    /** Why it ended early. */
    public enum Reason {
        /** The budget is spent. */
        OUT_OF_TIME,
        /** No source is left that could be asked. */
        NO_SOURCE
    }

    /** Whether a source can be asked. */
    public enum Mode {
        /** Its stream is on its way. */
        OPENING,
        /** It can be asked. */
        READY,
        /** It is not asked again. */
        DROPPED
    }

    /**
     * One source.
     *
     * @param asked in order of asking, and so of answering
     * @param losses streams lost
     * @param heardNanos when it last had no reason to answer or did
     */
    public record Source(Mode mode, List<Integer> asked, int losses, long heardNanos) {
        public Source {
            asked = List.copyOf(asked);
        }
    }

    /**
     * What is known.
     *
     * @param missing all chunks to ask for, once the manifest is known; never copied
     * @param next index in {@code missing} of the first that was not asked for yet
     * @param again chunks to be asked for again
     */
    public record State(
            long startedNanos,
            long reportedNanos,
            boolean hasManifest,
            List<Integer> missing,
            int next,
            List<Integer> again,
            int arrived,
            SortedMap<Integer, Source> sources,
            boolean isOver) {
        public State {
            missing = List.copyOf(missing);
            again = List.copyOf(again);
            sources = Collections.unmodifiableSortedMap(new TreeMap<>(sources));
        }
    }

    /**
     * All sources are being opened.
     *
     * @param sources how many there are, at least 1
     */
    public static State start(int sources, long nowNanos) {
        var all = new TreeMap<Integer, Source>();
        for (int i = 0; i < sources; i++) {
            all.put(i, new Source(Mode.OPENING, List.of(), 0, nowNanos));
        }
        return new State(nowNanos, nowNanos, false, List.of(), 0, List.of(), 0, all, false);
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        if (state.isOver()) {
            return new Step<>(state, List.of());
        }
        var draft = new FetchDraft(state, limits, nowNanos);
        draft.apply(event);
        return draft.done();
    }

    @Override
    public long sleepNanos(State state, long nowNanos) {
        if (state.isOver()) {
            return Long.MAX_VALUE;
        }
        long sleep = Math.min(
                state.startedNanos() + limits.budgetNanos() - nowNanos,
                state.reportedNanos() + limits.reportNanos() - nowNanos);
        for (Source source : state.sources().values()) {
            if (FetchDraft.mayBeQuiet(state.sources(), source)) {
                sleep = Math.min(sleep, source.heardNanos() + limits.quietNanos() - nowNanos);
            }
        }
        return Math.max(0, sleep);
    }
}
