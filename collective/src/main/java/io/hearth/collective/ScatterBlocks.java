package io.hearth.collective;

import io.hearth.collective.schedule.Blocks;
import io.hearth.collective.schedule.StarScatter;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.Optional;

/** The root's blocks, one for each rank in rank order; with the held round. */
record ScatterBlocks(NodeId root) implements Contribution {
    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        Mesh mesh = place.mesh();
        int world = place.world();
        long block = place.call().signature().bytes();
        long own = block * mesh.rank();
        MemorySegment input = place.call().input();
        if (root.equals(mesh.self())) {
            if (input.byteSize() < block * world) {
                place.exchange().refuse(TooSmall.refusal(mesh, input.byteSize(), block));
            } else {
                MemorySegment.copy(input, own, place.work(), 0, block);
            }
        }
        int centre = Math.max(0, mesh.rank(root)); // a lost root: doomed, no segment is played
        Blocks blocks = Blocks.strided(Collections.nCopies(world, block), block);
        return place.playHeld(
                new StarScatter(mesh.rank(), centre, blocks, place.segmentBytes()),
                Exchange.Region.of(input),
                new Exchange.Region(place.work(), own));
    }

    @Override
    public long denseBytes(Signature signature, Mesh mesh, int segmentBytes) {
        return 0;
    }
}
