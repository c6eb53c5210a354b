package io.hearth.bench;

import com.google.gson.JsonObject;

/**
 * The result of one training.
 *
 * @param codec as the user wrote it
 * @param seed of the split, the weights and the order
 * @param accuracy percentage of the test images that the network classified correctly
 * @param sentRatio bytes that each node sends in an uncompressed ring all-reduce, divided by the bytes that the busiest node sent, headers and tags included
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
