package io.hearth.accel.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.KernelKind;
import io.hearth.accel.Reducer;
import io.hearth.accel.gpu.MetalReducer;
import io.hearth.accel.metal.FakeMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalFault;
import io.hearth.accel.metal.MetalLimits;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The measurement on a stand-in; a test moves the clock and so makes an engine fast. */
final class CalibratorTest {
    private static final MetalLimits LIMITS =
            new MetalLimits(1, 1 << 20, Duration.ofSeconds(60), Duration.ofSeconds(60));
    private static final List<Integer> SIZES = List.of(4096, 16_384);

    private FakeMetal fake;
    private MetalEngine engine;
    private long nanos;
    private long callsBefore;
    private Instant now = Instant.parse("2026-11-21T04:05:06Z");

    /** A file in memory. */
    private static final class Store implements CalibrationStore {
        private Optional<byte[]> content = Optional.empty();
        private int writes;
        private boolean broken;

        @Override
        public Optional<byte[]> read() throws IOException {
            if (broken) {
                throw new IOException("no permission");
            }
            return content;
        }

        @Override
        public void write(byte[] next) throws IOException {
            writes++;
            if (broken) {
                throw new IOException("disk full");
            }
            content = Optional.of(next.clone());
        }
    }

    @BeforeEach
    void open() {
        fake = FakeMetal.get();
        engine = MetalEngine.open(fake.libraries(), LIMITS);
    }

    @AfterEach
    void close() {
        if (engine != null) {
            engine.close();
            fake.assertObeyed();
        }
    }

    /** Each reading of the clock is a second later if the GPU worked since the last one, or if it did not. */
    private EngineChoice choice(Store store, boolean gpuIsFast) {
        return calibrator(gpuIsFast ? 1_000_000 : 1_000_000_000, gpuIsFast ? 1_000_000_000 : 1_000_000)
                .choice(store);
    }

    private Calibrator calibrator(long gpuNanos, long cpuNanos) {
        callsBefore = engine.status().callsOnGpu();
        return new Calibrator(
                engine,
                Engine.PORTABLE,
                SIZES,
                () -> {
                    long calls = engine.status().callsOnGpu();
                    nanos += calls > callsBefore ? gpuNanos : cpuNanos;
                    callsBefore = calls;
                    return nanos;
                },
                () -> now);
    }

    @Test
    void whereTheGpuIsFasterItGetsEveryKernelThatItHas() {
        EngineChoice choice = choice(new Store(), true);
        for (KernelKind kind : KernelKind.values()) {
            assertEquals(4096, choice.metalFrom(kind), kind::text);
        }
    }

    @Test
    void whereItIsSlowerItGetsNone() {
        assertEquals(EngineChoice.never(Engine.PORTABLE), choice(new Store(), false));
    }

    /** The median decides: the GPU may be slow in one of five rounds, but not in three. */
    @ParameterizedTest
    @CsvSource({"5, true", "2, false"})
    void aSlowRoundNowAndThenIsNoVerdict(int everyRounds, boolean wins) {
        callsBefore = engine.status().callsOnGpu();
        var onGpu = new AtomicLong();
        EngineChoice choice = new Calibrator(
                        engine,
                        Engine.PORTABLE,
                        SIZES,
                        () -> {
                            long calls = engine.status().callsOnGpu();
                            boolean slow = calls > callsBefore && onGpu.incrementAndGet() % everyRounds == 0;
                            nanos += calls > callsBefore && !slow ? 1_000_000 : 1_000_000_000;
                            callsBefore = calls;
                            return nanos;
                        },
                        () -> now)
                .choice(new Store());
        assertEquals(wins, !choice.equals(EngineChoice.never(Engine.PORTABLE)), choice::toString);
    }

    @Test
    void figuresOfAGpuThatFailedMeanwhileAreNeitherUsedNorKept() {
        var store = new Store();
        fake.set("command_fails", 100);
        assertEquals(EngineChoice.never(Engine.PORTABLE), choice(store, true));
        assertEquals(0, store.writes);
        assertEquals(4096, choice(store, true).metalFrom(KernelKind.SUM_FLOAT32), "the next start measures");
        assertEquals(1, store.writes);
    }

    @Test
    void figuresOfOtherSizesAreMadeAnew() {
        var store = new Store();
        choice(store, true);
        new Calibrator(engine, Engine.PORTABLE, List.of(4096), () -> nanos += 1_000_000, () -> now).choice(store);
        assertEquals(2, store.writes);
        assertEquals(2 * KernelKind.values().length, kept(store).samples().size(), "each is measured twice");
    }

    @Test
    void theNextStartKnowsTheFigures() {
        var store = new Store();
        EngineChoice first = choice(store, true);
        long calls = engine.status().callsOnGpu();
        assertEquals(first, choice(store, false));
        assertEquals(calls, engine.status().callsOnGpu(), "nothing was measured");
        assertEquals(1, store.writes);
    }

