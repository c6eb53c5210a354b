package io.hearth.accel;

/** Computes one value at a time by the definitions; all codec kernels are judged by it. */
final class LevelOracle {
    private final BlockFormat format;
    private final float[] scales;
    private final int[] levels;

    private LevelOracle(BlockFormat format, float[] scales, int[] levels) {
        this.format = format;
        this.scales = scales;
        this.levels = levels;
    }

    static LevelOracle of(BlockFormat format, Rounding rounding, long firstBlock, float[] values) {
        int block = format.block();
        float[] scales = new float[Math.ceilDiv(values.length, block)];
        int[] levels = new int[values.length];
        for (int start = 0; start < values.length; start += block) {
            int end = Math.min(start + block, values.length);
            float largest = 0;
            for (int i = start; i < end; i++) {
                largest = Math.max(largest, Math.abs(values[i]));
            }
            float scale = largest / format.levelMax();
            if (scale * format.levelMax() < largest) {
                scale = Math.nextUp(scale);
            }
            while (Float.isInfinite(scale * format.levelMax())) {
                scale = Math.nextDown(scale);
            }
            scales[start / block] = scale;
            int blockSeed = rounding.blockSeed(firstBlock + start / block);
            for (int i = start; i < end && scale > 0; i++) {
                float quotient = values[i] / scale;
                double level = Math.rint(quotient + (rounding.stochastic() ? Rounding.draw(blockSeed, i - start) : 0));
                levels[i] = (int) Math.clamp(level, -format.levelMax(), format.levelMax());
            }
        }
        return new LevelOracle(format, scales, levels);
    }

    float scale(int i) {
        return scales[i / format.block()];
    }

    int level(int i) {
        return levels[i];
    }

    float decoded(int i) {
        return level(i) * scale(i);
    }

    /** Reads the level of value {@code i} from {@code body}. */
    int level(byte[] body, int i) {
        int start = i / format.block() * format.block();
        int n = Math.min(format.block(), levels.length - start);
        int at = (int) format.bytes(start) + Float.BYTES;
        if (format.bits() == Byte.SIZE) {
            return body[at + i - start];
        }
        int half = (n + 1) / 2;
        int nibble = i - start < half ? body[at + i - start] & 15 : (body[at + i - start - half] & 0xff) >> 4;
        return nibble < 8 ? nibble : nibble - 16;
    }
}
