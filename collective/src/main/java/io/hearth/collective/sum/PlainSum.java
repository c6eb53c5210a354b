package io.hearth.collective.sum;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.Ownership;
import io.hearth.collective.Signature;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.Region;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.schedule.DirectAllReduce;
import io.hearth.collective.schedule.IslandAllReduce;
import io.hearth.collective.schedule.Islands;
import io.hearth.collective.schedule.RingAllReduce;
import io.hearth.collective.schedule.Shares;
import io.hearth.collective.schedule.StarAllReduce;
import io.hearth.collective.schedule.TreeAllReduce;
import io.hearth.collective.schedule.WholeExchange;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** An all-reduce of uncompressed elements. */
public record PlainSum(AllReduceStrategy strategy, Ownership ownership) implements CollectiveOperation {
    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        Signature signature = context.call().signature();
        Mesh mesh = context.mesh();
        int world = context.world();
        long count = signature.count();
        int elementBytes = signature.type().bytes();
        int segmentBytes = context.segmentBytes();
        if (world == 1) {
            MemorySegment.copy(context.call().input(), 0, context.work(), 0, signature.bytes());
        }
        Optional<Islands> islands = mesh.islands(strategy);
        return switch (context.choice().allReduce(strategy, world, islands, signature.bytes())) {
            case WHOLE_EXCHANGE ->
                context.play(new WholeExchange(mesh.rank(), world, count, elementBytes, segmentBytes), mesh.byRank());
            case DIRECT -> {
                Shares shares = ownership.equals(Ownership.EQUAL) ? mesh.shares(count) : ownership.shares(count, world);
                yield context.playByOwners(
                        new DirectAllReduce(mesh.rank(), shares, elementBytes, segmentBytes), shares);
            }
            case RING ->
                context.play(new RingAllReduce(context.hop(), world, count, elementBytes, segmentBytes), mesh.byHop());
            case TREE ->
                context.play(new TreeAllReduce(context.hop(), world, count, elementBytes, segmentBytes), mesh.byHop());
            case STAR ->
                context.play(
                        new StarAllReduce(context.hop(), world, 0, count, elementBytes, segmentBytes), mesh.byHop());
            case ISLANDS -> {
                Islands led = islands.orElseThrow();
                Shares shares = mesh.shares(count, led);
                yield context.playByRank(
                        new IslandAllReduce(mesh.rank(), led, shares, elementBytes, segmentBytes),
                        Region.of(context.call().input()),
                        Region.of(context.work()));
            }
        };
    }
}
