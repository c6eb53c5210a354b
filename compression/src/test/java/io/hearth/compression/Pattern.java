package io.hearth.compression;

import java.util.SplittableRandom;

/** Test values that reveal mistakes of codecs. */
public enum Pattern {
    ZERO {
        @Override
        float value(SplittableRandom random, int i) {
            return i % 2 == 0 ? 0f : -0f;
        }
    },
    ALL_EQUAL {
        @Override
        float value(SplittableRandom random, int i) {
            return -3.7f;
        }
    },
    NORMAL {
        @Override
        float value(SplittableRandom random, int i) {
            return (float) random.nextGaussian();
        }
    },
    SUBNORMAL {
        @Override
        float value(SplittableRandom random, int i) {
            return Float.intBitsToFloat(random.nextInt(400) | random.nextInt(2) << 31);
        }
    },
    LARGEST {
        @Override
        float value(SplittableRandom random, int i) {
            return random.nextInt(5) == 0 ? -Float.MAX_VALUE : Float.MAX_VALUE;
        }
    },
    FEW_LEVELS {
        @Override
        float value(SplittableRandom random, int i) {
            return random.nextInt(-2, 3) * 0.5f;
        }
    },
    ANY_FINITE_BITS {
        @Override
        float value(SplittableRandom random, int i) {
            float value = Float.intBitsToFloat(random.nextInt());
            return Float.isFinite(value) ? value : 1f;
        }
    };

    abstract float value(SplittableRandom random, int i);

    public final float[] values(int length) {
        var random = new SplittableRandom(length);
        float[] values = new float[length];
        for (int i = 0; i < length; i++) {
            values[i] = value(random, i);
        }
        return values;
    }
}
