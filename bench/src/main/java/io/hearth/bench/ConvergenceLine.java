package io.hearth.bench;

import com.google.gson.JsonObject;

/**
 * What came of one training.
 *
 * @param codec as it was asked for
 * @param seed of the split, the weights and the order
 * @param accuracy percent of the test images that were put into their own class
 * @param sentRatio bytes that an uncompressed ring all-reduce sends from each node, over those that the busiest node sent, heads and tags
 *     included
 */
public record ConvergenceLine(String codec, long seed, double accuracy, double sentRatio) {
    /** One line of JSON. */
    public JsonObject toJson() {
        var json = new JsonObject();
        json.addProperty("codec", codec);
        json.addProperty("seed", seed);
        json.add("accuracy", Rounded.json(accuracy));
        json.add("sent_ratio", Rounded.json(sentRatio));
        return json;
    }
}
