package io.hearth.collective.sum.compressed;

import io.hearth.accel.Reducer;
import io.hearth.collective.schedule.Transfer;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * Sums encoded parts among all pairs of ranks. Each rank encodes its contribution once. The owner of a part adds all contributions
 * in rank order and encodes the sum once. It encodes and decodes its own contribution like the others. So the error does not grow
 * with the number of ranks. All ranks get the same bits, because the owner, too, decodes its own encoding of the sum. With error
 * feedback, the owner also keeps the residual of that encoding.
 */
final class DirectSegments extends QuantisedSegments {
    private final Own own;
    private final Reducer reducer;
    private final long draw;

    /**
     * The share that this rank owns.
     *
     * @param first part of its share
     * @param sums float32 values of the share
     * @param divisor of the sums; 1 for none
     */
    record Own(long first, MemorySegment sums, int divisor) {}

    /** Creates the work; {@code draw} seeds the encodings of the sums. */
    DirectSegments(Tools tools, Own own, Reducer reducer, long draw) {
        super(tools);
        this.own = own;
        this.reducer = reducer;
        this.draw = draw;
    }

    @Override
    boolean isResult(Transfer expected) {
        return expected.chunk() != tools().mesh().rank();
    }

    @Override
    void add(Transfer expected, MemorySegment encoding, long part)
            throws NonFiniteException, MalformedMessageException {
        Tools tools = tools();
        long count = tools().layout().values(part);
        MemorySegment sum = sum(part, count);
        switch (expected.action()) {
            case NOTE -> {}
            case COPY -> tools.decode(encoding, sum, count);
            case COMBINE -> tools.decodeAndAdd(encoding, sum, count);
            case COMBINE_WITH_INPUT -> {
                takeInput(part, sum, count);
                tools.decodeAndAdd(encoding, sum, count);
            }
            case COPY_THEN_INPUT -> {
                tools.decode(encoding, sum, count);
                addInput(part, sum, count);
            }
            case COMBINE_THEN_INPUT -> {
                tools.decodeAndAdd(encoding, sum, count);
                addInput(part, sum, count);
            }
        }
        if (expected.completes()) {
            if (own.divisor > 1) {
                reducer.divide(DataType.FLOAT32, sum, 0, count, own.divisor);
            }
            try {
                tools.encodeSum(part, sum, own.divisor, draw + part);
            } catch (NonFiniteException beyond) {
                throw beyond.inSum(tools.layout().first(part));
            }
        }
    }

    private MemorySegment sum(long part, long count) {
        long at = tools().layout().first(part) - tools().layout().first(own.first);
        return own.sums.asSlice(at * Float.BYTES, count * Float.BYTES);
    }

    private void takeInput(long part, MemorySegment sum, long count) throws NonFiniteException {
        tools().encode(part);
        try {
            tools().decode(tools().encoding(part), sum, count);
        } catch (MalformedMessageException bug) {
            throw unreadable(tools().codec(), bug);
        }
    }

    private void addInput(long part, MemorySegment sum, long count) throws NonFiniteException {
        tools().encode(part);
        try {
            tools().decodeAndAdd(tools().encoding(part), sum, count);
        } catch (MalformedMessageException bug) {
            throw unreadable(tools().codec(), bug);
        }
    }
}
