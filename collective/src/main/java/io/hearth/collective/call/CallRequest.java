package io.hearth.collective.call;

import java.lang.foreign.MemorySegment;

/**
 * A call with the caller's memory.
 *
 * @param input not written, unless it is the target too
 * @param target what the result is written to; empty where this rank gets none
 */
public record CallRequest(CallPlan plan, MemorySegment input, MemorySegment target) {
    /** No memory of the caller. */
    public static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    public static CallRequest inPlace(CallPlan plan, MemorySegment values) {
        return new CallRequest(plan, values, values);
    }
}
