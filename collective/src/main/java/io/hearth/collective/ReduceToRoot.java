package io.hearth.collective;

import io.hearth.collective.schedule.RingReduce;
import io.hearth.collective.schedule.Schedule;
import io.hearth.collective.schedule.StarReduce;
import io.hearth.collective.schedule.TreeReduce;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A sum that one rank gets; with the held round. */
record ReduceToRoot(NodeId root, ReduceStrategy strategy) implements Contribution {
    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        Signature signature = place.call().signature();
        Mesh mesh = place.mesh();
        int world = place.world();
        int hop = place.hop();
        int target = Math.max(0, mesh.byHop().position(mesh.rank(root))); // a lost root: doomed, no segment is played
        long count = signature.count();
        int bytes = signature.type().bytes();
        int segmentBytes = place.segmentBytes();
        if (world == 1) {
            MemorySegment.copy(place.call().input(), 0, place.work(), 0, signature.bytes());
        }
        Schedule schedule = switch (place.choice().reduce(strategy, world, signature.bytes())) {
            case RING -> new RingReduce(hop, world, target, count, bytes, segmentBytes);
            case TREE -> new TreeReduce(hop, world, target, count, bytes, segmentBytes);
            case STAR -> new StarReduce(hop, world, target, count, bytes, segmentBytes);
        };
        Optional<Refusal> refusal = place.play(schedule, mesh.byHop());
        return refusal.isPresent() ? refusal : place.held();
    }

    @Override
    public void deliver(Call call, Mesh ran) {
        if (root.equals(ran.self())) {
            Contribution.super.deliver(call, ran);
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
