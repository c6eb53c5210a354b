package io.hearth.collective.state.machine;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Decides which chunk of a state a rank requests from which source.
 *
 * <pre>
 * source   OPENING --Opened--> READY --Lost--> OPENING   (Reopen; other sources get its open requests)
 *                              READY --Lost for the last time, Invalid, silent while another is ready--> DROPPED
 * fetch    manifest from one READY source --Manifest--> chunks, a few at once from each READY source --> Complete
 *          all DROPPED, or out of time --> GaveUp
 * </pre>
 *
 * <p>Faster sources answer sooner and so get more requests; no speed is estimated. A chunk is requested from one source at a time.
 * To request the last chunks twice would help when a source stalls, but would send them twice when none does. Instead, a silent
 * source loses its chunks to others.
 */
public final class FetchMachine implements Machine<FetchMachine.State, FetchMachine.Event, FetchMachine.Effect> {
    /** Stands for the manifest in place of a chunk's number. */
    public static final int MANIFEST = -1;

    private final Limits limits;

    /** Creates a machine with these limits. */
    public FetchMachine(Limits limits) {
        this.limits = limits;
    }

    /**
     * Limits of a fetch.
     *
     * @param pipelineMax open requests per source
     * @param lossesMax lost streams after which a source is dropped
     * @param quietNanos silence after which a source is dropped, if another one is ready
     * @param budgetNanos for all
     * @param reportNanos between two reports of progress
     */
    public record Limits(int pipelineMax, int lossesMax, long quietNanos, long budgetNanos, long reportNanos) {
        public Limits {
            if (pipelineMax < 1 || lossesMax < 1 || quietNanos < 1 || budgetNanos < 1 || reportNanos < 1) {
                throw new IllegalArgumentException("every limit must be at least 1");
            }
        }

        /**
         * The limits for fetching a group's state.
         *
         * @param budgetNanos for the whole fetch, positive
         */
        public static Limits within(long budgetNanos) {
            return new Limits(3, 3, Math.max(1, budgetNanos / 3), budgetNanos, 1_000_000_000L);
        }
    }

    /** Events. Sources are numbered from 0, first choice first. */
    public sealed interface Event {
        /** The stream to a source is open. */
        record Opened(int source) implements Event {}

        /** Bytes of a chunk or manifest arrived from a source. */
        record Heard(int source) implements Event {}

        /** The expected manifest arrived; its {@code missing} chunks are to be requested. */
        record Manifest(int source, List<Integer> missing) implements Event {
            public Manifest {
                missing = List.copyOf(missing);
            }
        }

        /** A chunk arrived with the right fingerprint. */
        record Arrived(int source, int chunk) implements Event {}

        /** The stream broke. */
        record Lost(int source, String why) implements Event {}

        /** The source sent something else than was requested. */
        record Invalid(int source, String why) implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** Effects. */
    public sealed interface Effect {
        /** Request a chunk or {@link #MANIFEST}. */
        record Ask(int source, int chunk) implements Effect {}

        /** Open another stream to a source. */
        record Reopen(int source, String why) implements Effect {}

        /** Close the stream to a source and open no other. */
        record Drop(int source, String why) implements Effect {}

        /** {@code arrived} chunks of {@code missing} are here; {@code ready} sources are ready. */
        record Progress(int arrived, int missing, int ready) implements Effect {}

        /** All chunks have arrived. */
        record Complete() implements Effect {}

        /** The fetch failed. */
        record GaveUp(Reason reason) implements Effect {}
    }

    /** Reason of a failed fetch. */
    public enum Reason {
        /** The budget is spent. */
        OUT_OF_TIME,
        /** All sources are dropped. */
        NO_SOURCE
    }

    /** State of a source. */
    public enum Mode {
        /** Its stream is being opened. */
        OPENING,
        /** It accepts requests. */
        READY,
        /** It gets no more requests. */
        DROPPED
    }

    /**
     * One source.
     *
     * @param asked open requests, in the order of asking and so of answering
     * @param losses number of lost streams
     * @param heardNanos when it last answered, or got a request while none was open
     */
    public record Source(Mode mode, List<Integer> asked, int losses, long heardNanos) {
        public Source {
            asked = List.copyOf(asked);
        }

        /** The same source in another mode, without open requests. */
        Source in(Mode next, long nowNanos) {
            return new Source(next, List.of(), losses, nowNanos);
        }

        /** The same source with other open requests. */
        Source asking(List<Integer> chunks, long lastHeardNanos) {
            return new Source(mode, chunks, losses, lastHeardNanos);
        }
    }

    /**
     * The chunks of a fetch.
     *
     * @param known whether the manifest is known, and so which chunks are missing
     * @param missing all chunks to request, once the manifest is known; never copied
     * @param next index in {@code missing} of the first chunk not requested yet
     * @param again chunks to request again
     * @param arrived number of chunks that arrived
     */
    public record Chunks(boolean known, List<Integer> missing, int next, List<Integer> again, int arrived) {
        static final Chunks UNKNOWN = new Chunks(false, List.of(), 0, List.of(), 0);

        public Chunks {
            missing = List.copyOf(missing);
            again = List.copyOf(again);
        }

        static Chunks of(List<Integer> missing) {
            return new Chunks(true, missing, 0, List.of(), 0);
        }

        boolean isComplete() {
            return known && arrived == missing.size();
        }

        /** Whether a chunk is to be requested. */
        boolean isOpen() {
            return !again.isEmpty() || next < missing.size();
        }

        /** The chunk to request next. */
        int first() {
            return again.isEmpty() ? missing.get(next) : again.getFirst();
        }

        /** The same after a request for {@link #first}. */
        Chunks requested() {
            return again.isEmpty()
                    ? new Chunks(known, missing, next + 1, again, arrived)
                    : new Chunks(known, missing, next, again.subList(1, again.size()), arrived);
        }

        /** The same with more chunks to request again. */
        Chunks lost(List<Integer> chunks) {
            List<Integer> more = Stream.concat(again.stream(), chunks.stream()).toList();
            return new Chunks(known, missing, next, more, arrived);
        }

        Chunks oneMore() {
            return new Chunks(known, missing, next, again, arrived + 1);
        }
    }

    /** State of a fetch. */
    public record State(
            long startedNanos, long reportedNanos, Chunks chunks, SortedMap<Integer, Source> sources, boolean isOver) {
        public State {
            sources = Collections.unmodifiableSortedMap(new TreeMap<>(sources));
        }
    }

    /**
     * The start of a fetch: all sources are being opened.
     *
     * @param sources number of sources, at least 1
     */
    public static State start(int sources, long nowNanos) {
        var all = new TreeMap<Integer, Source>();
        for (int i = 0; i < sources; i++) {
            all.put(i, new Source(Mode.OPENING, List.of(), 0, nowNanos));
        }
        return new State(nowNanos, nowNanos, Chunks.UNKNOWN, all, false);
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
            if (FetchDraft.isReplaceable(state.sources(), source)) {
                sleep = Math.min(sleep, source.heardNanos() + limits.quietNanos() - nowNanos);
            }
        }
        return Math.max(0, sleep);
    }
}
