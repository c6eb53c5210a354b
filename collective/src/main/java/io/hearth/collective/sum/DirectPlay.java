package io.hearth.collective.sum;

import io.hearth.accel.Reducer;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Exchange;
import io.hearth.collective.exchange.PieceSegments;
import io.hearth.collective.exchange.Region;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.schedule.Gathering;
import io.hearth.collective.schedule.Shares;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * Plays the schedules in which the owner of a share adds what all others send it. It adds segments as they come, unless its reducer
 * says that many contributions at once are faster and has memory of its own for them: then it gathers pieces of that size. That is
 * each rank's own business, and the bits are the same.
 *
 * @param reducer asked, not used
 * @param buffers borrowed
 */
public record DirectPlay(Reducer reducer, Buffers buffers) {
    /** Most bytes that one rank gathers at a time, of all others together. */
    private static final long GATHERED_BYTES_MAX = 256L << 20;

    private static final long AS_THEY_COME = Long.MAX_VALUE;

    /**
     * Plays it among ranks, from the call's input to its result. Where somebody owns nothing, first records come before it and cannot say
     * how late its results will be: then all add segments as they come.
     *
     * @param shares the same for all
     * @param schedules by the least bytes of a piece
     */
    Optional<CallRejection> play(OperationContext context, Shares shares, LongFunction<Gathering> schedules)
            throws IOException {
        if (!shares.allOwn()) {
            var input = Region.of(context.call().input());
            return context.playByRank(schedules.apply(AS_THEY_COME), input, Region.of(context.work()));
        }
        int others = context.world() - 1;
        Gathering inPieces = schedules.apply(pieceBytesMin(context));
        if (inPieces.pieceBytesMax() == 0) {
            return context.play(inPieces, context.mesh().byRank());
        }
        long rowBytes = PieceSegments.rowBytes(inPieces.pieceBytesMax());
        Optional<Buffers.Buffer> rows =
                rowBytes > GATHERED_BYTES_MAX / others ? Optional.empty() : buffers.takeOwn(rowBytes * others);
        if (rows.isEmpty()) { // more copies, to where the reducer reads, would eat up what it gains
            return context.play(schedules.apply(AS_THEY_COME), context.mesh().byRank());
        }
        try {
            var input = Region.of(context.call().input());
            var buffer = Region.of(context.work());
            Exchange exchange = context.exchange();
            var work = new PieceSegments(
                    exchange.combiner(),
                    input,
                    buffer,
                    context.mesh().rank(),
                    rows.get().bytes(),
                    rowBytes,
                    exchange.watch());
            return exchange.play(inPieces, context.mesh().byRank(), input, buffer, work);
        } finally {
            buffers.give(rows.get());
        }
    }

    private long pieceBytesMin(OperationContext context) {
        return context.world() == 1
                ? AS_THEY_COME
                : reducer.combineAllFrom(context.call().signature().type(), context.world());
    }
}
