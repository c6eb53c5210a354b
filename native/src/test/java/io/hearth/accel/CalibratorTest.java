package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.metal.FakeMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLimits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The measurement on a stand-in; a clock that a test moves says which engine is fast. */
final class CalibratorTest {
    private static final MetalLimits LIMITS =
            new MetalLimits(1, 1 << 20, Duration.ofSeconds(60), Duration.ofSeconds(60));
    private static final List<Integer> SIZES = List.of(4096, 16_384);

    private FakeMetal fake;
    private MetalEngine engine;
    private long nanos;
    private long callsBefore;

    /** One file in memory. */
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

    /** Each look at the clock takes a second longer if the GPU worked since the last one, or if it did not. */
    private EngineChoice choice(Store store, boolean gpuIsFast) {
        callsBefore = engine.status().callsOnGpu();
        return new Calibrator(engine, Engine.PORTABLE, SIZES, () -> {
                    long calls = engine.status().callsOnGpu();
                    nanos += (calls > callsBefore) == gpuIsFast ? 1_000_000 : 1_000_000_000;
                    callsBefore = calls;
                    return nanos;
                })
                .choice(store);
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

    /** By the median: the GPU may be slow once in five times, and not three times. */
    @ParameterizedTest
    @CsvSource({"5, true", "2, false"})
    void aSlowRoundNowAndThenIsNoVerdict(int everyRounds, boolean wins) {
        callsBefore = engine.status().callsOnGpu();
        var onGpu = new AtomicLong();
        EngineChoice choice = new Calibrator(engine, Engine.PORTABLE, SIZES, () -> {
                    long calls = engine.status().callsOnGpu();
                    boolean slow = calls > callsBefore && onGpu.incrementAndGet() % everyRounds == 0;
                    nanos += calls > callsBefore && !slow ? 1_000_000 : 1_000_000_000;
                    callsBefore = calls;
                    return nanos;
                })
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
        new Calibrator(engine, Engine.PORTABLE, List.of(4096), () -> nanos += 1_000_000).choice(store);
        assertEquals(2, store.writes);
        assertEquals(KernelKind.values().length, kept(store).samples().size());
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
                damaged,
                new Calibration("another GPU", own.versions(), own.samples()).encode(),
                new Calibration(own.hardware(), "older kernels", own.samples()).encode())) {
            store.content = Optional.of(content);
            assertEquals(EngineChoice.never(Engine.PORTABLE), choice(store, false), "by new figures");
            assertEquals(own.hardware(), kept(store).hardware());
            assertEquals(own.versions(), kept(store).versions());
        }
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
