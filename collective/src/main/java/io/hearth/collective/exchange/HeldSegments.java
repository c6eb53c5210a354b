package io.hearth.collective.exchange;

import io.hearth.collective.group.StreamBrokenException;
import io.hearth.collective.schedule.Transfer;
import io.hearth.transport.ReceivedRecord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Compares a forwarded result with the copy that this rank holds already; both must be the same. */
record HeldSegments(Mesh mesh, long number, MemorySegment result) implements SegmentWork {
    @Override
    public void take(Transfer expected, ReceivedRecord arrived, int prefix, int rank) throws IOException {
        if (Combiner.payload(arrived).mismatch(result.asSlice(expected.offset(), expected.length())) != -1) {
            throw new StreamBrokenException(
                    mesh.members().get(rank),
                    "the forwarded result of number " + number + " differs from the one held here; report this");
        }
    }
}
