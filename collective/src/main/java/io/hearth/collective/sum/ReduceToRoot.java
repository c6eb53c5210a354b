package io.hearth.collective.sum;

import io.hearth.collective.ReduceStrategy;
import io.hearth.collective.Signature;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.schedule.RingReduce;
import io.hearth.collective.schedule.Schedule;
import io.hearth.collective.schedule.StarReduce;
import io.hearth.collective.schedule.TreeReduce;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A sum that one rank gets. Ends with a completion barrier. */
public record ReduceToRoot(NodeId root, ReduceStrategy strategy) implements CollectiveOperation {
    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        Signature signature = context.call().signature();
        Mesh mesh = context.mesh();
        int world = context.world();
        int hop = context.hop();
        int target = Math.max(0, mesh.byHop().position(mesh.rank(root))); // a lost root: no segment is played
        long count = signature.count();
        int bytes = signature.type().bytes();
        int segmentBytes = context.segmentBytes();
        if (world == 1) {
            MemorySegment.copy(context.call().input(), 0, context.work(), 0, signature.bytes());
        }
        Schedule schedule = switch (context.choice().reduce(strategy, world, signature.bytes())) {
            case RING -> new RingReduce(hop, world, target, count, bytes, segmentBytes);
            case TREE -> new TreeReduce(hop, world, target, count, bytes, segmentBytes);
            case STAR -> new StarReduce(hop, world, target, count, bytes, segmentBytes);
        };
        Optional<CallRejection> refusal = context.play(schedule, mesh.byHop());
        return refusal.isPresent() ? refusal : context.held();
    }

    @Override
    public void deliver(Call call, Mesh ran) {
        if (root.equals(ran.self())) {
            CollectiveOperation.super.deliver(call, ran);
        }
    }

    @Override
    public Part part(Call call, int contributors) {
        boolean isTarget = call.ran != null && root.equals(call.ran.self());
        return new Part(0, isTarget ? call.signature().count() : 0);
    }

    @Override
    public long denseBytes(Signature signature, Mesh mesh, int segmentBytes) {
        return 0;
    }
}
