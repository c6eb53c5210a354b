package io.hearth.collective;

import java.lang.foreign.MemorySegment;

/**
 * A call with the caller's memory.
 *
 * @param input not written, unless it is the target too
 * @param target what the result is written to; empty where this rank gets none
 */
record Asked(Plan plan, MemorySegment input, MemorySegment target) {
    /** No memory of the caller. */
    static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    static Asked inPlace(Plan plan, MemorySegment values) {
        return new Asked(plan, values, values);
    }
}
