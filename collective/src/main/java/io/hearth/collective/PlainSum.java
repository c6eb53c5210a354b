package io.hearth.collective;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** An all-reduce of elements as they are: the ring schedule over a copy of the input. */
final class PlainSum implements Contribution {
    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        Signature signature = place.call().signature();
        MemorySegment work = place.call().work().bytes();
        MemorySegment.copy(place.call().values(), 0, work, 0, signature.bytes());
        Ring ring = place.ring();
        return place.exchange()
                .play(
                        new RingSchedule(
                                ring.position(),
                                ring.world(),
                                signature.count(),
                                signature.type().bytes(),
                                place.segmentBytes()),
                        work);
    }
}
