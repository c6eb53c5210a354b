package io.hearth.collective.call;

import java.lang.foreign.MemorySegment;

/**
 * A call with the caller's memory.
 *
 * @param input the application's values; not written, unless it is also the target
 * @param target receives the result; empty if this rank gets none
 */
public record CallRequest(CallPlan plan, MemorySegment input, MemorySegment target) {
    /** Empty memory of the caller. */
    public static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    public static CallRequest inPlace(CallPlan plan, MemorySegment values) {
        return new CallRequest(plan, values, values);
    }
}
