package io.hearth.collective.sum.compressed;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.exchange.Exchange;
import io.hearth.collective.exchange.InPlaceBackup;
import io.hearth.collective.exchange.PlainSegments;
import io.hearth.collective.exchange.Region;
import io.hearth.collective.exchange.SegmentWork;
import io.hearth.collective.exchange.watch.ExchangeWatch;
import io.hearth.collective.schedule.Transfer;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.sparse.GradualEncoding;
import io.hearth.transport.ReceivedRecord;
import java.lang.foreign.MemorySegment;

/**
 * The segments of a table of encodings, one block for each rank. This rank's encoding is made just ahead of sending, and copied
 * into its block.
 */
final class GradualSegments implements SegmentWork {
    private final GradualEncoding making;
    private final MemorySegment own;
    private final MemorySegment table;
    private final long start;
    private final PlainSegments others;
    private final ExchangeWatch watch;
    private long taken;

    /**
     * Creates the work for one gathering.
     *
     * @param own where {@code making} writes
     * @param start offset of this rank's block in the table
     */
    GradualSegments(Exchange exchange, GradualEncoding making, MemorySegment own, MemorySegment table, long start) {
        this.making = making;
        this.own = own;
        this.table = table;
        this.start = start;
        this.others = new PlainSegments(exchange.combiner(), Region.of(table), Region.of(table), InPlaceBackup.NONE);
        this.watch = exchange.watch();
    }

    @Override
    public void sending(Transfer transfer) throws NonFiniteException {
        if (!transfer.fromInput() || transfer.length() == 0) {
            return;
        }
        long end = transfer.offset() - start + transfer.length();
        long since = watch.codecNow();
        long values = making.make(end);
        MemorySegment.copy(own, taken, table, start + taken, end - taken);
        taken = end;
        if (values > 0) {
            watch.coded(Phase.ENCODE, values * Float.BYTES, since);
        }
    }

    @Override
    public boolean reportsPhases() {
        return true;
    }

    @Override
    public void take(Transfer expected, ReceivedRecord arrived, int prefix, int rank) {
        long since = watch.codecNow();
        others.take(expected, arrived, prefix, rank);
        watch.did(Phase.COPY, rank, expected.length(), since);
    }
}
