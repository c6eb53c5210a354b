package io.hearth.collective;

import io.hearth.collective.schedule.RingAllReduce;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** An all-reduce of elements as they are. */
final class PlainSum implements Contribution {
    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        Signature signature = place.call().signature();
        Mesh mesh = place.mesh();
        if (mesh.world() == 1) {
            MemorySegment.copy(place.call().input(), 0, place.call().work().bytes(), 0, signature.bytes());
        }
        return place.play(
                new RingAllReduce(
                        mesh.byHop().position(mesh.rank()),
                        mesh.world(),
                        signature.count(),
                        signature.type().bytes(),
                        place.segmentBytes()),
                mesh.byHop());
    }
}
