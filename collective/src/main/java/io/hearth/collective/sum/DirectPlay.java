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
 * Plays the schedules in which the owner of a share adds the contributions of all other ranks. An owner adds segments as they
 * arrive. It gathers larger pieces first if its reducer adds many contributions at once faster and has memory for them. Each rank
 * decides this for itself; the result has the same bits either way.
 *
 * @param reducer decides between the two ways; adds nothing here
 * @param buffers borrowed
 */
public record DirectPlay(Reducer reducer, Buffers buffers) {
    /** Most bytes that one rank gathers at a time, of all other ranks together. */
    private static final long GATHERED_BYTES_MAX = 256L << 20;

    private static final long AS_THEY_COME = Long.MAX_VALUE;

    /**
     * Plays a schedule among ranks, from the call's input to its result. If a rank owns no share, notes come before the schedule,
     * and these cannot announce how late the results will be. Then all ranks add segments as they arrive.
     *
     * @param shares the same on all ranks
     * @param schedules creates the schedule for a least size of a piece in bytes
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
        if (rows.isEmpty()) { // too large, or the reducer has no memory: extra copies would cost more than it gains
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
