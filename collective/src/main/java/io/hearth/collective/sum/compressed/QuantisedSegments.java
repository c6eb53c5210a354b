package io.hearth.collective.sum.compressed;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.exchange.Combiner;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.SegmentWork;
import io.hearth.collective.exchange.watch.ExchangeWatch;
import io.hearth.collective.group.StreamBrokenException;
import io.hearth.collective.schedule.Transfer;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.memory.PendingParts;
import io.hearth.core.MalformedMessageException;
import io.hearth.transport.ReceivedRecord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Base of sums of encoded parts. Parts travel in their slots. A part is encoded right before it is sent and added as soon as it
 * arrives, so that the processor works while the network does. In the end each slot holds the encoding of the part's sum.
 */
abstract class QuantisedSegments implements SegmentWork {
    /** Encodes this rank's contribution part by part, and the sums of parts. */
    interface PartEncoder {
        /**
         * Encodes a part of this rank's contribution. Arguments and errors as in {@link BlockCodec#encodePart}.
         *
         * @return bytes written
         */
        long encode(long first, long count, MemorySegment slot) throws NonFiniteException;

        /**
         * Encodes the sum of a part whose own values were encoded before. Arguments and errors as in {@link
         * PendingParts#encodeSum}.
         *
         * @return bytes written
         */
        long encodeSum(long first, long count, MemorySegment sum, int divisor, long draw, MemorySegment slot)
                throws NonFiniteException;
    }

    /** Encodes the values in {@code source} and keeps no residuals. */
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

    /** Encodes with residuals. */
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
     * The tools of one sum.
     *
     * @param slots memory of the encodings, one slot per part
     * @param scratch one more slot, for the receiving thread
     * @param watch gets the codec's times
     */
    record Tools(
            Mesh mesh,
            BlockCodec codec,
            EncodedParts layout,
            PartEncoder encoder,
            MemorySegment slots,
            MemorySegment scratch,
            ExchangeWatch watch) {
        /** Encodes this rank's contribution to a part into the part's slot. */
        void encode(long part) throws NonFiniteException {
            long since = watch.codecNow();
            encoder.encode(layout.first(part), layout.values(part), slot(part));
            did(Phase.ENCODE, layout.values(part), since);
        }

        /** Encodes a part's sum, already divided by {@code divisor}, into the part's slot; {@code sum} is undefined afterwards. */
        void encodeSum(long part, MemorySegment sum, int divisor, long draw) throws NonFiniteException {
            long since = watch.codecNow();
            long count = layout.values(part);
            encoder.encodeSum(layout.first(part), count, sum, divisor, draw, slot(part));
            did(Phase.ENCODE, count, since);
        }

        /** Decodes a part and overwrites {@code values}. */
        void decode(MemorySegment encoding, MemorySegment values, long count) throws MalformedMessageException {
            long since = watch.codecNow();
            codec.decode(encoding, values, count);
            did(Phase.DECODE, count, since);
        }

        /** Decodes a part and adds it to {@code values}. */
        void decodeAndAdd(MemorySegment encoding, MemorySegment values, long count) throws MalformedMessageException {
            long since = watch.codecNow();
            codec.decodeAndAdd(encoding, values, count);
            did(Phase.DECODE, count, since);
        }

        private void did(Phase phase, long count, long since) {
            watch.coded(phase, count * Float.BYTES, since);
        }

        /** A part's whole slot. */
        MemorySegment slot(long part) {
            return slots.asSlice(layout.offset(part), layout.slotBytes());
        }

        /** The encoding in a slot. */
        MemorySegment encoding(MemorySegment slot, long part) {
            return slot.asSlice(0, codec.encodedBytesMax(layout.values(part)));
        }

        /** The encoding in a part's own slot. */
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
    public boolean reportsPhases() {
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
        // Copy to native memory first: a kernel that gets both heap and native memory is compiled well for neither.
        MemorySegment slot = isResult ? tools.slot(part) : tools.scratch;
        MemorySegment.copy(Combiner.payload(arrived), prefix, slot, 0, tools.layout.slotBytes());
        tools.watch.did(Phase.COPY, rank, tools.layout.slotBytes(), since);
        if (!isResult) {
            add(expected, tools.encoding(slot, part), part);
            return;
        }
        try {
            tools.codec.check(tools.encoding(slot, part), tools.layout.values(part));
        } catch (MalformedMessageException malformed) { // other ranks may have a valid result and may have returned
            String name = tools.mesh.name(tools.mesh.members().get(rank));
            throw new StreamBrokenException(
                    tools.mesh.members().get(rank),
                    name + " sent a malformed result of '" + tools.codec.name() + "': " + malformed.getMessage(),
                    malformed);
        }
    }

    /** Whether the expected segment is a result: the sum of all contributions. */
    abstract boolean isResult(Transfer expected);

    /**
     * Adds a received encoding and, where the schedule says so, this rank's contribution; encodes the sum into the part's slot when
     * it is next to be sent.
     */
    abstract void add(Transfer expected, MemorySegment encoding, long part)
            throws NonFiniteException, MalformedMessageException;

    /** The error if this rank cannot decode its own encoding. */
    static AssertionError unreadable(BlockCodec codec, MalformedMessageException bug) {
        return new AssertionError(codec.name() + " cannot read what it wrote", bug);
    }
}
