package io.hearth.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Chunks of a state that arrived and are not in use yet, as {@code StateStaging} keeps them beyond one attempt. A state is one
 * number, a chunk some of its bits and its own fingerprint.
 */
final class Staging {
    private static final int CHUNKS = 4;
    private static final int CHUNK_BITS = Long.SIZE / CHUNKS;
    private static final long MASK = (1L << CHUNK_BITS) - 1;

    private final World world;
    private final Map<Integer, Long> kept = new TreeMap<>();

    Staging(World world) {
        this.world = world;
    }

    /** One chunk of a model. */
    static long chunk(long model, int chunk) {
        return (model >>> (chunk * CHUNK_BITS)) & MASK;
    }

    /** The answer of a source that has gone wrong: one bit is another. */
    static long wrong(long bits, int bit) {
        return bits ^ (1L << (bit % CHUNK_BITS));
    }

    /** Gives up what is not part of {@code agreed}; the chunks that are neither here nor in {@code own}. */
    List<Integer> missing(long own, long agreed) {
        if (world.hooks.sweepsLeftovers()) {
            kept.entrySet().removeIf(here -> here.getValue() != chunk(agreed, here.getKey()));
        }
        var missing = new ArrayList<Integer>();
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            if (chunk(own, chunk) != chunk(agreed, chunk) && !kept.containsKey(chunk)) {
                missing.add(chunk);
            }
        }
        return missing;
    }

    void put(int chunk, long bits) {
        kept.put(chunk, bits);
    }

    /** What {@code own} becomes with all that arrived. */
    long applied(long own) {
        long model = own;
        for (Map.Entry<Integer, Long> here : kept.entrySet()) {
            int shift = here.getKey() * CHUNK_BITS;
            model = (model & ~(MASK << shift)) | (here.getValue() << shift);
        }
        return model;
    }

    void clear() {
        kept.clear();
    }
}
