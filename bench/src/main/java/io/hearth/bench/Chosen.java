package io.hearth.bench;

import com.google.gson.JsonObject;
import io.hearth.collective.CompressionChoice;
import java.util.List;
import java.util.Optional;

/**
 * What {@code auto} compression held for best in the end.
 *
 * @param codec its text
 * @param gain how many times as fast as plain values it was predicted to be
 */
public record Chosen(String codec, double gain) {
    /** For tensors of so many bytes; empty where nothing was chosen. */
    static Optional<Chosen> of(List<CompressionChoice> choices, long bytes) {
        return choices.stream()
                .filter(choice -> choice.bytes() == bytes)
                .map(choice -> new Chosen(choice.chosen(), choice.gain()))
                .findFirst();
    }

    JsonObject toJson() {
        var json = new JsonObject();
        json.addProperty("codec", codec);
        json.addProperty("gain", gain);
        return json;
    }

    static Chosen parse(JsonObject json) {
        return new Chosen(json.get("codec").getAsString(), json.get("gain").getAsDouble());
    }
}
