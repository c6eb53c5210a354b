package io.hearth.accel;

/** The two 16-bit float formats, as their bits in {@code short} and their exact values in {@code float}. */
enum HalfFormat {
    /** IEEE 754 binary16: 5 bits of exponent, 10 of fraction. */
    FLOAT16 {
        @Override
        void widen(short[] bits, float[] values, int n) {
            for (int i = 0; i < n; i++) {
                values[i] = Float.float16ToFloat(bits[i]);
            }
        }

        @Override
        void narrow(float[] values, short[] bits, int n) {
            for (int i = 0; i < n; i++) {
                bits[i] = Float.floatToFloat16(values[i]);
            }
        }
    },

    /** The upper half of a float32: 8 bits of exponent, 7 of fraction. */
    BFLOAT16 {
        @Override
        void widen(short[] bits, float[] values, int n) {
            for (int i = 0; i < n; i++) {
                values[i] = Float.intBitsToFloat(bits[i] << Short.SIZE);
            }
        }

        @Override
        void narrow(float[] values, short[] bits, int n) {
            for (int i = 0; i < n; i++) {
                bits[i] = (short) (roundedToUpperHalf(Float.floatToRawIntBits(values[i])) >>> Short.SIZE);
            }
        }
    };

    static final int ABSOLUTE_MASK = 0x7fff_ffff;
    static final int INFINITY_BITS = 0x7f80_0000;
    static final int QUIET_NAN_BIT = 0x0040_0000;
    static final int JUST_BELOW_HALF = 0x7fff;

    /** Exact. */
    abstract void widen(short[] bits, float[] values, int n);

    /** Round to nearest, ties to even; beyond the largest finite value to infinity; NaN stays NaN. */
    abstract void narrow(float[] values, short[] bits, int n);

    /** Float32 bits whose upper half is the nearest bfloat16, ties to even; the lower half means nothing. */
    private static int roundedToUpperHalf(int bits) {
        // Adding could carry a NaN into infinity; making it quiet keeps it a NaN.
        return (bits & ABSOLUTE_MASK) > INFINITY_BITS
                ? bits | QUIET_NAN_BIT
                : bits + JUST_BELOW_HALF + ((bits >>> Short.SIZE) & 1);
    }
}
