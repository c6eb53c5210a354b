package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.collective.schedule.Transfer;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.transport.ReceivedRecord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Sums of encoded parts. Parts travel in their slots; they are encoded right before they are sent and added as they come, so that the
 * processor works while the wire does.
 */
abstract class QuantisedSegments implements SegmentWork {
    /** Encodes a part of what this rank adds. */
    interface PartEncoder {
        /**
         * Arguments and errors as of {@link BlockCodec#encodePart}.
         *
         * @return bytes written
         */
        long encode(long first, long count, MemorySegment slot) throws NonFiniteException;
    }

    /**
     * What a sum works with.
     *
     * @param slots encodings on their way, by part
     * @param sum float32 values of the tensor; the result comes into being there
     * @param divisor of the sum; 1 for none
     */
    record Tools(
            Mesh mesh,
            BlockCodec codec,
            EncodedParts layout,
            PartEncoder encoder,
            MemorySegment slots,
            MemorySegment sum,
            Reducer reducer,
            int divisor) {
        /** Encodes what this rank adds. */
        void encode(long part) throws NonFiniteException {
            encoder.encode(layout.first(part), layout.values(part), slot(part));
        }

        /** All of a slot. */
        MemorySegment slot(long part) {
            return slots.asSlice(layout.offset(part), layout.slotBytes());
        }

        /** What a slot holds. */
        MemorySegment encoding(MemorySegment slot, long part) {
            return slot.asSlice(0, codec.encodedBytesMax(layout.values(part)));
        }

        /** Over the sum. */
        void decode(MemorySegment slot, long part) throws MalformedMessageException {
            codec.decodePart(encoding(slot, part), sum, layout.first(part), layout.values(part));
        }

        /** Onto the sum. */
        void add(MemorySegment slot, long part) throws MalformedMessageException {
            codec.decodePartAndAdd(encoding(slot, part), sum, layout.first(part), layout.values(part));
        }

        /** Over the sum, what was encoded here. */
        void decodeOwn(long part) {
            try {
                decode(slot(part), part);
            } catch (MalformedMessageException bug) {
                throw new AssertionError(codec.name() + " cannot read what it wrote", bug);
            }
        }

        /** Onto the sum, what was encoded here. */
        void addOwn(long part) {
            try {
                add(slot(part), part);
            } catch (MalformedMessageException bug) {
                throw new AssertionError(codec.name() + " cannot read what it wrote", bug);
            }
        }

        /** An average of what is summed now. */
        void divide(long part) {
            if (divisor > 1) {
                reducer.divide(DataType.FLOAT32, sum, layout.first(part) * Float.BYTES, layout.values(part), divisor);
            }
        }

        /** Everything is here already. */
        void alone() throws NonFiniteException {
            for (long part = 0; part < layout.parts(); part++) {
                encode(part);
                decodeOwn(part);
            }
        }
    }

    private final Tools tools;

    QuantisedSegments(Tools tools) {
        this.tools = tools;
    }

    Tools tools() {
        return tools;
    }

    @Override
    public void sending(Transfer transfer) throws NonFiniteException {
        if (transfer.length() > 0 && transfer.fromInput()) {
            tools.encode(tools.layout.partAt(transfer.offset()));
        }
    }

    @Override
    public void take(Transfer expected, ReceivedRecord arrived, int prefix, int rank)
            throws NonFiniteException, MalformedMessageException, IOException {
        if (expected.length() == 0) {
            return;
        }
        long part = tools.layout.partAt(expected.offset());
        MemorySegment slot = Combiner.payload(arrived).asSlice(prefix);
        if (!isResult(expected)) {
            add(expected, slot, part);
            return;
        }
        try {
            takeResult(slot, part);
        } catch (MalformedMessageException malformed) { // others may have got a sound one, and be gone
            throw new StreamBrokenException(
                    tools.mesh.members().get(rank),
                    tools.mesh.name(tools.mesh.members().get(rank)) + " sent no result as '" + tools.codec.name()
                            + "': " + malformed.getMessage(),
                    malformed);
        }
    }

    /** Whether all contributions are in what comes. */
    abstract boolean isResult(Transfer expected);

    /** Adds what came and, where it is due, what this rank adds; makes a complete sum ready to be sent. */
    abstract void add(Transfer expected, MemorySegment slot, long part)
            throws NonFiniteException, MalformedMessageException;

    /** Writes a result over the sum. */
    abstract void takeResult(MemorySegment slot, long part) throws MalformedMessageException;
}
