package io.hearth.collective;

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
 * The blocks of all ranks, in rank order, at one root (then with the held round) or at all.
 *
 * @param root who gets them; empty: all
 */
record GatherBlocks(Optional<NodeId> root) implements Contribution {
    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        Signature signature = place.call().signature();
        Mesh mesh = place.mesh();
        int world = place.world();
        long block = signature.bytes();
        Blocks blocks = Blocks.strided(Collections.nCopies(world, block), block);
        boolean isTarget = root.isEmpty() || root.get().equals(mesh.self());
        if (isTarget && place.work().byteSize() < block * world) {
            place.exchange().refuse(TooSmall.refusal(mesh, place.work().byteSize(), block));
        } else if (isTarget) {
            MemorySegment.copy(place.call().input(), 0, place.work(), block * mesh.rank(), block);
        }
        var input = new Exchange.Region(place.call().input(), block * mesh.rank());
        var buffer = Exchange.Region.of(place.work());
        if (root.isPresent()) {
            int centre = Math.max(0, mesh.rank(root.get())); // a lost root: doomed, no segment is played
            return place.playHeld(new StarGather(mesh.rank(), centre, blocks, place.segmentBytes()), input, buffer);
        }
        Schedule schedule = switch (place.choice().allGather(world, block)) {
            case DIRECT -> new DirectAllGather(mesh.rank(), blocks, place.segmentBytes());
            case RING -> new RingAllGather(mesh.rank(), blocks, place.segmentBytes());
        };
        return place.playByRank(schedule, input, buffer);
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
