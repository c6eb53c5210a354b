package io.hearth.bench;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The results of one rank for one size: the line that {@code bench rank} prints. It has the fields of the protocol of {@code lab/peers} and some others.
 *
 * @param rank number of the rank
 * @param bytes of the vector
 * @param ok whether every sum was right
 * @param cpuSeconds processor time of the rank's process during the timed iterations
 * @param algorithm the schedules that a call used
 * @param chosen the choice of {@code auto} compression
 * @param transports the transport to each other rank with a stream: {@code shm}, {@code tcp} or {@code mixed}
 * @param memory peak during the timed iterations
 * @param cold wall times of the first calls of this size, before its warm-up
 * @param seconds wall time of each iteration
 */
public record RankTimes(
        int rank,
        long bytes,
        boolean ok,
        double cpuSeconds,
        String algorithm,
        Optional<Chosen> chosen,
        SortedMap<Integer, String> transports,
        RankMemory memory,
        List<Double> cold,
        List<Double> seconds) {
    public RankTimes {
        transports = Collections.unmodifiableSortedMap(new TreeMap<>(transports));
        cold = List.copyOf(cold);
        seconds = List.copyOf(seconds);
    }

    /** One line of JSON. */
    public JsonObject toJson() {
        var ways = new JsonObject();
        transports.forEach((other, way) -> ways.addProperty("" + other, way));
        var json = new JsonObject();
        json.addProperty("rank", rank);
        json.addProperty("bytes", bytes);
        json.addProperty("ok", ok);
        json.addProperty("cpu", cpuSeconds);
        json.addProperty("algorithm", algorithm);
        chosen.ifPresent(what -> json.add("chosen", what.toJson()));
        json.add("transports", ways);
        json.addProperty("extra_bytes", memory.nativeBytes());
        json.addProperty("heap_bytes", memory.heapBytes());
        json.add("cold", array(cold));
        json.add("times", array(seconds));
        return json;
    }

    private static JsonArray array(List<Double> seconds) {
        var times = new JsonArray();
        seconds.forEach(times::add);
        return times;
    }

    private static List<Double> seconds(JsonArray array) {
        var seconds = new ArrayList<Double>();
        for (JsonElement time : array) {
            seconds.add(time.getAsDouble());
        }
        return seconds;
    }

    /**
     * Reads such a line.
     *
     * @throws IllegalArgumentException the line is not such a line
     */
    public static RankTimes parse(String line) {
        try {
            JsonObject json = JsonParser.parseString(line).getAsJsonObject();
            var transports = new TreeMap<Integer, String>();
            json.getAsJsonObject("transports")
                    .asMap()
                    .forEach((other, way) -> transports.put(Integer.valueOf(other), way.getAsString()));
            return new RankTimes(
                    json.get("rank").getAsInt(),
                    json.get("bytes").getAsLong(),
                    json.get("ok").getAsBoolean(),
                    json.get("cpu").getAsDouble(),
                    json.get("algorithm").getAsString(),
                    Optional.ofNullable(json.getAsJsonObject("chosen")).map(Chosen::parse),
                    transports,
                    new RankMemory(
                            json.get("extra_bytes").getAsLong(),
                            json.get("heap_bytes").getAsLong()),
                    seconds(json.getAsJsonArray("cold")),
                    seconds(json.getAsJsonArray("times")));
        } catch (JsonParseException | IllegalStateException | NullPointerException | NumberFormatException broken) {
            throw new IllegalArgumentException("not a rank's line of times: " + line, broken);
        }
    }
}
