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
        int from = Math.max(0, ring.position(root)); // a lost root: doomed, no segment is played
        MemorySegment work = place.call().work().bytes();
        if (from == ring.position()) {
            MemorySegment.copy(place.call().values(), 0, work, 0, work.byteSize());
        }
        return place.exchange()
                .play(
                        new BroadcastSchedule(
                                ring.position(), ring.world(), from, work.byteSize(), place.segmentBytes()),
                        work);
    }

    @Override
    public long denseBytes(Signature signature, Ring ring, int segmentBytes) {
        return 0;
    }
}
