package io.hearth.collective.sum.compressed;

import io.hearth.accel.Reducer;
import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.schedule.Transfer;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * Sums encoded parts round the ring. Each rank decodes the sum that it receives, adds its own values and encodes the new sum. So
 * every rank encodes every part once. The errors of these encodings add up: their mean square grows with the number of ranks. With
 * error feedback, each rank keeps the residuals of its own encodings.
 *
 * <p>The encoder's source is {@code sums}.
 */
final class RingSegments extends QuantisedSegments {
    private final MemorySegment input;
    private final MemorySegment sums;
    private final Reducer reducer;

    /**
     * Creates this rank's work.
     *
     * @param input its contribution, float32
     * @param sums of the same size; written
     */
    RingSegments(Tools tools, MemorySegment input, MemorySegment sums, Reducer reducer) {
        super(tools);
        this.input = input;
        this.sums = sums;
        this.reducer = reducer;
    }

    @Override
    public void sending(Transfer transfer) throws NonFiniteException {
        if (transfer.length() > 0 && transfer.fromInput()) {
            EncodedParts layout = tools().layout();
            long part = layout.partAt(transfer.offset());
            long at = layout.first(part) * Float.BYTES;
            MemorySegment.copy(input, at, sums, at, layout.values(part) * Float.BYTES);
        }
        super.sending(transfer);
    }

    @Override
    boolean isResult(Transfer expected) {
        return expected.action() == Transfer.Action.COPY;
    }

    @Override
    void add(Transfer expected, MemorySegment encoding, long part)
            throws NonFiniteException, MalformedMessageException {
        long first = tools().layout().first(part);
        int count = Math.toIntExact(tools().layout().values(part));
        long at = first * Float.BYTES;
        tools().decode(encoding, sums.asSlice(at, (long) count * Float.BYTES), count);
        long since = tools().watch().now();
        reducer.combine(DataType.FLOAT32, ReduceOp.SUM, sums, at, sums, at, input, at, count);
        tools().watch().did(Phase.COMBINE, -1, (long) count * Float.BYTES, since);
        try {
            tools().encode(part);
        } catch (NonFiniteException beyond) {
            throw beyond.inSum(0); // the index already counts from the tensor's first value
        }
    }
}
