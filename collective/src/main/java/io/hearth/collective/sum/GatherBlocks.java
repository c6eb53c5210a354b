package io.hearth.collective.sum;

import io.hearth.collective.Signature;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.call.TooSmall;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.Region;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.Status;
import io.hearth.collective.schedule.Blocks;
import io.hearth.collective.schedule.DirectAllGather;
import io.hearth.collective.schedule.RingAllGather;
import io.hearth.collective.schedule.Schedule;
import io.hearth.collective.schedule.StarGather;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.Optional;

/**
 * Gathers the blocks of all ranks, in rank order, at one root or at all ranks. With a root, it ends with a completion barrier.
 *
 * @param root the rank that gets the blocks; empty for all ranks
 */
public record GatherBlocks(Optional<NodeId> root) implements CollectiveOperation {
    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        Signature signature = context.call().signature();
        Mesh mesh = context.mesh();
        int world = context.world();
        long block = signature.bytes();
        Blocks blocks = Blocks.strided(Collections.nCopies(world, block), block);
        boolean isTarget = root.isEmpty() || root.get().equals(mesh.self());
        if (isTarget && context.work().byteSize() < block * world) {
            context.exchange().refuse(TooSmall.refusal(mesh, context.work().byteSize(), block));
        } else if (isTarget) {
            MemorySegment.copy(context.call().input(), 0, context.work(), block * mesh.rank(), block);
        }
        var input = new Region(context.call().input(), block * mesh.rank());
        var buffer = Region.of(context.work());
        if (root.isPresent()) {
            int centre = Math.max(0, mesh.rank(root.get())); // a lost root: no segment is played
            return context.playHeld(new StarGather(mesh.rank(), centre, blocks, context.segmentBytes()), input, buffer);
        }
        Schedule schedule = switch (context.choice().allGather(world, block)) {
            case DIRECT -> new DirectAllGather(mesh.rank(), blocks, context.segmentBytes());
            case RING -> new RingAllGather(mesh.rank(), blocks, context.segmentBytes());
        };
        return context.playByRank(schedule, input, buffer);
    }

    @Override
    public long workBytes(Signature signature, MemorySegment target) {
        return target.byteSize();
    }

    @Override
    public void deliver(Call call, Mesh ran) {
        boolean isTarget = root.isEmpty() || root.get().equals(ran.self());
        Status.Kept outcome = call.outcome;
        if (isTarget && outcome != null) {
            long bytes = call.signature().bytes() * outcome.contributors();
            MemorySegment.copy(call.work().bytes(), 0, call.memory().target(), 0, bytes);
        }
    }

    @Override
    public Part part(Call call, int contributors) {
        boolean isTarget = root.isEmpty() || (call.ran != null && root.get().equals(call.ran.self()));
        return new Part(0, isTarget ? call.signature().count() * contributors : 0);
    }

    @Override
    public long denseBytes(Signature signature, Mesh mesh, int segmentBytes) {
        return 0;
    }
}
