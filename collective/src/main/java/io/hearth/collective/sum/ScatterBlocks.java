package io.hearth.collective.sum;

import io.hearth.collective.Signature;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.call.TooSmall;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.Region;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.schedule.Blocks;
import io.hearth.collective.schedule.StarScatter;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.Optional;

/** Scatters the root's blocks, one to each rank in rank order. Ends with a completion barrier. */
public record ScatterBlocks(NodeId root) implements CollectiveOperation {
    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        Mesh mesh = context.mesh();
        int world = context.world();
        long block = context.call().signature().bytes();
        long own = block * mesh.rank();
        MemorySegment input = context.call().input();
        if (root.equals(mesh.self())) {
            if (input.byteSize() < block * world) {
                context.exchange().refuse(TooSmall.refusal(mesh, input.byteSize(), block));
            } else {
                MemorySegment.copy(input, own, context.work(), 0, block);
            }
        }
        int centre = Math.max(0, mesh.rank(root)); // a lost root: no segment is played
        Blocks blocks = Blocks.strided(Collections.nCopies(world, block), block);
        return context.playHeld(
                new StarScatter(mesh.rank(), centre, blocks, context.segmentBytes()),
                Region.of(input),
                new Region(context.work(), own));
    }

    @Override
    public long denseBytes(Signature signature, Mesh mesh, int segmentBytes) {
        return 0;
    }
}
