package io.hearth.identity.planted;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Compares bytes in times that depend on them, for {@code CodeRulesTest} to find. */
final class Comparer {
    private Comparer() {}

    static boolean same(byte[] one, byte[] other) {
        return Arrays.equals(one, other)
                && ByteBuffer.wrap(one).mismatch(ByteBuffer.wrap(other)) < 0
                && MemorySegment.ofArray(one).mismatch(MemorySegment.ofArray(other)) < 0;
    }
}
