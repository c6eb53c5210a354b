package io.hearth.bench;

import com.google.gson.JsonObject;

/**
 * The results of a codec for one distribution and number of contributors.
 *
 * @param codec the codec with its settings, as text
 * @param nodes number of contributors
 * @param relativeL2 norm of the error of the sum divided by the norm of the sum
 * @param bias mean error divided by mean magnitude
 * @param ratio bytes of the float32 values divided by bytes of their encodings
 * @param encodeGbPerSecond GB of float32 values encoded per second, on one core
 * @param decodeGbPerSecond GB of float32 values decoded and added per second, on one core
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
