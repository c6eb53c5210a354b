package io.hearth.collective;

import io.hearth.collective.schedule.RingBroadcast;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** The root's bytes to all, with the held round. */
record Broadcast(NodeId root) implements Contribution {
    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        Mesh mesh = place.mesh();
        MemorySegment work = place.call().work().bytes();
        if (root.equals(mesh.self())) {
            MemorySegment.copy(place.call().input(), 0, work, 0, work.byteSize());
        }
        int from = Math.max(0, mesh.byHop().position(mesh.rank(root))); // a lost root: doomed, no segment is played
        int own = mesh.byHop().position(mesh.rank());
        return place.play(
                new RingBroadcast(own, mesh.world(), from, work.byteSize(), place.segmentBytes()), mesh.byHop());
    }

    @Override
    public long denseBytes(Signature signature, Mesh mesh, int segmentBytes) {
        return 0;
    }
}
