package io.hearth.collective.sum;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.exchange.Combiner;
import io.hearth.collective.exchange.ExchangeWatch;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.SegmentWork;
import io.hearth.collective.group.StreamBrokenException;
import io.hearth.collective.schedule.Transfer;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.PendingParts;
import io.hearth.core.MalformedMessageException;
import io.hearth.transport.ReceivedRecord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Sums of encoded parts. Parts travel in their slots; they are encoded right before they are sent and added as they come, so that the
 * processor works while the wire does. In the end each slot holds the encoding of the part's sum.
 */
abstract class QuantisedSegments implements SegmentWork {
    /** Encodes what this rank adds, part by part, and sums of parts of all ranks. */
    interface PartEncoder {
        /**
         * A part of what this rank adds. Arguments and errors as of {@link BlockCodec#encodePart}.
         *
         * @return bytes written
         */
        long encode(long first, long count, MemorySegment slot) throws NonFiniteException;

        /**
         * A part's sum, whose own values were encoded before. Arguments and errors as of {@link PendingParts#encodeSum}.
         *
         * @return bytes written
         */
        long encodeSum(long first, long count, MemorySegment sum, int divisor, long draw, MemorySegment slot)
                throws NonFiniteException;
    }

    /** What is left out is forgotten; of the values in {@code source}. */
    record Forgetting(BlockCodec codec, MemorySegment source, long draw) implements PartEncoder {
        @Override
        public long encode(long first, long count, MemorySegment slot) throws NonFiniteException {
            return codec.encodePart(source, first, count, draw, slot);
        }

        @Override
        public long encodeSum(long first, long count, MemorySegment sum, int divisor, long sumDraw, MemorySegment slot)
                throws NonFiniteException {
            return codec.encode(sum, count, sumDraw, slot);
        }
    }

    /** What is left out is owed. */
    record Remembering(PendingParts parts) implements PartEncoder {
        @Override
        public long encode(long first, long count, MemorySegment slot) throws NonFiniteException {
            return parts.encode(first, count, slot);
        }

        @Override
        public long encodeSum(long first, long count, MemorySegment sum, int divisor, long draw, MemorySegment slot)
                throws NonFiniteException {
            return parts.encodeSum(first, count, sum, divisor, draw, slot);
        }
    }

    /**
     * What sums work with.
     *
     * @param slots encodings, by part
     * @param scratch room for one more slot, of the receiving thread
     * @param watch told of what the codec does
     */
    record Tools(
            Mesh mesh,
            BlockCodec codec,
            EncodedParts layout,
            PartEncoder encoder,
            MemorySegment slots,
            MemorySegment scratch,
            ExchangeWatch watch) {
        /** Encodes what this rank adds into its slot. */
        void encode(long part) throws NonFiniteException {
            long since = watch.now();
            encoder.encode(layout.first(part), layout.values(part), slot(part));
            did(Phase.ENCODE, layout.values(part), since);
        }

        /** Encodes a part's sum, divided by {@code divisor} already, into its slot; afterwards it is without meaning. */
        void encodeSum(long part, MemorySegment sum, int divisor, long draw) throws NonFiniteException {
            long since = watch.now();
            long count = layout.values(part);
            encoder.encodeSum(layout.first(part), count, sum, divisor, draw, slot(part));
            did(Phase.ENCODE, count, since);
        }

        /** Decodes a part over {@code values}. */
        void decode(MemorySegment encoding, MemorySegment values, long count) throws MalformedMessageException {
            long since = watch.now();
            codec.decode(encoding, values, count);
            did(Phase.DECODE, count, since);
        }

        /** Decodes a part onto {@code values}. */
        void decodeAndAdd(MemorySegment encoding, MemorySegment values, long count) throws MalformedMessageException {
            long since = watch.now();
            codec.decodeAndAdd(encoding, values, count);
            did(Phase.DECODE, count, since);
        }

        private void did(Phase phase, long count, long since) {
            watch.did(phase, -1, count * Float.BYTES, since);
        }

        /** All of a slot. */
        MemorySegment slot(long part) {
            return slots.asSlice(layout.offset(part), layout.slotBytes());
        }

        /** What a slot holds. */
        MemorySegment encoding(MemorySegment slot, long part) {
            return slot.asSlice(0, codec.encodedBytesMax(layout.values(part)));
        }

        /** What the own slot holds. */
        MemorySegment encoding(long part) {
            return encoding(slot(part), part);
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
    public boolean tells() {
        return true;
    }

    @Override
    public void take(Transfer expected, ReceivedRecord arrived, int prefix, int rank)
            throws NonFiniteException, MalformedMessageException, IOException {
        if (expected.length() == 0) {
            return;
        }
        long part = tools.layout.partAt(expected.offset());
        boolean isResult = isResult(expected);
        long since = tools.watch.now();
        // Into native memory first: kernels that meet heap arrays too are compiled for neither.
        MemorySegment slot = isResult ? tools.slot(part) : tools.scratch;
        MemorySegment.copy(Combiner.payload(arrived), prefix, slot, 0, tools.layout.slotBytes());
        tools.watch.did(Phase.COPY, rank, tools.layout.slotBytes(), since);
        if (!isResult) {
            add(expected, tools.encoding(slot, part), part);
            return;
        }
        try {
            tools.codec.check(tools.encoding(slot, part), tools.layout.values(part));
        } catch (MalformedMessageException malformed) { // others may have got a sound one, and be gone
            String name = tools.mesh.name(tools.mesh.members().get(rank));
            throw new StreamBrokenException(
                    tools.mesh.members().get(rank),
                    name + " sent no result as '" + tools.codec.name() + "': " + malformed.getMessage(),
                    malformed);
        }
    }

    /** Whether all contributions are in what comes. */
    abstract boolean isResult(Transfer expected);

    /** Adds what came and, where it is due, what this rank adds; encodes the sum into the part's slot once it has to be sent. */
    abstract void add(Transfer expected, MemorySegment encoding, long part)
            throws NonFiniteException, MalformedMessageException;

    /** For what was encoded here. */
    static AssertionError unreadable(BlockCodec codec, MalformedMessageException bug) {
        return new AssertionError(codec.name() + " cannot read what it wrote", bug);
    }
}
