package io.hearth.collective;

import io.hearth.collective.schedule.RingBroadcast;
import io.hearth.collective.schedule.TreeBroadcast;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** The root's bytes to all, with the held round. */
record Broadcast(NodeId root, BroadcastStrategy strategy) implements Contribution {
    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        Mesh mesh = place.mesh();
        MemorySegment work = place.work();
        if (root.equals(mesh.self())) {
            MemorySegment.copy(place.call().input(), 0, work, 0, work.byteSize());
        }
        int from = Math.max(0, mesh.byHop().position(mesh.rank(root))); // a lost root: doomed, no segment is played
        int world = place.world();
        return switch (place.choice().broadcast(strategy, world, work.byteSize())) {
            case RING ->
                place.play(
                        new RingBroadcast(place.hop(), world, from, work.byteSize(), place.segmentBytes()),
                        mesh.byHop());
            case TREE -> {
                var tree = new TreeBroadcast(place.hop(), world, from, work.byteSize(), place.segmentBytes());
                Optional<Refusal> refusal = place.play(tree, mesh.byHop());
                yield refusal.isPresent() ? refusal : place.held();
            }
        };
    }

    @Override
    public long denseBytes(Signature signature, Mesh mesh, int segmentBytes) {
        return 0;
    }
}
