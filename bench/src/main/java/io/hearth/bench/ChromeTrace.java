package io.hearth.bench;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.hearth.collective.CollectiveTrace.Collective;
import io.hearth.collective.CollectiveTrace.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A trace for {@code chrome://tracing} and Perfetto, in the JSON object form of the Trace Event Format: a process for each rank,
 * in it a thread for calls, one for sending and one for receiving, and a complete event ({@code "ph": "X"}) for each span.
 *
 * <p>Times are microseconds of {@link System#nanoTime}: ranks of one machine share that clock, so their spans stand side by side.
 */
public final class ChromeTrace {
    private static final String EVENTS = "traceEvents";
    private static final double NANOS_PER_MICRO = 1e3;

    private enum Row {
        CALLS(0),
        SENDS(1),
        RECEIVES(2);

        private final int thread;

        Row(int thread) {
            this.thread = thread;
        }
    }

    private final JsonArray events = new JsonArray();

    private void process(int rank) {
        events.add(metadata(rank, Row.CALLS, "process_name", "rank " + rank));
        for (Row row : Row.values()) {
            events.add(metadata(rank, row, "thread_name", row.name().toLowerCase(Locale.ROOT)));
        }
    }

    /** The trace of one rank, nothing in it yet. */
    static ChromeTrace ofRank(int rank) {
        var trace = new ChromeTrace();
        trace.process(rank);
        return trace;
    }

    /**
     * What the ranks' files hold, in one.
     *
     * @throws IOException a file cannot be read or is no trace; says which
     */
    static ChromeTrace merged(List<Path> files) throws IOException {
        var whole = new ChromeTrace();
        for (Path file : files) {
            try {
                JsonObject part = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
                for (JsonElement event : part.getAsJsonArray(EVENTS)) {
                    whole.events.add(event);
                }
            } catch (JsonParseException | IllegalStateException | NullPointerException broken) {
                throw new IOException(file + " is no trace: run the measurement again", broken);
            }
        }
        return whole;
    }

    /** One collective with all its spans. */
    void add(int rank, Collective collective, List<SpanRecorder.Span> spans, long dropped) {
        var facts = new JsonObject();
        facts.addProperty("number", collective.number());
        facts.addProperty("bytes", collective.bytes());
        facts.addProperty("world", collective.world());
        facts.addProperty("algorithm", collective.algorithm());
        for (Phase phase : Phase.values()) {
            facts.addProperty(
                    phase.name().toLowerCase(Locale.ROOT) + "_us",
                    collective.phaseNanos().getOrDefault(phase, 0L) / NANOS_PER_MICRO);
        }
        if (dropped > 0) {
            facts.addProperty("spans_left_out", dropped);
        }
        String name = collective.kind().name().toLowerCase(Locale.ROOT) + " " + collective.bytes() + " bytes";
        events.add(
                complete(rank, Row.CALLS, "collective", name, collective.sinceNanos(), collective.untilNanos(), facts));
        for (SpanRecorder.Span span : spans) {
            var segment = new JsonObject();
            if (span.rank() >= 0) {
                segment.addProperty("peer", span.rank());
                segment.addProperty("bytes", span.bytes());
            }
            events.add(complete(
                    rank, row(span), "segment", name(span.phase()), span.sinceNanos(), span.untilNanos(), segment));
        }
    }

    /** Writes the whole, in the place of what was there. */
    void write(Path file) throws IOException {
        var whole = new JsonObject();
        whole.addProperty("displayTimeUnit", "ms");
        whole.add(EVENTS, events);
        Files.writeString(file, whole + "\n");
    }

    private static Row row(SpanRecorder.Span span) {
        return switch (span.phase()) {
            case WAIT, SEND -> Row.SENDS;
            case ENCODE, DECODE -> span.byCaller() ? Row.SENDS : Row.RECEIVES;
            case RECEIVE, COMBINE -> Row.RECEIVES;
            case COPY -> span.rank() < 0 ? Row.CALLS : Row.RECEIVES;
        };
    }

    private static String name(Phase phase) {
        return phase == Phase.RECEIVE ? "receive+open" : phase.name().toLowerCase(Locale.ROOT);
    }

    private static JsonObject complete(
            int rank, Row row, String category, String name, long sinceNanos, long untilNanos, JsonObject facts) {
        JsonObject event = event(rank, row, "X", name);
        event.addProperty("cat", category);
        event.addProperty("ts", sinceNanos / NANOS_PER_MICRO);
        event.addProperty("dur", (untilNanos - sinceNanos) / NANOS_PER_MICRO);
        event.add("args", facts);
        return event;
    }

    private static JsonObject metadata(int rank, Row row, String what, String name) {
        JsonObject event = event(rank, row, "M", what);
        var facts = new JsonObject();
        facts.addProperty("name", name);
        event.add("args", facts);
        return event;
    }

    private static JsonObject event(int rank, Row row, String phase, String name) {
        var event = new JsonObject();
        event.addProperty("name", name);
        event.addProperty("ph", phase);
        event.addProperty("pid", rank);
        event.addProperty("tid", row.thread);
        return event;
    }
}
