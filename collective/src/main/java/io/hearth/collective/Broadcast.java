package io.hearth.collective;

import io.hearth.identity.NodeId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** The root's bytes to all, with the held round. */
record Broadcast(NodeId root) implements Contribution {
    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        Ring ring = place.ring();
        int rootRank = Math.max(0, ring.members().indexOf(root)); // a lost root: doomed, no segment is played
        MemorySegment work = place.call().work().bytes();
        if (rootRank == ring.rank()) {
            MemorySegment.copy(place.call().values(), 0, work, 0, work.byteSize());
        }
        return place.exchange()
                .play(
                        new BroadcastSchedule(
                                ring.rank(), ring.world(), rootRank, work.byteSize(), place.segmentBytes()),
                        work);
    }

    @Override
    public long denseBytes(Signature signature, int rank, int world, int segmentBytes) {
        return 0;
    }
}
