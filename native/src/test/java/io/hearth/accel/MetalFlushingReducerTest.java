package io.hearth.accel;

import java.util.Map;
import java.util.TreeMap;

/** A GPU that flushes subnormals, as Apple's do, with whole operands in one piece. */
final class MetalFlushingReducerTest extends MetalReducerTest {
    MetalFlushingReducerTest() {
        super(new TreeMap<>(Map.of("flush", 1L)), 16 << 20);
    }
}
