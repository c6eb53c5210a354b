package io.hearth.collective.state.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.state.machine.FetchMachine.Effect;
import io.hearth.collective.state.machine.FetchMachine.Event;
import io.hearth.collective.state.machine.FetchMachine.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The distribution of chunk requests over sources. */
final class FetchMachineTest {
    private static final FetchMachine.Limits LIMITS = new FetchMachine.Limits(2, 3, 300, 1000, 400);
    private static final int M = FetchMachine.MANIFEST;

    private final FetchMachine machine = new FetchMachine(LIMITS);
    private FetchMachine.State state = FetchMachine.start(2, 0);
    private long now;

    @BeforeEach
    void twoSources() {
        start(2);
    }

    private void start(int sources) {
        now = 50;
        state = FetchMachine.start(sources, now);
    }

    private List<Effect> on(Event event) {
        var step = machine.step(state, event, now);
        state = step.state();
        return step.effects();
    }

    private List<Effect> at(long nanos, Event event) {
        now = 50 + nanos;
        return on(event);
    }

    private static List<Effect> asks(int... sourceAndChunk) {
        var asks = new ArrayList<Effect>();
        for (int i = 0; i < sourceAndChunk.length; i += 2) {
            asks.add(new Effect.Ask(sourceAndChunk[i], sourceAndChunk[i + 1]));
        }
        return asks;
    }

    private static List<Effect> and(Effect first, List<Effect> more) {
        var all = new ArrayList<>(List.of(first));
        all.addAll(more);
        return all;
    }

    private static Event.Manifest manifest(int source, Integer... chunks) {
        return new Event.Manifest(source, Arrays.asList(chunks));
    }

    @Test
    void theFirstThatOpensGivesTheManifestAndAllGiveChunks() {
        assertEquals(asks(1, M), on(new Event.Opened(1)));
        assertEquals(asks(), on(new Event.Opened(0)));
        assertEquals(asks(0, 3, 1, 5, 0, 7, 1, 8), on(manifest(1, 3, 5, 7, 8, 9)));
        assertEquals(asks(1, 9), on(new Event.Arrived(1, 5)));
        assertEquals(asks(), on(new Event.Arrived(1, 8)));
        assertEquals(asks(), on(new Event.Arrived(0, 3)));
        assertEquals(asks(), on(new Event.Arrived(1, 9)));
        assertEquals(List.of(new Effect.Complete()), on(new Event.Arrived(0, 7)));
        assertTrue(state.isOver());
        assertEquals(List.of(), at(5000, new Event.Tick()));
        assertEquals(Long.MAX_VALUE, machine.sleepNanos(state, now));
    }

    @Test
    void nothingMissingIsCompleteAtOnce() {
        on(new Event.Opened(0));
        assertEquals(List.of(new Effect.Complete()), on(manifest(0)));
    }

    @Test
    void whatALostSourceOwesIsAskedElsewhereFirst() {
        on(new Event.Opened(0));
        on(new Event.Opened(1));
        on(manifest(0, 0, 1, 2, 3, 4, 5));
        assertEquals(List.of(new Effect.Reopen(0, "cut")), on(new Event.Lost(0, "cut")));
        assertEquals(asks(1, 0), on(new Event.Arrived(1, 1)));
        assertEquals(asks(0, 2, 0, 4), on(new Event.Opened(0)));
    }

    @Test
    void aManifestThatDoesNotComeIsAskedElsewhere() {
        on(new Event.Opened(0));
        on(new Event.Opened(1));
        assertEquals(and(new Effect.Reopen(0, "cut"), asks(1, M)), on(new Event.Lost(0, "cut")));
        assertEquals(asks(1, 0), on(manifest(1, 0)));
    }

    @Test
    void aSourceIsLostForGoodAtTheThirdTime() {
        start(1);
        for (int i = 0; i < 2; i++) {
            on(new Event.Opened(0));
            assertEquals(List.of(new Effect.Reopen(0, "cut")), on(new Event.Lost(0, "cut")));
        }
        on(new Event.Opened(0));
        assertEquals(
                List.of(new Effect.Drop(0, "cut"), new Effect.GaveUp(Reason.NO_SOURCE)), on(new Event.Lost(0, "cut")));
    }

    @Test
    void aLiarIsDroppedAtOnceAndNothingThatItSaysCounts() {
        on(new Event.Opened(0));
        on(new Event.Opened(1));
        on(manifest(0, 0, 1));
        assertEquals(and(new Effect.Drop(1, "wrong"), asks(0, 1)), on(new Event.Invalid(1, "wrong")));
        assertEquals(asks(), on(new Event.Arrived(1, 1)));
        assertEquals(asks(), on(new Event.Opened(1)));
        assertEquals(asks(), on(new Event.Lost(1, "cut")));
        assertEquals(asks(), on(new Event.Arrived(0, 0)));
        assertEquals(List.of(new Effect.Complete()), on(new Event.Arrived(0, 1)));
    }