    @Test
    void damagedAndForeignFiguresAreMadeAnew() {
        var store = new Store();
        choice(store, true);
        byte[] good = store.content.orElseThrow();
        byte[] damaged = good.clone();
        damaged[good.length / 2] ^= 4;
        Calibration own = Calibration.decode(good).orElseThrow();
        for (byte[] content : List.of(
                damaged, changed(own, "another GPU", own.versions()), changed(own, own.hardware(), "older kernels"))) {
            store.content = Optional.of(content);
            assertEquals(EngineChoice.never(Engine.PORTABLE), choice(store, false), "by new figures");
            assertEquals(own.hardware(), kept(store).hardware());
            assertEquals(own.versions(), kept(store).versions());
        }
    }

    private static byte[] changed(Calibration own, String hardware, String versions) {
        return new Calibration(hardware, versions, own.measured(), own.failure(), own.metalFrom(), own.samples())
                .encode();
    }

    @Test
    void figuresOfAMonthAgoAreMadeAgain() {
        var store = new Store();
        choice(store, true);
        now = now.plus(Duration.ofDays(29));
        assertEquals(4096, choice(store, false).metalFrom(KernelKind.SUM_FLOAT32));
        assertEquals(1, store.writes);
        now = now.plus(Duration.ofDays(2));
        assertEquals(EngineChoice.never(Engine.PORTABLE), choice(store, false));
        assertEquals(2, store.writes);
        assertEquals(now, kept(store).measured());
    }

    @Test
    void whoAsksForItGetsNewFiguresAtOnce() {
        var store = new Store();
        choice(store, true);
        assertEquals(
                EngineChoice.never(Engine.PORTABLE),
                calibrator(1_000_000_000, 1_000_000).again(store));
        assertEquals(EngineChoice.never(Engine.PORTABLE), choice(store, true), "they are kept");
    }

    /** A tenth is no reason to change engines, in either direction. */
    @Test
    void newFiguresThatAreAboutTheSameChangeNothing() {
        var store = new Store();
        calibrator(1_000_000, 3_000_000).again(store);
        assertEquals(4096, calibrator(11_000_000, 10_000_000).again(store).metalFrom(KernelKind.SUM_FLOAT32));
        assertEquals(4096, calibrator(11_000_000, 10_000_000).again(store).metalFrom(KernelKind.SUM_FLOAT32));
        assertEquals(
                EngineChoice.never(Engine.PORTABLE),
                calibrator(20_000_000, 10_000_000).again(store));
        assertEquals(
                EngineChoice.never(Engine.PORTABLE),
                calibrator(10_000_000, 11_000_000).again(store));
    }

    /** With a clock that takes a millisecond for each call, every kernel of the CPU runs for three rounds of 20 ms at least. */
    @Test
    void theCpuIsWarmBeforeTheGpuIsMeasured() {
        long calls = engine.status().callsOnGpu();
        var looks = new AtomicLong();
        var looksBefore = new AtomicLong();
        new Calibrator(
                        engine,
                        Engine.PORTABLE,
                        SIZES,
                        () -> {
                            if (engine.status().callsOnGpu() == calls) {
                                looksBefore.incrementAndGet();
                            }
                            return 1_000_000 * looks.incrementAndGet();
                        },
                        () -> now)
                .choice(new Store());
        assertTrue(looksBefore.get() >= 3 * 20L * KernelKind.values().length, looksBefore::toString);
    }

    @Test
    void theResultOfASumIsMeasuredInMemoryThatTheGpuReadsWhereItIs() {
        try (var run = new KernelRun(
                KernelKind.SUM_FLOAT32,
                4096,
                bytes -> new MetalReducer(
                                engine, Engines.newReducer(Engine.PORTABLE), EngineChoice.from(Engine.PORTABLE, 0))
                        .allocate(bytes))) {
            Reducer reducer = new MetalReducer(
                    engine, Engines.newReducer(Engine.PORTABLE), EngineChoice.from(Engine.PORTABLE, 0));
            run.call(reducer, reducer.codecKernels());
        }
        assertEquals(
                1 + 3, fake.get("buffers"), "the given one, and those of the engine for a result and two operands");
    }

    @Test
    void theLastFailureIsKeptUntilTheNextMeasurement() {
        var store = new Store();
        choice(store, true);
        engine.unproven("a gap");
        assertEquals(
                Optional.of("2026-11-21T04:05:06Z " + MetalFault.UNPROVEN.text() + ": a gap"),
                kept(store).failure());
        engine.unproven("another gap");
        assertEquals(2, store.writes, "only the first of each kind in a process is written");
        store.broken = true;
        engine.distrust("a bit");
        assertEquals(1, engine.status().faults().get(MetalFault.WRONG_BITS), "the engine does not depend on the store");
    }

    private static Calibration kept(Store store) {
        return Calibration.decode(store.content.orElseThrow()).orElseThrow();
    }

    @Test
    void aStoreThatFailsCostsOnlyTheMeasurement() {
        var store = new Store();
        store.broken = true;
        assertEquals(EngineChoice.never(Engine.PORTABLE), choice(store, false));
        assertEquals(1, store.writes);
    }

    @Test
    void theVersionsNameAllThatTheFiguresDependOn() {
        var store = new Store();
        choice(store, false);
        String versions = kept(store).versions();
        for (String part :
                List.of(Runtime.version().toString(), "Linux", MetalEngine.kernelsVersion(), Engine.PORTABLE.label())) {
            assertTrue(versions.contains(part), versions);
        }
    }
}
