package io.hearth.scheduler.server;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.core.Clock;
import io.hearth.scheduler.machine.Letter;
import java.time.Instant;

/** Writes messages as the original does: JSON with the time of day. */
final class Envelope {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private Envelope() {}

    static String json(Letter letter, Clock clock) {
        long age = Math.max(0, (clock.nanoTime() - letter.nanos()) / NANOS_PER_MILLI);
        var json = new JsonObject();
        json.addProperty("type", letter.kind().text());
        json.addProperty("source", letter.source());
        json.addProperty("target", letter.target());
        json.addProperty("job_id", letter.job());
        json.addProperty(
                "timestamp", Instant.ofEpochMilli(clock.epochMillis() - age).toString());
        json.add("payload", JsonParser.parseString(letter.payload()));
        return json.toString();
    }
}
