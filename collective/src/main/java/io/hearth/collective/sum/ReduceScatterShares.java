package io.hearth.collective.sum;

import io.hearth.collective.Signature;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.Region;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.schedule.DirectReduceScatter;
import io.hearth.collective.schedule.RingReduceScatter;
import io.hearth.collective.schedule.Shares;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A sum of which each rank gets its share, in rank order. Ends with a completion barrier. */
public record ReduceScatterShares() implements CollectiveOperation {
    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        Signature signature = context.call().signature();
        int world = context.world();
        int rank = context.mesh().rank();
        int elementBytes = signature.type().bytes();
        Shares shares = Shares.equal(signature.count(), world);
        if (world == 1) {
            MemorySegment.copy(context.call().input(), 0, context.work(), 0, signature.bytes());
        }
        var input = Region.of(context.call().input());
        var work = Region.of(context.work());
        return switch (context.choice().reduceScatter(world, shares.largest() * elementBytes)) {
            case DIRECT -> {
                Optional<CallRejection> refusal = context.playByOwners(
                        new DirectReduceScatter(rank, shares, elementBytes, context.segmentBytes()), shares);
                yield refusal.isPresent() ? refusal : context.held();
            }
            case RING ->
                context.playHeld(
                        new RingReduceScatter(rank, shares, elementBytes, context.segmentBytes()), input, work);
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
