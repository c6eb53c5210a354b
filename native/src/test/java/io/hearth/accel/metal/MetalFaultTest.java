package io.hearth.accel.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every way in which Metal may fail: no byte is wrong, the reason is reported, and every object of Metal is released unless the GPU may
 * still use it.
 */
final class MetalFaultTest {
    private static final MetalLimits LIMITS = new MetalLimits(1, 4000, Duration.ofSeconds(60), Duration.ofSeconds(60));
    private static final MetalLimits IMPATIENT =
            new MetalLimits(1, 4000, Duration.ofMillis(200), Duration.ofSeconds(60));
    private static final int COUNT = 3500; // four pieces

    private FakeMetal fake;

    @BeforeEach
    void takeFake() {
        fake = FakeMetal.get();
    }

    @AfterEach
    void theRulesWereObeyed() {
        fake.assertObeyed();
    }

    private static void assertAbsent(MetalEngine engine, MetalFault fault, String why) {
        MetalStatus status = engine.status();
        assertFalse(status.usable());
        assertEquals(List.of(fault), List.copyOf(status.faults().keySet()));
        assertTrue(status.why().contains(why), status::why);
        assertFalse(engine.takes(DataType.FLOAT32, 1 << 20));
        assertTrue(engine.allocate(16).isEmpty());
        engine.close();
    }

    @Test
    void aMachineWithoutMetalIsRecognisedByItsLibraries() {
        assertTrue(MetalLibraries.of("Mac OS X", "aarch64").isPresent());
        assertTrue(MetalLibraries.of("Mac OS X", "x86_64").isEmpty());
        assertTrue(MetalLibraries.of("Linux", "aarch64").isEmpty());
        assertAbsent(MetalEngine.open(LIMITS), MetalFault.ABSENT, "needs macOS on Apple silicon");
    }

    @Test
    void aMissingLibraryIsAReason() {
        var missing = new MetalLibraries("/nowhere/libobjc.dylib", "/nowhere/Metal", List.of());
        assertAbsent(MetalEngine.open(missing, LIMITS), MetalFault.ABSENT, "/nowhere/libobjc.dylib");
        String runtime = fake.libraries().runtime();
        var others = new MetalLibraries(runtime, runtime, List.of("/nowhere/CoreGraphics"));
        assertAbsent(MetalEngine.open(others, LIMITS), MetalFault.ABSENT, "/nowhere/CoreGraphics");
    }

    @Test
    void aMissingFunctionIsAReason() {
        var other = new MetalLibraries("libm.so.6", "libm.so.6", List.of());
        assertAbsent(MetalEngine.open(other, LIMITS), MetalFault.ABSENT, "objc_msgSend");
    }

    @ParameterizedTest
    @CsvSource({
        "no_queue, COMMAND, command queue",
        "no_library, COMPILE, compiler not available",
        "no_pipeline, COMPILE, too many registers"
    })
    void whatCannotBeMadeAtTheStartIsAReasonAndEverythingElseIsReleased(String control, MetalFault fault, String why) {
        long live = fake.get("live");
        fake.set(control, 1);
        assertAbsent(MetalEngine.open(fake.libraries(), LIMITS), fault, why);
        assertEquals(live, fake.get("live"));
    }

    @Test
    void aProcessThatIsShownNoGpuGoesWithout() {
        long live = fake.get("live");
        fake.set("no_default_device", 1);
        fake.set("no_devices", 1);
        assertAbsent(MetalEngine.open(fake.libraries(), LIMITS), MetalFault.NO_DEVICE, "no GPU");
        assertEquals(live, fake.get("live"));
    }

