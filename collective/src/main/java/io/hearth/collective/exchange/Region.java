package io.hearth.collective.exchange;

import java.lang.foreign.MemorySegment;

/**
 * Native memory that holds a part of what a schedule means by input or buffer.
 *
 * @param base where in the whole {@code memory} begins, in bytes
 */
public record Region(MemorySegment memory, long base) {
    /** The whole. */
    public static Region of(MemorySegment memory) {
        return new Region(memory, 0);
    }
}
