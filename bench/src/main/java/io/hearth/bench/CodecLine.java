package io.hearth.bench;

import com.google.gson.JsonObject;

/**
 * What is known of a codec in sums of so many contributors.
 *
 * @param codec with its settings, as it is chosen
 * @param nodes contributors of the sum
 * @param relativeL2 norm of the sum's error over its own norm
 * @param bias mean error over mean magnitude
 * @param ratio bytes of float32 over bytes that the contributors encode them to
 * @param encodeGbPerSecond GB of float32 taken in per second, on one core
 * @param decodeGbPerSecond GB of float32 decoded and added per second, on one core
 */
public record CodecLine(
        String codec,
        int nodes,
        Distribution distribution,
        double relativeL2,
        double bias,
        double ratio,
        double encodeGbPerSecond,
        double decodeGbPerSecond) {
    private static final double DIGITS_OF_SPEED = 1e2;

    /** One line of JSON. */
    public JsonObject toJson() {
        var json = new JsonObject();
        json.addProperty("codec", codec);
        json.addProperty("nodes", nodes);
        json.addProperty("distribution", distribution.text());
        json.addProperty("relative_l2", relativeL2);
        json.addProperty("bias", bias);
        json.addProperty("ratio", ratio);
        json.addProperty("encode_GBps", rounded(encodeGbPerSecond));
        json.addProperty("decode_GBps", rounded(decodeGbPerSecond));
        return json;
    }

    private static double rounded(double speed) {
        return Math.round(speed * DIGITS_OF_SPEED) / DIGITS_OF_SPEED;
    }
}
