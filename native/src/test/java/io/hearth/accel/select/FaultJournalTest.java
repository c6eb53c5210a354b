package io.hearth.accel.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.KernelKind;
import io.hearth.accel.Reducer;
import io.hearth.accel.metal.FakeMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalFault;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.select.FaultJournal.Entry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The failures of its GPU that a process writes for others. */
final class FaultJournalTest {
    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

    private static Entry entry(long process, MetalFault fault, long count) {
        return new Entry(NOON, process, fault, count, 7, "the GPU gave up: no reason");
    }

    /** A file in memory. */
    private static final class Store implements CalibrationStore {
        private Optional<byte[]> content = Optional.empty();
        private final List<Integer> sizes = new ArrayList<>();
        private boolean broken;

        @Override
        public Optional<byte[]> read() {
            return content;
        }

        @Override
        public void write(byte[] next) throws IOException {
            if (broken) {
                throw new IOException("disk full");
            }
            sizes.add(next.length);
            content = Optional.of(next.clone());
        }
    }

    @Test
    void whatIsWrittenIsReadAgain() {
        var journal = new FaultJournal(List.of(entry(1, MetalFault.COMMAND, 2), entry(2, MetalFault.HANG, 1)));
        assertEquals(journal, FaultJournal.decode(journal.encode()));
    }

    @Test
    void aKindHasOneEntryInAProcessAndTheOldestGo() {
        var journal = new FaultJournal(List.of());
        for (int i = 0; i < 100; i++) {
            journal = journal.with(entry(i, MetalFault.COMMAND, 1));
        }
        journal = journal.with(entry(80, MetalFault.COMMAND, 2)).with(entry(80, MetalFault.HANG, 1));
        assertEquals(FaultJournal.ENTRIES_MAX, journal.entries().size());
        assertEquals(
                List.of(2L, 1L),
                journal.entries().stream()
                        .filter(entry -> entry.process() == 80)
                        .map(Entry::count)
                        .toList());
        assertEquals(69, journal.entries().getFirst().process());
    }

    @Test
    void damagedAndForeignLinesAreLeftOutAndAllIsBounded() {
        String text = "hearth-gpu-faults 1\nnonsense\n2026-11-21T12:00:00Z 1 NO_SUCH_FAULT 1 1 why\n"
                + "2026-13-41T12:00:00Z 1 HANG 1 1 why\n2026-11-21T12:00:00Z 1 HANG 1 1 why\n2026-11-21T12:00";
        assertEquals(
                1,
                FaultJournal.decode(text.getBytes(StandardCharsets.US_ASCII))
                        .entries()
                        .size());
        assertEquals(
                0,
                FaultJournal.decode("another file".getBytes(StandardCharsets.US_ASCII))
                        .entries()
                        .size());
        var journal = new FaultJournal(List.of());
        for (int i = 0; i < 100; i++) {
            journal = journal.with(new Entry(
                    NOON,
                    Long.MAX_VALUE / 10 - i,
                    MetalFault.OUT_OF_MEMORY,
                    Long.MAX_VALUE / 10,
                    1,
                    "ä\n\u001b".repeat(1000)));
        }
        assertTrue(journal.encode().length < Calibration.BYTES_MAX);
        assertEquals(journal, FaultJournal.decode(journal.encode()));
    }

    /** Faults before the first listener are reported too: the first may be at the start. */
    @Test
    void theFaultsOfAnEngineAreKeptForAnotherProcess() {
        FakeMetal fake = FakeMetal.get();
        var store = new Store();
        try (MetalEngine metal = MetalEngine.open(fake.libraries(), MetalLimits.DEFAULTS);
                var run = new KernelRun(KernelKind.SUM_INT32, 4096)) {
            Reducer reducer = Engines.reducerOn(metal, EngineChoice.from(Engine.PORTABLE, 0));
            run.call(reducer, reducer.codecKernels());
            fake.set("command_fails", 1);
            run.call(reducer, reducer.codecKernels());
            metal.tellFaults(new FaultKeeper(store, InstantSource.fixed(NOON), 42));
            assertEquals(List.of(), FaultKeeper.others(store, 42), "not one's own");
            Entry first = FaultKeeper.others(store, 1).getFirst();
            assertEquals(new Entry(NOON, 42, MetalFault.COMMAND, 1, 1, first.why()), first);
            assertTrue(first.why().startsWith("the GPU gave up: "), first::toString);
            for (int fault = 2; fault <= 4; fault++) {
                metal.askAgain();
                run.call(reducer, reducer.codecKernels());
                fake.set("command_fails", 1);
                run.call(reducer, reducer.codecKernels());
            }
            Entry last = FaultKeeper.others(store, 1).getFirst();
            assertEquals(4, last.count());
            assertEquals(4, last.callsOnGpu());
            assertEquals(3, store.sizes.size(), "the first, the second and the fourth");
        }
    }

    @Test
    void aStoreThatFailsDoesNotDisturbTheEngine() {
        FakeMetal fake = FakeMetal.get();
        var store = new Store();
        store.broken = true;
        try (MetalEngine metal = MetalEngine.open(fake.libraries(), MetalLimits.DEFAULTS)) {
            metal.tellFaults(new FaultKeeper(store, InstantSource.fixed(NOON), 42));
            metal.distrust("a bit");
            assertEquals(1, metal.status().faults().get(MetalFault.WRONG_BITS));
        }
    }

    /** It is no failure if macOS shows a process no GPU. */
    @Test
    void anAbsenceIsNotKept() {
        FakeMetal fake = FakeMetal.get();
        fake.set("no_default_device", 1);
        fake.set("no_devices", 1);
        var store = new Store();
        try (MetalEngine metal = MetalEngine.open(fake.libraries(), MetalLimits.DEFAULTS)) {
            metal.tellFaults(new FaultKeeper(store, InstantSource.fixed(NOON), 42));
        }
        assertEquals(List.of(), store.sizes);
    }
}
