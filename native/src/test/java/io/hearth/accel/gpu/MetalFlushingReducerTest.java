package io.hearth.accel.gpu;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;

/** A GPU that flushes subnormals, as Apple's do, with whole operands in one piece. */
@Tag("full")
final class MetalFlushingReducerTest extends MetalReducerTest {
    MetalFlushingReducerTest() {
        super(new TreeMap<>(Map.of("flush", 1L)), 16 << 20);
    }
}
