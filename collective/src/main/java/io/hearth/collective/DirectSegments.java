package io.hearth.collective;

import io.hearth.collective.schedule.Transfer;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * Among all pairs: each rank encodes its contribution once, the owner of a part adds all of them in rank order, its own encoded and
 * decoded like the others, and encodes the sum once. So the error does not grow with the number of ranks, and nobody sees other bits
 * than the owner, who takes its own encoding for the result.
 */
final class DirectSegments extends QuantisedSegments {
    private final long draw;

    /** {@code draw} is for codecs that draw; that of the sums. */
    DirectSegments(Tools tools, long draw) {
        super(tools);
        this.draw = draw;
    }

    @Override
    boolean isResult(Transfer expected) {
        return expected.chunk() != tools().mesh().rank();
    }

    @Override
    void add(Transfer expected, MemorySegment slot, long part) throws NonFiniteException, MalformedMessageException {
        Tools tools = tools();
        switch (expected.action()) {
            case NOTE -> {}
            case COPY -> tools.decode(slot, part);
            case COMBINE -> tools.add(slot, part);
            case COMBINE_WITH_INPUT -> {
                tools.encode(part);
                tools.decodeOwn(part);
                tools.add(slot, part);
            }
            case COPY_THEN_INPUT -> {
                tools.decode(slot, part);
                addInput(part);
            }
            case COMBINE_THEN_INPUT -> {
                tools.add(slot, part);
                addInput(part);
            }
        }
        if (expected.completes()) {
            tools.divide(part);
            tools.codec()
                    .encodePart(
                            tools.sum(),
                            tools.layout().first(part),
                            tools.layout().values(part),
                            draw,
                            tools.slot(part));
            tools.decodeOwn(part);
        }
    }

    private void addInput(long part) throws NonFiniteException {
        tools().encode(part);
        tools().addOwn(part);
    }

    @Override
    void takeResult(MemorySegment slot, long part) throws MalformedMessageException {
        tools().decode(slot, part);
    }
}
