package io.hearth.bench;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.hearth.accel.Engine;
import io.hearth.accel.KernelKind;
import java.util.OptionalDouble;

/**
 * The speed of one engine at one kernel and size.
 *
 * @param bytes of one operand; float32 for kernels of codecs
 * @param gbPerSecond these bytes divided by the time of a call, in 1e9; a sum moves three times that number
 * @param cGbPerSecond the same for a loop in C; empty if there is none
 * @param chosen whether {@code --engine auto} would take this engine for such a call
 */
public record KernelLine(
        Engine engine, KernelKind kernel, int bytes, double gbPerSecond, OptionalDouble cGbPerSecond, boolean chosen) {
    /** One line of JSON. */
    public JsonObject toJson() {
        var json = new JsonObject();
        json.addProperty("engine", engine.label());
        json.addProperty("kernel", kernel.text());
        json.addProperty("bytes", bytes);
        json.addProperty("GBps", rounded(gbPerSecond));
        if (cGbPerSecond.isPresent()) {
            json.addProperty("c_GBps", rounded(cGbPerSecond.getAsDouble()));
        } else {
            json.add("c_GBps", JsonNull.INSTANCE);
        }
        json.addProperty("chosen", chosen);
        return json;
    }

    private static double rounded(double value) {
        return Math.round(value * 1e3) / 1e3;
    }
}
