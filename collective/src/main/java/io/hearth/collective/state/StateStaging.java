package io.hearth.collective.state;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Chunks that arrived and are not in the buffers yet. They outlive a broken attempt. So the next attempt, in another group epoch or
 * at a later step, requests only the missing chunks. Each chunk has a piece of native memory. Other threads may fill a piece that
 * they got; all else is for one thread.
 */
final class StateStaging implements AutoCloseable {
    private record Kept(long fingerprint, MemorySegment piece) {}

    private final int chunkBytes;
    private final Map<Integer, Kept> kept = new TreeMap<>();
    private final Deque<MemorySegment> spare = new ArrayDeque<>();
    private @Nullable Arena arena;

    StateStaging(int chunkBytes) {
        this.chunkBytes = chunkBytes;
    }

    /** Frees kept chunks that are not part of the state. Returns the chunks of {@code wanted} that are missing, in order. */
    List<Integer> missing(StateManifest manifest, List<Integer> wanted) {
        var missing = new ArrayList<Integer>();
        var useful = new TreeMap<Integer, Kept>();
        for (int chunk : wanted) {
            Kept here = kept.get(chunk);
            if (here != null && here.fingerprint() == manifest.fingerprint(chunk)) {
                useful.put(chunk, here);
            } else {
                missing.add(chunk);
            }
        }
        kept.forEach((chunk, here) -> {
            if (!useful.containsKey(chunk)) {
                spare.add(here.piece());
            }
        });
        kept.clear();
        kept.putAll(useful);
        return missing;
    }

    /** A piece to fill, with undefined content; {@link #put} or {@link #giveBack} takes it back. */
    MemorySegment take() {
        MemorySegment piece = spare.poll();
        if (piece != null) {
            return piece;
        }
        if (arena == null) {
            arena = Arena.ofShared();
        }
        return arena.allocate(chunkBytes, Long.BYTES);
    }

    /** Keeps a chunk whose bytes have that fingerprint. */
    void put(int chunk, long fingerprint, MemorySegment piece) {
        kept.put(chunk, new Kept(fingerprint, piece));
    }

    /** Takes back a piece that no thread fills any more. */
    void giveBack(MemorySegment piece) {
        spare.add(piece);
    }

    /** The piece of a kept chunk; it may be longer than the chunk. */
    MemorySegment bytes(int chunk) {
        Kept here = kept.get(chunk);
        if (here == null) {
            throw new IllegalArgumentException("chunk " + chunk + " has not arrived");
        }
        return here.piece();
    }

    /** Frees all memory; this object stays usable. */
    @Override
    public void close() {
        kept.clear();
        spare.clear();
        if (arena != null) {
            arena.close();
            arena = null;
        }
    }
}
