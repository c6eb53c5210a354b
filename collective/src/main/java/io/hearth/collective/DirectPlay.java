package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.collective.Contribution.Place;
import io.hearth.collective.Exchange.Region;
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
record DirectPlay(Reducer reducer, Buffers buffers) {
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
    Optional<Refusal> play(Place place, Shares shares, LongFunction<Gathering> schedules) throws IOException {
        if (!shares.allOwn()) {
            var input = Region.of(place.call().input());
            return place.playByRank(schedules.apply(AS_THEY_COME), input, Region.of(place.work()));
        }
        int others = place.world() - 1;
        Gathering inPieces = schedules.apply(pieceBytesMin(place));
        if (inPieces.pieceBytesMax() == 0) {
            return place.play(inPieces, place.mesh().byRank());
        }
        long rowBytes = PieceSegments.rowBytes(inPieces.pieceBytesMax());
        Optional<Buffers.Buffer> rows =
                rowBytes > GATHERED_BYTES_MAX / others ? Optional.empty() : buffers.takeOwn(rowBytes * others);
        if (rows.isEmpty()) { // more copies, to where the reducer reads, would eat up what it gains
            return place.play(schedules.apply(AS_THEY_COME), place.mesh().byRank());
        }
        try {
            var input = Region.of(place.call().input());
            var buffer = Region.of(place.work());
            Exchange exchange = place.exchange();
            var work = new PieceSegments(
                    exchange.combiner(),
                    input,
                    buffer,
                    place.mesh().rank(),
                    rows.get().bytes(),
                    rowBytes,
                    exchange.watch());
            return exchange.play(inPieces, place.mesh().byRank(), input, buffer, work);
        } finally {
            buffers.give(rows.get());
        }
    }

    private long pieceBytesMin(Place place) {
        return place.world() == 1
                ? AS_THEY_COME
                : reducer.combineAllFrom(place.call().signature().type(), place.world());
    }
}
