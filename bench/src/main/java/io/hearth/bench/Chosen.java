package io.hearth.bench;

import com.google.gson.JsonObject;
import io.hearth.collective.CompressionChoice;
import java.util.List;
import java.util.Optional;

/**
 * The final choice of {@code auto} compression.
 *
 * @param codec the chosen codec, as text
 * @param gain predicted speed divided by that of plain values
 */
public record Chosen(String codec, double gain) {
    /** The choice for tensors of {@code bytes} bytes; empty if there is none. */
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
