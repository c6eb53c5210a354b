package io.hearth.simulation.trainer;

import io.hearth.simulation.plant.ShellRule;
import io.hearth.simulation.setting.WorldSetting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Received chunks of a state that is not in use yet; they outlive one attempt, as in {@code StateStaging}. A state is one number; a
 * chunk is some of its bits, which are also its fingerprint.
 */
final class StateChunks {
    private static final int CHUNKS = 4;
    private static final int CHUNK_BITS = Long.SIZE / CHUNKS;
    private static final long MASK = (1L << CHUNK_BITS) - 1;

    private final WorldSetting setting;
    private final Map<Integer, Long> kept = new TreeMap<>();

    StateChunks(WorldSetting setting) {
        this.setting = setting;
    }

    /** One chunk of a model. */
    static long chunk(long model, int chunk) {
        return (model >>> (chunk * CHUNK_BITS)) & MASK;
    }

    /** The answer of a faulty source: one bit is flipped. */
    static long wrong(long bits, int bit) {
        return bits ^ (1L << (bit % CHUNK_BITS));
    }

    /** Drops chunks that are not part of {@code agreed} and returns those that are neither here nor in {@code own}. */
    List<Integer> missing(long own, long agreed) {
        if (setting.hooks.keeps(ShellRule.CHUNK_SWEEP)) {
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

    /** {@code own} with all received chunks applied. */
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