    @Test
    void kernelsThatDoNotCompileAreAReasonInTheCompilersWords() {
        String broken = KernelSource.text().replace("return a * b;", "return a * nothing_such;");
        assertAbsent(MetalEngine.open(fake.libraries(), LIMITS, broken), MetalFault.COMPILE, "nothing_such");
        String without = KernelSource.text().replace("kernel void add_int8", "kernel void add_others");
        assertAbsent(MetalEngine.open(fake.libraries(), LIMITS, without), MetalFault.COMPILE, "add_int8 is missing");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "newCommandQueue Q16@0:8",
                "newLibraryWithSource:options:error: @40@0:8@16^@24@32",
                "setMathMode: v20@0:8i16",
                "maxBufferLength d16@0:8",
                "maxTotalThreadsPerThreadgroup I16@0:8",
                "UTF8String {broken"
            })
    void aMethodWithOtherTypesIsNotCalled(String rule) {
        fake.text("encoding", rule);
        assertAbsent(
                MetalEngine.open(fake.libraries(), LIMITS),
                MetalFault.UNKNOWN_TYPES,
                "'" + rule.substring(0, rule.indexOf(' ')) + "'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dispatchThreadgroups:threadsPerThreadgroup: v32@0:8Q16Q24",
                "setBytes:length:atIndex: v36@0:8r^v16I24Q28",
                "setBuffer:offset:atIndex: v40@0:8@16Q24i32",
                "computeCommandEncoder ^v16@0:8",
                "commit B16@0:8",
                "waitUntilSignaledValue:timeoutMS: B28@0:8Q16I24"
            })
    void aMethodOfALaterObjectWithOtherTypesIsNotCalledEither(String rule) {
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), LIMITS)) {
            fake.text("encoding", rule);
            assertEquals(0, sum(engine));
            assertEquals(
                    List.of(MetalFault.UNKNOWN_TYPES),
                    List.copyOf(engine.status().faults().keySet()));
            assertFalse(engine.takes(DataType.INT32, COUNT));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "no_buffer, 2, 0, 0, OUT_OF_MEMORY",
        "no_encoder, 3, 0, 2000, COMMAND",
        "command_fails, 1, 3, 0, COMMAND",
        "command_fails, 3, 8, 2000, OUT_OF_MEMORY",
        "command_fails, 4, 11, 3000, REMOVED"
    })
    void aFaultOnTheWayLeavesAllElementsFromThereOnUntouched(
            String control, int chance, int errorCode, int done, MetalFault fault) {
        long live = fake.get("live");
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), LIMITS)) {
            fake.set("error_code", errorCode);
            fake.set(control, chance);
            assertEquals(done, sum(engine));
            MetalStatus status = engine.status();
            assertEquals(1, status.faults().get(fault), status::toString);
            assertEquals(0, status.callsOnGpu());
            assertEquals(1, status.callsOnCpu());
            assertFalse(status.usable());
            for (int i = 0; i < Confidence.FIRST_SKIP; i++) {
                assertEquals(0, sum(engine), "skipped");
            }
            assertEquals(fault.lasting() ? 0 : COUNT, sum(engine));
            assertEquals(!fault.lasting(), engine.status().usable());
        }
        assertEquals(live, fake.get("live"), "all objects were released");
    }

    @Test
    void aGpuThatHangsIsGivenUpAndWhatItWritesLaterGoesNowhere() {
        MetalEngine engine = MetalEngine.open(fake.libraries(), IMPATIENT);
        try (var arena = Arena.ofConfined()) {
            MetalMemory input = engine.allocate(4 * COUNT).orElseThrow();
            MetalMemory unused = engine.allocate(4 * COUNT).orElseThrow();
            MemorySegment target = arena.allocate(4 * COUNT).fill((byte) 7);
            fake.set("hanging", 1);
            fake.set("hang", 2);
            MemorySegment one = input.segment();
            MemorySegment other = arena.allocate(4 * COUNT);
            assertEquals(1000, engine.combine(DataType.INT32, ReduceOp.SUM, target, 0, one, 0, other, 0, COUNT));
            assertEquals(
                    List.of(MetalFault.HANG),
                    List.copyOf(engine.status().faults().keySet()));
            assertTrue(engine.status().why().contains("200 ms"), engine.status()::why);
            assertFalse(engine.takes(DataType.INT32, COUNT));
            assertEquals(0, engine.combine(DataType.INT32, ReduceOp.SUM, target, 0, one, 0, other, 0, COUNT));
            target.fill((byte) 9);
            long held = fake.get("live");
            input.close();
            unused.close();
            engine.close();
            assertEquals(held, fake.get("live"), "all is kept on purpose");
            fake.set("hanging", 0);
            awaitFinished(2);
            for (long i = 0; i < target.byteSize(); i++) {
                assertEquals(9, target.get(ValueLayout.JAVA_BYTE, i));
            }
        }
    }

    /** The timeout is 2 s and a hundred times the measured time. */
    @Test
    void aHangIsNoticedSoonWhereSubmissionsWereMeasured() {
        assertEquals(Duration.ofMillis(2100), LIMITS.submission(1_000_000));
        assertEquals(Duration.ofMillis(200), IMPATIENT.submission(1_000_000), "not later than without");
        assertEquals(LIMITS.submission(), LIMITS.submission(Long.MAX_VALUE));
        MetalEngine engine = MetalEngine.open(fake.libraries(), LIMITS);
        engine.expectAtMost(1_000);
        fake.set("hanging", 1);
        fake.set("hang", 1);
        assertEquals(0, sum(engine));
        assertTrue(engine.status().why().contains("within 2000 ms"), engine.status()::why);
        fake.set("hanging", 0);
        engine.close();
        awaitFinished(1);
    }

    @Test
    void nobodyWaitsForABusyGpu() throws InterruptedException {
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), LIMITS)) {
            fake.set("hanging", 1);
            fake.set("hang", 1);
            var done = new AtomicInteger();
            Thread first = Thread.ofPlatform().start(() -> done.set(sum(engine)));
            while (fake.get("commits") == 0) {
                Thread.onSpinWait();
            }
            assertEquals(0, sum(engine), "the CPU does it");
            assertEquals(Optional.empty(), engine.allocate(64), "plain memory does it");
            assertEquals(1, engine.status().callsOnCpu());
            fake.set("hanging", 0);
            first.join();
            assertEquals(COUNT, done.get());
            assertEquals(COUNT, sum(engine), "the next call is the GPU's again");
            assertEquals(1, engine.status().callsOnCpu());
        }
    }

    @Test
    void aHangThatEndsBeforeTheLimitIsNone() {
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), LIMITS)) {
            fake.set("hanging", 1);
            fake.set("hang", 1);
            var finisher = Thread.ofPlatform().start(() -> {
                while (fake.get("commits") == 0) {
                    Thread.onSpinWait();
                }
                fake.set("hanging", 0);
            });
            assertEquals(COUNT, sum(engine));
            assertTrue(engine.status().usable());
            assertTrue(finisher.isAlive() || fake.get("hanging") == 0);
        }
    }

    @Test
    void aCallOfMetalThatNeverReturnsIsGivenUpToo() {
        MetalEngine engine = MetalEngine.open(fake.libraries(), IMPATIENT);
        fake.set("stuck", 1);
        assertEquals(0, sum(engine));
        assertTrue(engine.status().why().contains("did not return"), engine.status()::why);
        assertEquals(
                List.of(MetalFault.HANG), List.copyOf(engine.status().faults().keySet()));
        fake.set("stuck", 0);
        engine.close();
        awaitFinished(1);
        awaitNoPool();
    }

    @Test
    void faultAfterFaultEndsInGoingWithout() {
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), LIMITS)) {
            fake.set("command_fails", -1);
            for (int calls = 0; engine.takes(DataType.INT32, COUNT); calls++) {
                assertEquals(0, sum(engine));
                assertTrue(calls < 1000, "Metal is still asked");
            }
            assertEquals(Confidence.FAULTS_MAX, engine.status().faults().get(MetalFault.COMMAND));
        }
    }

    private static int sum(MetalEngine engine) {
        try (var arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(4 * COUNT).fill((byte) 7);
            MemorySegment one = arena.allocate(4 * COUNT).fill((byte) 1);
            MemorySegment other = arena.allocate(4 * COUNT).fill((byte) 2);
            int done = engine.combine(DataType.INT32, ReduceOp.SUM, target, 0, one, 0, other, 0, COUNT);
            for (int i = 0; i < COUNT; i++) {
                int expected = i < done ? 0x0303_0303 : 0x0707_0707;
                assertEquals(expected, target.getAtIndex(ValueLayout.JAVA_INT, i));
            }
            return done;
        }
    }

    /** Waits until the stand-in's thread has ended {@code commands} command buffers, so that the next test finds it idle. */
    private void awaitFinished(long commands) {
        while (fake.get("finished") < commands) {
            Thread.onSpinWait();
        }
    }

    /** Waits until the thread that hung has released its objects, so that the next test counts only its own. */
    private void awaitNoPool() {
        while (fake.get("popped") < fake.get("pools")) {
            Thread.onSpinWait();
        }
    }
}
