package io.hearth.collective.state.machine;

import io.hearth.collective.state.machine.FetchMachine.Chunks;
import io.hearth.collective.state.machine.FetchMachine.Effect;
import io.hearth.collective.state.machine.FetchMachine.Event;
import io.hearth.collective.state.machine.FetchMachine.Limits;
import io.hearth.collective.state.machine.FetchMachine.Mode;
import io.hearth.collective.state.machine.FetchMachine.Reason;
import io.hearth.collective.state.machine.FetchMachine.Source;
import io.hearth.collective.state.machine.FetchMachine.State;
import io.hearth.core.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** One transition of {@link FetchMachine}, with mutable fields. */
final class FetchDraft {
    private final State before;
    private final Limits limits;
    private final long nowNanos;
    private final SortedMap<Integer, Source> sources;
    private final List<Effect> effects = new ArrayList<>();
    private Chunks chunks;
    private long reportedNanos;
    private boolean isOver;

    FetchDraft(State state, Limits limits, long nowNanos) {
        this.before = state;
        this.limits = limits;
        this.nowNanos = nowNanos;
        this.sources = new TreeMap<>(state.sources());
        this.chunks = state.chunks();
        this.reportedNanos = state.reportedNanos();
    }

    void apply(Event event) {
        switch (event) {
            case Event.Opened(int source) -> opened(source);
            case Event.Heard(int source) -> heard(source);
            case Event.Manifest(int source, List<Integer> missing) -> manifest(source, missing);
            case Event.Arrived(int source, int chunk) -> arrived(source, chunk);
            case Event.Lost(int source, String why) -> lost(source, why);
            case Event.Invalid(int source, String why) -> drop(source, why);
            case Event.Tick() -> {}
        }
        dropSilent();
        if (chunks.isComplete()) {
            end(new Effect.Complete());
        } else if (sources.values().stream().allMatch(source -> source.mode() == Mode.DROPPED)) {
            end(new Effect.GaveUp(Reason.NO_SOURCE));
        } else if (nowNanos - before.startedNanos() >= limits.budgetNanos()) {
            end(new Effect.GaveUp(Reason.OUT_OF_TIME));
        } else {
            ask();
            report();
        }
    }

    Step<State, Effect> done() {
        return new Step<>(new State(before.startedNanos(), reportedNanos, chunks, sources, isOver), effects);
    }

    private void end(Effect last) {
        isOver = true;
        effects.add(last);
    }

    private Source source(int number) {
        Source source = sources.get(number);
        if (source == null) {
            throw new IllegalArgumentException("there is no source " + number);
        }
        return source;
    }

    private void opened(int number) {
        Source source = source(number);
        if (source.mode() == Mode.OPENING) {
            sources.put(number, source.in(Mode.READY, nowNanos));
        }
    }

    private void heard(int number) {
        Source source = source(number);
        sources.put(number, source.asking(source.asked(), nowNanos));
    }

    private void manifest(int number, List<Integer> missing) {
        if (answered(number, FetchMachine.MANIFEST) && !chunks.known()) {
            chunks = Chunks.of(missing);
        }
    }

    private void arrived(int number, int chunk) {
        if (answered(number, chunk)) {
            chunks = chunks.oneMore();
        }
    }

    /** Removes an answered request. Returns false if it is not open at this source, for example because another one has it now. */
    private boolean answered(int number, int chunk) {
        Source source = source(number);
        List<Integer> left =
                source.asked().stream().filter(other -> other != chunk).toList();
        sources.put(number, source.asking(left, nowNanos));
        return left.size() < source.asked().size();
    }

    private void lost(int number, String why) {
        Source source = source(number);
        if (source.mode() != Mode.READY) {
            return;
        }
        int losses = source.losses() + 1;
        if (losses >= limits.lossesMax()) {
            drop(number, why);
            return;
        }
        askElsewhere(source);
        sources.put(number, new Source(Mode.OPENING, List.of(), losses, nowNanos));
        effects.add(new Effect.Reopen(number, why));
    }

    private void drop(int number, String why) {
        Source source = source(number);
        if (source.mode() == Mode.DROPPED) {
            return;
        }
        askElsewhere(source);
        sources.put(number, source.in(Mode.DROPPED, nowNanos));
        effects.add(new Effect.Drop(number, why));
    }

    private void askElsewhere(Source source) {
        chunks = chunks.lost(source.asked().stream()
                .filter(chunk -> chunk != FetchMachine.MANIFEST)
                .toList());
    }

    private void dropSilent() {
        for (Map.Entry<Integer, Source> entry : List.copyOf(sources.entrySet())) {
            long silentNanos = nowNanos - entry.getValue().heardNanos();
            if (isReplaceable(sources, entry.getValue()) && silentNanos >= limits.quietNanos()) {
                drop(entry.getKey(), "silent for " + silentNanos / 1_000_000 + " ms");
            }
        }
    }

    /** Whether a source has an open request that another source could answer instead. */
    static boolean isReplaceable(SortedMap<Integer, Source> sources, Source source) {
        return source.mode() == Mode.READY
                && !source.asked().isEmpty()
                && sources.values().stream()
                                .filter(other -> other.mode() == Mode.READY)
                                .count()
                        > 1;
    }

    /** Requests one chunk from each source in turn, so that a few chunks do not all go to the first choice. */
    private void ask() {
        if (!chunks.known()) {
            askManifest();
            return;
        }
        for (int round = 0; round < limits.pipelineMax(); round++) {
            for (int number : List.copyOf(sources.keySet())) {
                Source source = source(number);
                if (chunks.isOpen()
                        && source.mode() == Mode.READY
                        && source.asked().size() <= round) {
                    ask(number, chunks.first());
                    chunks = chunks.requested();
                }
            }
        }
    }

    private void askManifest() {
        boolean isAsked =
                sources.values().stream().anyMatch(source -> source.asked().contains(FetchMachine.MANIFEST));
        sources.entrySet().stream()
                .filter(entry -> !isAsked && entry.getValue().mode() == Mode.READY)
                .findFirst()
                .ifPresent(entry -> ask(entry.getKey(), FetchMachine.MANIFEST));
    }

    private void ask(int number, int chunk) {
        Source source = source(number);
        var asked = new ArrayList<>(source.asked());
        asked.add(chunk);
        long heardNanos = source.asked().isEmpty() ? nowNanos : source.heardNanos();
        sources.put(number, source.asking(asked, heardNanos));
        effects.add(new Effect.Ask(number, chunk));
    }

    private void report() {
        if (nowNanos - reportedNanos >= limits.reportNanos()) {
            reportedNanos = nowNanos;
            int ready = (int) sources.values().stream()
                    .filter(source -> source.mode() == Mode.READY)
                    .count();
            effects.add(new Effect.Progress(chunks.arrived(), chunks.missing().size(), ready));
        }
    }
}
