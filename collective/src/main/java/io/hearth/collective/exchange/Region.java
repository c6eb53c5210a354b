package io.hearth.collective.exchange;

import java.lang.foreign.MemorySegment;

/**
 * Native memory that holds a part of a schedule's input or buffer.
 *
 * @param base offset of {@code memory} in the whole input or buffer, in bytes
 */
public record Region(MemorySegment memory, long base) {
    /** A region that holds the whole input or buffer. */
    public static Region of(MemorySegment memory) {
        return new Region(memory, 0);
    }
}
