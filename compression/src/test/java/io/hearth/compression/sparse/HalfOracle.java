package io.hearth.compression.sparse;

/** The values of one encoding with 16 bits each, computed in double by the definition. */
final class HalfOracle {
    private static final int BITS_AFTER_FIRST = 10;
    private static final int NORMAL_MIN = -14;

    private HalfOracle() {}

    /** The largest lies in [2^14, 2^15) units; each is rounded to the nearest of 11 significant bits, ties to even. */
    static float[] kept(float[] values) {
        double largest = 0;
        for (float value : values) {
            largest = Math.max(largest, Math.abs(value));
        }
        int exponent = largest == 0 ? -125 : Math.max(-125, Math.getExponent(largest) - 14);
        float[] kept = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            double units = Math.scalb((double) values[i], -exponent);
            double step = Math.scalb(1.0, Math.max(NORMAL_MIN, Math.getExponent(units)) - BITS_AFTER_FIRST);
            float rounded = (float) Math.scalb(Math.rint(units / step) * step, exponent);
            boolean up = Float.isInfinite(rounded);
            kept[i] = (up ? (float) Math.scalb(Math.copySign(0x1p15 - 0x1p4, units), exponent) : rounded) + 0f;
        }
        return kept;
    }
}
