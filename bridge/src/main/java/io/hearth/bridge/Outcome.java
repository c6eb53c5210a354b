package io.hearth.bridge;

import io.hearth.collective.CollectiveResult;
import io.hearth.collective.StepStart;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The end of something that was begun, as {@code struct hearth_outcome} has it.
 *
 * @param answer 0 or more: contributors of a collective, number of a step, peers found, a group's handle; less than 0 is an error
 * @param bytesSent by this rank, for a collective
 * @param first element of this rank's part of the result; of a step, 1 if the shared state was replaced, else 0
 * @param count elements of that part
 */
record Outcome(long answer, long bytesSent, long first, long count) {
    /** Bytes of the struct. */
    static final long BYTES = 4 * Long.BYTES;

    static Outcome of(long answer) {
        return new Outcome(answer, 0, 0, 0);
    }

    static Outcome of(CollectiveResult result) {
        return new Outcome(result.contributors(), result.bytesSent(), result.first(), result.count());
    }

    static Outcome of(StepStart start) {
        return new Outcome(start.step(), 0, start.replaced() ? 1 : 0, 0);
    }

    /** Writes the struct, if the caller wants it. */
    void writeTo(MemorySegment pointer) {
        if (pointer.address() != 0) {
            MemorySegment struct = NativeText.buffer(pointer, BYTES);
            long[] values = {answer, bytesSent, first, count};
            for (int i = 0; i < values.length; i++) {
                struct.set(ValueLayout.JAVA_LONG_UNALIGNED, (long) i * Long.BYTES, values[i]);
            }
        }
    }
}
