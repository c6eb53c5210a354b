package io.hearth.bench;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;

/** Numbers as results print them. */
final class Rounded {
    private Rounded() {}

    /** The value with at most four decimal places, for JSON; null if it is not finite. */
    static JsonElement json(double value) {
        return Double.isFinite(value) ? new JsonPrimitive(Math.round(value * 1e4) / 1e4) : JsonNull.INSTANCE;
    }
}
