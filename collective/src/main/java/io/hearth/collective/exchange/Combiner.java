package io.hearth.collective.exchange;

import io.hearth.accel.Reducer;
import io.hearth.collective.Signature;
import io.hearth.collective.schedule.Transfer;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.transport.ReceivedRecord;
import java.lang.foreign.MemorySegment;

/** Applies the action of a schedule to a received segment, in heap or native memory. For one receiving thread at a time. */
public final class Combiner {
    private final Reducer reducer;
    private final DataType type;
    private final ReduceOp op;
    private final boolean isAverage;
    private final int world;

    /** {@code reducer} is borrowed. */
    Combiner(Reducer reducer, Signature signature, int world) {
        this.reducer = reducer;
        this.type = signature.type();
        this.isAverage = signature.op() == ReduceOp.AVG;
        this.op = isAverage ? ReduceOp.SUM : signature.op();
        this.world = world;
    }

    /** The plaintext as a segment; borrowed as the record is. */
    public static MemorySegment payload(ReceivedRecord arrived) {
        return arrived.memory().asSlice(arrived.memoryOffset(), arrived.length());
    }

    /** Applies the bytes of {@code arrived} after its first {@code prefix} ones; the caller has checked the record. */
    void apply(Transfer expected, ReceivedRecord arrived, int prefix, Region input, Region buffer) {
        long at = expected.offset();
        int length = expected.length();
        switch (expected.action()) {
            case NOTE -> {}
            case COPY -> copy(arrived, prefix, buffer, at, length);
            case COMBINE_WITH_INPUT -> combine(buffer, input, at, arrived, prefix, length);
            case COMBINE -> combine(buffer, buffer, at, arrived, prefix, length);
            case COPY_THEN_INPUT -> combineBefore(buffer, input, at, arrived, prefix, length);
            case COMBINE_THEN_INPUT -> {
                combine(buffer, buffer, at, arrived, prefix, length);
                combine(buffer, input, at, length);
            }
        }
        if (expected.completes() && isAverage) {
            reducer.divide(type, buffer.memory(), at - buffer.base(), elements(length), world);
        }
    }

    /** Copies the plaintext after the prefix to its place in {@code target}. */
    private static void copy(ReceivedRecord arrived, int prefix, Region target, long at, int length) {
        long from = arrived.memoryOffset() + prefix;
        MemorySegment.copy(arrived.memory(), from, target.memory(), at - target.base(), length);
    }

    /** target = left op bytes. */
    private void combine(Region target, Region left, long at, ReceivedRecord arrived, int prefix, int length) {
        long toAt = at - target.base();
        long fromAt = at - left.base();
        long rightAt = arrived.memoryOffset() + prefix;
        int count = elements(length);
        reducer.combine(type, op, target.memory(), toAt, left.memory(), fromAt, arrived.memory(), rightAt, count);
    }

    /** target = bytes op right; bytes in an array are copied first, which is cheap because they are in the cache. */
    private void combineBefore(Region target, Region right, long at, ReceivedRecord arrived, int prefix, int length) {
        if (!arrived.isNative()) {
            copy(arrived, prefix, target, at, length);
            combine(target, right, at, length);
            return;
        }
        MemorySegment to = target.memory();
        MemorySegment left = arrived.memory();
        long first = arrived.memoryOffset() + prefix;
        long rightAt = at - right.base();
        reducer.combine(type, op, to, at - target.base(), left, first, right.memory(), rightAt, elements(length));
    }

    /** target = target op right. */
    private void combine(Region target, Region right, long at, int length) {
        MemorySegment to = target.memory();
        long toAt = at - target.base();
        reducer.combine(type, op, to, toAt, to, toAt, right.memory(), at - right.base(), elements(length));
    }

    private int elements(int length) {
        return length / type.bytes();
    }
}
