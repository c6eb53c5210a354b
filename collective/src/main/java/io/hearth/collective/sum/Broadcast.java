package io.hearth.collective.sum;

import io.hearth.collective.BroadcastStrategy;
import io.hearth.collective.Signature;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.schedule.RingBroadcast;
import io.hearth.collective.schedule.TreeBroadcast;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Sends the root's bytes to all ranks. No rank returns before all ranks have them, so no rank keeps them for another.
 *
 * <p>The root sends from its input and has no target. Any other rank receives in a buffer of the engine: if the root is lost, the
 * application's values are as before.
 */
public record Broadcast(NodeId root, BroadcastStrategy strategy) implements CollectiveOperation {
    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        Mesh mesh = context.mesh();
        long bytes = context.call().signature().bytes();
        int from = Math.max(0, mesh.byHop().position(mesh.rank(root))); // a lost root: no segment is played
        int world = context.world();
        return switch (context.choice().broadcast(strategy, world, bytes)) {
            case RING ->
                context.play(
                        new RingBroadcast(context.hop(), world, from, bytes, context.segmentBytes()), mesh.byHop());
            case TREE -> {
                var tree = new TreeBroadcast(context.hop(), world, from, bytes, context.segmentBytes());
                Optional<CallRejection> refusal = context.play(tree, mesh.byHop());
                yield refusal.isPresent() ? refusal : context.held();
            }
        };
    }

    @Override
    public long workBytes(Signature signature, MemorySegment target) {
        return target.byteSize();
    }

    @Override
    public void deliver(Call call, Mesh ran) {
        MemorySegment target = call.memory().target();
        MemorySegment.copy(call.work().bytes(), 0, target, 0, target.byteSize());
    }

    @Override
    public long denseBytes(Signature signature, Mesh mesh, int segmentBytes) {
        return 0;
    }
}
