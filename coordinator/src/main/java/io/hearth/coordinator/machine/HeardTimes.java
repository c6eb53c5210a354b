package io.hearth.coordinator.machine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** When the worker of each rank was heard, immutable. A change copies two short arrays, so that a heartbeat costs little. */
public final class HeardTimes {
    /** Nobody was heard. */
    public static final HeardTimes NONE = new HeardTimes(List.of());

    private static final int CHUNK = 128;

    private final List<long[]> chunks; // none is changed once it is here

    private HeardTimes(List<long[]> chunks) {
        this.chunks = chunks;
    }

    /** The instant of a rank that was heard, in nanoseconds. */
    public long nanos(int rank) {
        return chunks.get(rank / CHUNK)[rank % CHUNK];
    }

    /** With a rank that is heard. */
    HeardTimes with(int rank, long nanos) {
        var copy = new ArrayList<>(chunks);
        while (copy.size() <= rank / CHUNK) {
            copy.add(new long[CHUNK]);
        }
        long[] chunk = copy.get(rank / CHUNK).clone();
        chunk[rank % CHUNK] = nanos;
        copy.set(rank / CHUNK, chunk);
        return new HeardTimes(Collections.unmodifiableList(copy));
    }

    /** All ranks from 0 to before {@code ranks} are heard at once. */
    static HeardTimes all(int ranks, long nanos) {
        var all = new ArrayList<long[]>();
        while (all.size() * CHUNK < ranks) {
            var chunk = new long[CHUNK];
            Arrays.fill(chunk, nanos);
            all.add(chunk);
        }
        return new HeardTimes(Collections.unmodifiableList(all));
    }
}
