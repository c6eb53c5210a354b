package io.hearth.collective;

import io.hearth.collective.schedule.DirectReduceScatter;
import io.hearth.collective.schedule.RingReduceScatter;
import io.hearth.collective.schedule.Shares;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A sum of which each rank gets its share, the shares in rank order; with the held round. */
record ReduceScatterShares(DirectPlay direct) implements Contribution {
    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        Signature signature = place.call().signature();
        int world = place.world();
        int rank = place.mesh().rank();
        int elementBytes = signature.type().bytes();
        Shares shares = Shares.equal(signature.count(), world);
        if (world == 1) {
            MemorySegment.copy(place.call().input(), 0, place.work(), 0, signature.bytes());
        }
        var input = Exchange.Region.of(place.call().input());
        var work = Exchange.Region.of(place.work());
        return switch (place.choice().reduceScatter(world, shares.largest() * elementBytes)) {
            case DIRECT -> {
                Optional<Refusal> refusal = direct.play(
                        place,
                        shares,
                        pieceBytes ->
                                new DirectReduceScatter(rank, shares, elementBytes, place.segmentBytes(), pieceBytes));
                yield refusal.isPresent() ? refusal : place.held();
            }
            case RING ->
                place.playHeld(new RingReduceScatter(rank, shares, elementBytes, place.segmentBytes()), input, work);
        };
    }

    @Override
    public void deliver(Call call, Mesh ran) {
        int elementBytes = call.signature().type().bytes();
        Shares shares = Shares.equal(call.signature().count(), ran.world());
        long from = shares.start(ran.rank()) * elementBytes;
        long bytes = shares.count(ran.rank()) * elementBytes;
        MemorySegment.copy(call.work().bytes(), from, call.memory().target(), from, bytes);
    }

    @Override
    public Part part(Call call, int contributors) {
        Mesh ran = call.ran;
        Shares shares = Shares.equal(call.signature().count(), ran == null ? 1 : ran.world());
        int rank = ran == null ? 0 : ran.rank();
        return new Part(shares.start(rank), shares.count(rank));
    }

    @Override
    public long denseBytes(Signature signature, Mesh mesh, int segmentBytes) {
        return 0;
    }
}
