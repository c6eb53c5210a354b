package io.hearth.accel.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.metal.FakeMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalFault;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.core.DataType;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an engine has to pass on a GPU that nobody saw before. */
final class MetalSelfTestTest {
    /** Types, their operations and divisors; exponents, blocks and roundings of int8, and what else the codecs do. */
    private static final int CALLS = 4 * (4 * 3 + 5) + 11 * (3 * 2 * 4 + 5);

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aGoodGpuPassesWhetherItFlushesOrNot(int flush) {
        FakeMetal fake = FakeMetal.get();
        fake.set("flush", flush);
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), MetalLimits.DEFAULTS)) {
            assertSame(engine, ProvenMetal.proven(engine));
            assertTrue(engine.status().usable(), engine.status()::toString);
            assertEquals(CALLS, engine.status().callsOnGpu());
        }
        fake.assertObeyed();
    }

    @Test
    void aGpuThatGivesAnotherSumIsNotUsed() {
        aGpuThatGivesOtherBitsIsNotUsed("SMALL = 0x0d800000u", "SMALL = 0x00800000u", "FLOAT32 SUM");
    }

    @Tag("full")
    @ParameterizedTest
    @CsvSource({
        "ea + eb >= 130, ea + eb >= 90, FLOAT32 PROD",
        "'kept & 1u', 'kept & 0u', FLOAT32 PROD",
        "ea + 127 >= ed + 3, ea + 200 >= ed, FLOAT32 division",
        "'precise::divide(as_type<float>(a), divisor)', as_type<float>(a) * (1.0f / divisor), FLOAT32 division by 3",
        "(bits + 0x7fffu + ((bits >> 16) & 1u)), (bits + 0x8000u), BFLOAT16",
        "'0x0fffu + ', '', FLOAT16",
        "int(a) < int(b), a < b, INT32 MIN",
        "back < largest ? scale + 1 : scale, scale, int8 block 64"
    })
    void aGpuThatGivesOtherBitsIsNotUsed(String from, String to, String where) {
        FakeMetal fake = FakeMetal.get();
        fake.set("flush", 1);
        try (MetalEngine engine = ProvenMetal.proven(fake.open(MetalLimits.DEFAULTS, from, to))) {
            assertFalse(engine.takes(DataType.FLOAT32, 1 << 24));
            assertEquals(Set.of(MetalFault.WRONG_BITS), engine.status().faults().keySet());
            assertTrue(engine.status().why().contains(where), engine.status()::why);
        }
    }

    /** The fault is in the first round, and the second one sees all kernels at work. */
    @ParameterizedTest
    @CsvSource({"command_fails, 1, COMMAND", "command_fails, 5, COMMAND", "command_fails, 240, COMMAND"})
    void aGpuThatFailsOnceMeanwhileIsProvenInASecondRound(String control, int chance, MetalFault fault) {
        FakeMetal fake = FakeMetal.get();
        fake.set(control, chance);
        try (MetalEngine engine = ProvenMetal.proven(MetalEngine.open(fake.libraries(), MetalLimits.DEFAULTS))) {
            assertEquals(Set.of(fault), engine.status().faults().keySet());
            assertTrue(engine.status().usable(), engine.status()::toString);
            assertTrue(engine.status().callsOnGpu() >= CALLS, engine.status()::toString);
        }
        fake.assertObeyed();
    }

    /** Its first kernel is wrong, and just then it fails, so that other kernels are asked before that one is again. */
    @Test
    void aFaultDoesNotHideAWrongKernel() {
        FakeMetal fake = FakeMetal.get();
        fake.set("flush", 1);
        fake.set("command_fails", 1);
        try (MetalEngine engine =
                ProvenMetal.proven(fake.open(MetalLimits.DEFAULTS, "SMALL = 0x0d800000u", "SMALL = 0x00800000u"))) {
            assertTrue(engine.status().faults().containsKey(MetalFault.WRONG_BITS), engine.status()::toString);
            assertFalse(engine.takes(DataType.FLOAT32, 1 << 24));
        }
    }

    @Test
    void aGpuThatFailsInBothRoundsIsNotUsedAndNotCalledWrong() {
        FakeMetal fake = FakeMetal.get();
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), MetalLimits.DEFAULTS)) {
            fake.set("command_fails", 1);
            MetalProof first = MetalProof.of(engine);
            assertTrue(first.difference().isEmpty() && first.gap().isPresent(), first::toString);
            fake.set("command_fails", -1);
            assertSame(engine, ProvenMetal.proven(engine));
            assertFalse(engine.status().usable());
            assertFalse(engine.takes(DataType.FLOAT32, 1 << 24));
            assertFalse(engine.status().faults().containsKey(MetalFault.WRONG_BITS), engine.status()::toString);
        }
        fake.assertObeyed();
    }

    /** The CPU would name a value that is not there: the kernel's bits are never seen. */
    @Test
    void aKernelThatLeavesAllToTheCpuIsNotProven() {
        FakeMetal fake = FakeMetal.get();
        try (MetalEngine engine =
                ProvenMetal.proven(fake.open(MetalLimits.DEFAULTS, "most >= hearth::INFINITE ? 1 : 0", "1"))) {
            assertEquals(Set.of(MetalFault.UNPROVEN), engine.status().faults().keySet());
            assertFalse(engine.takes(DataType.FLOAT32, 1 << 24));
        }
    }
}
