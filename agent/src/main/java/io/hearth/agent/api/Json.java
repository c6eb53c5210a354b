package io.hearth.agent.api;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.hearth.core.MalformedMessageException;
import java.util.Optional;

/** JSON lines of the local API: parsed into trees, no object mapping. */
final class Json {
    private Json() {}

    static JsonObject object(String line) throws MalformedMessageException {
        try {
            JsonElement element = JsonParser.parseString(line);
            if (element.isJsonObject()) {
                return element.getAsJsonObject();
            }
            throw new MalformedMessageException("expected a JSON object in one line");
        } catch (JsonParseException broken) {
            throw new MalformedMessageException("not a line of JSON: " + broken.getMessage(), broken);
        }
    }

    /** The text under {@code key}, if {@code line} is an object that has one. */
    static Optional<String> text(String line, String key) {
        try {
            JsonElement value = object(line).get(key);
            return value != null && value.isJsonPrimitive() ? Optional.of(value.getAsString()) : Optional.empty();
        } catch (MalformedMessageException broken) {
            return Optional.empty();
        }
    }
}
