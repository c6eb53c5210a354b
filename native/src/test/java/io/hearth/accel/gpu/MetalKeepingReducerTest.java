package io.hearth.accel.gpu;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;

/** A GPU that keeps subnormals, runs its threads from the last to the first in small groups, and gets uneven pieces. */
@Tag("full")
final class MetalKeepingReducerTest extends MetalReducerTest {
    MetalKeepingReducerTest() {
        super(new TreeMap<>(Map.of("backward", 1L, "threads_max", 96L, "old", 1L)), 4 * 16_411);
    }
}
