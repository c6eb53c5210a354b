package io.hearth.bench;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;

/** Figures as they are printed. */
final class Rounded {
    private Rounded() {}

    /** With at most four places, for JSON; null for what is no number. */
    static JsonElement json(double value) {
        return Double.isFinite(value) ? new JsonPrimitive(Math.round(value * 1e4) / 1e4) : JsonNull.INSTANCE;
    }
}
