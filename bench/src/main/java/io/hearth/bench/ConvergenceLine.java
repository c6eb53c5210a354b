package io.hearth.bench;

import com.google.gson.JsonObject;

/**
 * What came of one training.
 *
 * @param codec as it was asked for
 * @param seed of the split, the weights and the order
 * @param accuracy percent of the test images that were put into their own class
 * @param uploadedRatio uncompressed bytes of a gradient over the bytes of one node's encodings of it, over the whole run
 * @param busiestLinkRatio bytes of an uncompressed ring all-reduce through one node's port over those through the busiest one
 */
public record ConvergenceLine(String codec, long seed, double accuracy, double uploadedRatio, double busiestLinkRatio) {
    /** One line of JSON. */
    public JsonObject toJson() {
        var json = new JsonObject();
        json.addProperty("codec", codec);
        json.addProperty("seed", seed);
        json.add("accuracy", Rounded.json(accuracy));
        json.add("uploaded_ratio", Rounded.json(uploadedRatio));
        json.add("busiest_link_ratio", Rounded.json(busiestLinkRatio));
        return json;
    }
}