    @Test
    void aSilentSourceLosesItsChunksIfAnotherIsThere() {
        on(new Event.Opened(0));
        on(new Event.Opened(1));
        on(manifest(0, 0, 1, 2, 3));
        at(200, new Event.Heard(0));
        assertEquals(100, machine.sleepNanos(state, now));
        assertEquals(asks(), at(299, new Event.Tick()));
        assertEquals(List.of(new Effect.Drop(1, "silent for 0 ms")), at(300, new Event.Tick()));
        assertEquals(asks(0, 1), on(new Event.Arrived(0, 0)));
    }

    @Test
    void aSilentSourceIsKeptIfItIsTheOnlyOneOrOwesNothing() {
        on(new Event.Opened(0));
        on(manifest(0, 0, 1));
        assertEquals(asks(), at(399, new Event.Tick()));
        on(new Event.Heard(0));
        on(new Event.Opened(1));
        assertEquals(List.of(new Effect.Progress(0, 2, 2)), at(698, new Event.Tick()), "0 spoke at 399");
        assertEquals(asks(), on(new Event.Heard(0)));
        assertEquals(asks(), at(750, new Event.Tick()), "1 owes nothing");
    }

    @Test
    void itEndsWhenItsTimeIsUp() {
        on(new Event.Opened(0));
        on(manifest(0, 0));
        at(999, new Event.Heard(0));
        assertEquals(1, machine.sleepNanos(state, now));
        assertEquals(List.of(new Effect.GaveUp(Reason.OUT_OF_TIME)), at(1000, new Event.Heard(0)));
        start(2);
        assertEquals(List.of(new Effect.GaveUp(Reason.OUT_OF_TIME)), at(1000, new Event.Tick()));
        start(2);
        on(new Event.Opened(0));
        on(manifest(0, 0));
        assertEquals(List.of(new Effect.Complete()), at(1000, new Event.Arrived(0, 0)), "just in time");
    }

    @Test
    void progressIsToldNowAndThen() {
        on(new Event.Opened(0));
        on(manifest(0, 0, 1, 2));
        assertEquals(asks(0, 2), at(399, new Event.Arrived(0, 0)));
        assertEquals(List.of(new Effect.Progress(1, 3, 1)), at(400, new Event.Heard(0)));
        assertEquals(asks(), at(799, new Event.Heard(0)));
        assertEquals(List.of(new Effect.Progress(1, 3, 1)), at(800, new Event.Heard(0)));
    }

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    /**
     * Sources fail, send invalid data and fall silent at random. Every chunk is requested, none from two sources at once, and the
     * fetch always ends.
     */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void whateverSourcesDoItEnds(long seed) {
        var random = new SplittableRandom(seed);
        int sources = random.nextInt(1, 5);
        int chunks = random.nextInt(0, 40);
        start(sources);
        var open = new TreeMap<Integer, List<Integer>>(); // open requests, by source with a stream
        var dropped = new TreeSet<Integer>();
        var arrived = new TreeSet<Integer>();
        boolean complete = false;
        long deadline = now + 2 * LIMITS.budgetNanos();
        while (!state.isOver()) {
            assertTrue(now < deadline, "never ends, seed " + seed);
            now += random.nextInt(0, 20);
            int from = random.nextInt(sources);
            Event event = open.containsKey(from) ? answer(random, from, open, arrived, chunks) : new Event.Tick();
            if (!open.containsKey(from) && !dropped.contains(from) && random.nextInt(3) == 0) {
                open.put(from, new ArrayList<>());
                event = new Event.Opened(from);
            }
            for (Effect effect : on(event)) {
                switch (effect) {
                    case Effect.Ask(int source, int chunk) -> {
                        assertTrue(
                                open.values().stream().noneMatch(asked -> asked.contains(chunk)),
                                "asked twice: " + chunk + ", seed " + seed);
                        assertTrue(!arrived.contains(chunk), "asked again: " + chunk + ", seed " + seed);
                        List<Integer> asked = Objects.requireNonNull(open.get(source));
                        asked.add(chunk);
                        assertTrue(asked.size() <= LIMITS.pipelineMax(), "too many, seed " + seed);
                    }
                    case Effect.Reopen again -> open.remove(again.source());
                    case Effect.Drop bad -> {
                        open.remove(bad.source());
                        dropped.add(bad.source());
                    }
                    case Effect.Progress far -> assertEquals(arrived.size(), far.arrived());
                    case Effect.Complete() -> complete = true;
                    case Effect.GaveUp end ->
                        assertEquals(end.reason() == Reason.NO_SOURCE, dropped.size() == sources, "seed " + seed);
                }
            }
        }
        assertEquals(complete, state.chunks().known() && arrived.size() == chunks, "seed " + seed);
    }

    private static Event answer(
            SplittableRandom random,
            int source,
            SortedMap<Integer, List<Integer>> open,
            Set<Integer> arrived,
            int chunks) {
        List<Integer> asked = Objects.requireNonNull(open.get(source));
        int dice = random.nextInt(100);
        if (dice < 4) {
            return new Event.Lost(source, "cut");
        }
        if (dice < 5) {
            return new Event.Invalid(source, "wrong");
        }
        if (asked.isEmpty() || dice < 30) {
            return new Event.Heard(source);
        }
        int chunk = asked.removeFirst();
        if (chunk == M) {
            return new Event.Manifest(source, IntStream.range(0, chunks).boxed().toList());
        }
        arrived.add(chunk);
        return new Event.Arrived(source, chunk);
    }
}
