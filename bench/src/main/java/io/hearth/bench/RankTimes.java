package io.hearth.bench;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.List;

/**
 * What one rank measured for one size: the line that {@code bench rank} prints, in the protocol of {@code lab/peers}.
 *
 * @param rank who measured
 * @param bytes of the vector
 * @param ok whether every sum was right
 * @param cpuSeconds processor time of the rank's process during the timed iterations
 * @param algorithm the schedules that a call played
 * @param seconds each iteration's wall time
 */
public record RankTimes(int rank, long bytes, boolean ok, double cpuSeconds, String algorithm, List<Double> seconds) {
    public RankTimes {
        seconds = List.copyOf(seconds);
    }

    /** One line of JSON. */
    public JsonObject toJson() {
        var times = new JsonArray();
        seconds.forEach(times::add);
        var json = new JsonObject();
        json.addProperty("rank", rank);
        json.addProperty("bytes", bytes);
        json.addProperty("ok", ok);
        json.addProperty("cpu", cpuSeconds);
        json.addProperty("algorithm", algorithm);
        json.add("times", times);
        return json;
    }

    /**
     * Reads such a line.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static RankTimes parse(String line) {
        try {
            JsonObject json = JsonParser.parseString(line).getAsJsonObject();
            var seconds = new ArrayList<Double>();
            for (JsonElement time : json.getAsJsonArray("times")) {
                seconds.add(time.getAsDouble());
            }
            return new RankTimes(
                    json.get("rank").getAsInt(),
                    json.get("bytes").getAsLong(),
                    json.get("ok").getAsBoolean(),
                    json.get("cpu").getAsDouble(),
                    json.get("algorithm").getAsString(),
                    seconds);
        } catch (JsonParseException | IllegalStateException | NullPointerException | NumberFormatException broken) {
            throw new IllegalArgumentException("not a rank's line of times: " + line, broken);
        }
    }
}
