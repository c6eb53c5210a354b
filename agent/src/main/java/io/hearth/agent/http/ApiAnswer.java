package io.hearth.agent.http;

import com.google.gson.JsonObject;
import io.hearth.core.Bytes;
import java.nio.charset.StandardCharsets;

/** An answer to a request. */
public sealed interface ApiAnswer {
    /** The type of JSON. */
    String JSON = "application/json";

    /** An answer that is known as a whole. */
    record Whole(int status, String type, Bytes body) implements ApiAnswer {}

    /** Lines of JSON, one whenever there is news, until the client hangs up. */
    record Feed(Source source) implements ApiAnswer {}

    /** Waits for the next line of a feed. One thread calls it, and is interrupted when the client hangs up. */
    interface Source {
        JsonObject next() throws InterruptedException;
    }

    static Whole json(JsonObject body) {
        return json(200, body);
    }

    static Whole json(int status, JsonObject body) {
        return new Whole(status, JSON, Bytes.of((body + "\n").getBytes(StandardCharsets.UTF_8)));
    }

    static Whole text(String type, String body) {
        return new Whole(200, type + "; charset=utf-8", Bytes.of(body.getBytes(StandardCharsets.UTF_8)));
    }

    /** An error, with its reason under {@code error}. */
    static Whole error(int status, String why) {
        var json = new JsonObject();
        json.addProperty("error", why);
        return json(status, json);
    }
}
