package io.hearth.accel;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an engine has to pass on a GPU that nobody saw before. */
final class MetalSelfTestTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aGoodGpuPassesWhetherItFlushesOrNot(int flush) {
        FakeMetal fake = FakeMetal.get();
        fake.set("flush", flush);
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), MetalLimits.DEFAULTS)) {
            assertSame(engine, ProvenMetal.proven(engine));
            assertTrue(engine.status().usable(), engine.status()::toString);
            assertEquals(4 * (4 * 3 + 5) + 7 * (3 * 2 * 4 + 6), engine.status().callsOnGpu());
        }
        fake.assertObeyed();
    }

    @ParameterizedTest
    @CsvSource({
        "SMALL = 0x0d800000u, SMALL = 0x00800000u, FLOAT32 SUM",
        "ea + eb >= 130, ea + eb >= 90, FLOAT32 PROD",
        "'kept & 1u', 'kept & 0u', FLOAT32 PROD",
        "ea + 127 >= ed + 3, ea + 200 >= ed, FLOAT32 division",
        "as_type<float>(a) / divisor, as_type<float>(a) * (1.0f / divisor), FLOAT32 division by 3",
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

    @Test
    void aGpuThatFailsMeanwhileIsNotCalledWrong() {
        FakeMetal fake = FakeMetal.get();
        fake.set("command_fails", 5);
        try (MetalEngine engine = ProvenMetal.proven(MetalEngine.open(fake.libraries(), MetalLimits.DEFAULTS))) {
            assertEquals(Set.of(MetalFault.COMMAND), engine.status().faults().keySet());
        }
        fake.assertObeyed();
    }
}
