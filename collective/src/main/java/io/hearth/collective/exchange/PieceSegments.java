package io.hearth.collective.exchange;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.schedule.Transfer;
import io.hearth.transport.ReceivedRecord;
import java.lang.foreign.MemorySegment;

/**
 * Plain elements, with contributions gathered in pieces. The contributions of each other rank to a piece of this rank's share are kept in a
 * row of its own, and added once the piece is complete.
 */
public final class PieceSegments implements SegmentWork {
    private static final long ROW_ALIGNMENT_BYTES = 64;

    private final Combiner combiner;
    private final Region input;
    private final Region buffer;
    private final int position;
    private final MemorySegment rows;
    private final long rowBytes;
    private final MemorySegment[] addends;
    private final ExchangeWatch watch;

    /**
     * An object without gathered contributions.
     * @param combiner of the receiving thread
     * @param input this rank's contribution
     * @param buffer receives the result
     * @param position of this rank in the schedule
     * @param rows {@code rowBytes} for each other rank, with undefined content; borrowed
     */
    public PieceSegments(
            Combiner combiner,
            Region input,
            Region buffer,
            int position,
            MemorySegment rows,
            long rowBytes,
            ExchangeWatch watch) {
        this.combiner = combiner;
        this.input = input;
        this.buffer = buffer;
        this.position = position;
        this.rows = rows;
        this.rowBytes = rowBytes;
        this.addends = new MemorySegment[1 + Math.toIntExact(rows.byteSize() / rowBytes)];
        this.watch = watch;
    }

    /** Bytes of a row for pieces of {@code pieceBytes}; aligned, because a GPU reads from the beginning of a row. */
    public static long rowBytes(long pieceBytes) {
        return Math.ceilDiv(pieceBytes, ROW_ALIGNMENT_BYTES) * ROW_ALIGNMENT_BYTES;
    }

    @Override
    public boolean reportsPhases() {
        return true;
    }

    @Override
    public void take(Transfer expected, ReceivedRecord arrived, int prefix, int rank) {
        long since = watch.now();
        if (expected.action() != Transfer.Action.GATHER) {
            combiner.apply(expected, arrived, prefix, input, buffer);
            watch.did(Phase.COPY, rank, expected.length(), since);
            return;
        }
        Region row = new Region(row(expected.peer()), expected.pieceOffset());
        Combiner.copy(arrived, prefix, row, expected.offset(), expected.length());
        watch.did(Phase.COPY, rank, expected.length(), since);
        if (expected.completes()) {
            long added = watch.now();
            for (int from = 0; from < addends.length; from++) {
                addends[from] =
                        from == position ? input.memory().asSlice(expected.pieceOffset() - input.base()) : row(from);
            }
            combiner.combineAll(expected, addends, buffer);
            watch.did(Phase.COMBINE, -1, expected.pieceLength() * (addends.length - 1), added);
        }
    }

    private MemorySegment row(int from) {
        return rows.asSlice((from < position ? from : from - 1) * rowBytes, rowBytes);
    }
}
