package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.collective.schedule.Transfer;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * Round the ring: each rank decodes the sum that comes, adds its own values and encodes the new sum, so every part is encoded once by
 * every rank. The errors of all these encodings add up: in the mean square they grow with the number of ranks. What each encoding
 * leaves out is owed by the rank that made it.
 *
 * <p>The encoder encodes what is in the sum.
 */
final class RingSegments extends QuantisedSegments {
    private final MemorySegment input;

    /** {@code input} is this rank's contribution, float32. */
    RingSegments(Tools tools, MemorySegment input) {
        super(tools);
        this.input = input;
    }

    @Override
    public void sending(Transfer transfer) throws NonFiniteException {
        if (transfer.length() > 0 && transfer.fromInput()) {
            EncodedParts layout = tools().layout();
            long part = layout.partAt(transfer.offset());
            long at = layout.first(part) * Float.BYTES;
            MemorySegment.copy(input, at, tools().sum(), at, layout.values(part) * Float.BYTES);
        }
        super.sending(transfer);
    }

    @Override
    boolean isResult(Transfer expected) {
        return expected.action() == Transfer.Action.COPY;
    }

    @Override
    void add(Transfer expected, MemorySegment slot, long part) throws NonFiniteException, MalformedMessageException {
        Tools tools = tools();
        tools.decode(slot, part);
        Reducer reducer = tools.reducer();
        MemorySegment sum = tools.sum();
        long at = tools.layout().first(part) * Float.BYTES;
        int count = Math.toIntExact(tools.layout().values(part));
        reducer.combine(DataType.FLOAT32, ReduceOp.SUM, sum, at, sum, at, input, at, count);
        tools.encode(part);
        if (expected.completes()) {
            tools.decodeOwn(part);
            tools.divide(part);
        }
    }

    @Override
    void takeResult(MemorySegment slot, long part) throws MalformedMessageException {
        MemorySegment.copy(slot, 0, tools().slot(part), 0, tools().layout().slotBytes());
        tools().decode(slot, part);
        tools().divide(part);
    }
}
