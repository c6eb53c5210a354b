package io.hearth.compression.block;

/** The values that block-wise codecs must give back, computed in the plainest way. */
final class LevelOracle {
    private interface Rounder {
        double level(float quotient, int block, int place);
    }

    private LevelOracle() {}

    static float[] nearest(float[] values, int levelMax, int block) {
        return decoded(values, levelMax, block, (quotient, number, place) -> Math.rint(quotient));
    }

    static float[] stochastic(float[] values, int levelMax, int block, long seed) {
        return decoded(
                values, levelMax, block, (quotient, number, place) -> Math.rint(quotient + draw(seed, number, place)));
    }

    private static float[] decoded(float[] values, int levelMax, int block, Rounder rounder) {
        float[] decoded = new float[values.length];
        for (int start = 0; start < values.length; start += block) {
            int end = Math.min(start + block, values.length);
            float largest = 0;
            for (int i = start; i < end; i++) {
                largest = Math.max(largest, Math.abs(values[i]));
            }
            float scale = largest / levelMax;
            scale = levelMax * scale < largest ? Math.nextUp(scale) : scale;
            while (Float.isInfinite(levelMax * scale)) {
                scale = Math.nextDown(scale);
            }
            for (int i = start; i < end && scale > 0; i++) {
                double level = rounder.level(values[i] / scale, start / block, i - start);
                decoded[i] = ((int) Math.clamp(level, -levelMax, levelMax)) * scale;
            }
        }
        return decoded;
    }

    /** SplitMix64 of seed and block, then MurmurHash3 per place; 15 bits of it are an odd multiple of 2^-16 between -1/2 and 1/2. */
    private static float draw(long seed, int block, int place) {
        long z = seed + (block + 1) * 0x9e37_79b9_7f4a_7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
        int h = ((int) (z >>> 32)) + place * 0x9e37_79b9;
        h = (h ^ (h >>> 16)) * 0x85eb_ca6b;
        h = (h ^ (h >>> 13)) * 0xc2b2_ae35;
        return (2 * ((h >>> 8) & 0x7fff) + 1) / 65_536f - 0.5f;
    }
}
