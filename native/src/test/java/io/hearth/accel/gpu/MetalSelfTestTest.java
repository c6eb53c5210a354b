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

/** The proof that an engine must pass on an unknown GPU. */
final class MetalSelfTestTest {
    /** Types, their operations and numbers of inputs; exponents, blocks and roundings of int8, and the other kernels of codecs. */
    private static final int CALLS = 4 * 4 + 11 * (3 * 2 * 4 + 5);

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
        "exponent_of(magnitude) > 7, exponent_of(magnitude) > 6, int8 block 64 exponent 7",
        "'precise::divide(as_type<float>(magnitude), as_type<float>(LEVEL_MAX_AS_FLOAT))',"
                + " as_type<float>(magnitude) * (1.0f / as_type<float>(LEVEL_MAX_AS_FLOAT)), int8 block",
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

    /** The first kernel is wrong and the GPU fails at the same time, so that other kernels run before that one runs again. */
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

    /** The CPU would report a value that does not exist: the kernel's bits are never seen. */
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
