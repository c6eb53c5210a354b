package io.hearth.collective;

import io.hearth.collective.schedule.DirectAllReduce;
import io.hearth.collective.schedule.RingAllReduce;
import io.hearth.collective.schedule.Shares;
import io.hearth.collective.schedule.StarAllReduce;
import io.hearth.collective.schedule.TreeAllReduce;
import io.hearth.collective.schedule.WholeExchange;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** An all-reduce of elements as they are. */
record PlainSum(AllReduceStrategy strategy, Ownership ownership, DirectPlay direct) implements Contribution {
    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        Signature signature = place.call().signature();
        Mesh mesh = place.mesh();
        int world = place.world();
        long count = signature.count();
        int elementBytes = signature.type().bytes();
        int segmentBytes = place.segmentBytes();
        if (world == 1) {
            MemorySegment.copy(place.call().input(), 0, place.work(), 0, signature.bytes());
        }
        return switch (place.choice().allReduce(strategy, world, signature.bytes())) {
            case WHOLE_EXCHANGE ->
                place.play(new WholeExchange(mesh.rank(), world, count, elementBytes, segmentBytes), mesh.byRank());
            case DIRECT -> {
                Shares shares = ownership.shares(count, world);
                yield direct.play(
                        place,
                        shares,
                        pieceBytes -> new DirectAllReduce(mesh.rank(), shares, elementBytes, segmentBytes, pieceBytes));
            }
            case RING ->
                place.play(new RingAllReduce(place.hop(), world, count, elementBytes, segmentBytes), mesh.byHop());
            case TREE ->
                place.play(new TreeAllReduce(place.hop(), world, count, elementBytes, segmentBytes), mesh.byHop());
            case STAR ->
                place.play(new StarAllReduce(place.hop(), world, 0, count, elementBytes, segmentBytes), mesh.byHop());
        };
    }
}
