package io.hearth.compression;

import static org.junit.jupiter.api.Assertions.fail;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Guard bytes around values: no code may write them. */
final class Canaries {
    private static final int BYTES = 64;
    private static final byte ALIVE = 0x3c;

    private Canaries() {}

    static MemorySegment around(Arena arena, int count) {
        return arena.allocate(2L * BYTES + (long) count * Float.BYTES).fill(ALIVE);
    }

    /** The first part of {@code ample}, with fresh guard bytes. */
    static MemorySegment within(MemorySegment ample, int count) {
        return ample.asSlice(0, 2L * BYTES + (long) count * Float.BYTES).fill(ALIVE);
    }

    static MemorySegment inside(MemorySegment memory) {
        return memory.asSlice(BYTES, memory.byteSize() - 2L * BYTES);
    }

    static void assertAlive(MemorySegment memory) {
        long behind = memory.byteSize() - BYTES;
        for (long i = 0; i < BYTES; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, i) != ALIVE
                    || memory.get(ValueLayout.JAVA_BYTE, behind + i) != ALIVE) {
                fail("written outside of the values");
            }
        }
    }
}
