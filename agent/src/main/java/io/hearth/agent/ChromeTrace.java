package io.hearth.agent;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.hearth.collective.CollectiveTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Records the spans of collectives, and writes them for {@code chrome://tracing} and Perfetto, in the JSON object form of the Trace Event
 * Format: a process for each rank, in it a thread for calls, one for sending and one for receiving, and a complete event ({@code "ph":
 * "X"}) for each span.
 *
 * <pre>{@code
 * var trace = new ChromeTrace(cluster.rank());
 * hearth.trace(trace);
 * cluster.allReduce(gradients, ReduceOp.AVG);
 * hearth.trace(CollectiveTrace.NONE);
 * trace.write(Path.of("sum.json"));
 * }</pre>
 *
 * <p>Times are microseconds of {@link System#nanoTime}: ranks of one machine share that clock, so their spans are comparable.
 */
public final class ChromeTrace implements CollectiveTrace {
    /** Default number of spans and calls to keep; later ones are only counted. */
    public static final int SPANS_MAX = 200_000;

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

    /** One phase of one segment; arguments as in {@link CollectiveTrace#segment}. */
    private record Span(Phase phase, int rank, long bytes, long sinceNanos, long untilNanos, long thread) {}

    /** @param dropped spans since the previous call that were not kept */
    private record Call(Collective collective, long dropped) {}

    private final int rank;
    private final int spansMax;
    private final List<Span> spans = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final Set<Long> callers = new HashSet<>(); // threads that call collectives; they also send
    private long dropped;
    private Optional<Collective> last = Optional.empty();

    /** A trace of a rank with up to {@link #SPANS_MAX} spans. */
    public ChromeTrace(int rank) {
        this(rank, SPANS_MAX);
    }

    /**
     * An empty trace.
     *
     * @param rank names the process in the file, and distinguishes it from others in a merged file
     * @param spansMax positive; kept in memory, some 100 bytes each
     */
    public ChromeTrace(int rank, int spansMax) {
        if (spansMax < 1) {
            throw new IllegalArgumentException("spansMax must be positive, got " + spansMax);
        }
        this.rank = rank;
        this.spansMax = spansMax;
    }

    @Override
    public synchronized void segment(long number, Phase phase, int peer, long bytes, long sinceNanos, long untilNanos) {
        if (spans.size() + calls.size() < spansMax) {
            spans.add(new Span(
                    phase,
                    peer,
                    bytes,
                    sinceNanos,
                    untilNanos,
                    Thread.currentThread().threadId()));
        } else {
            dropped++;
        }
    }

    @Override
    public synchronized void ended(Collective collective) {
        last = Optional.of(collective);
        callers.add(Thread.currentThread().threadId());
        if (spans.size() + calls.size() < spansMax) {
            calls.add(new Call(collective, dropped));
            dropped = 0;
        } else {
            dropped++;
        }
    }

    /** The collective that ended last, recorded or not. */
    public synchronized Optional<Collective> last() {
        return last;
    }

    /**
     * Writes the trace, and replaces a former file.
     *
     * @throws IOException the file cannot be written
     */
    public synchronized void write(Path file) throws IOException {
        var events = new JsonArray();
        events.add(metadata(Row.CALLS, "process_name", "rank " + rank));
        for (Row row : Row.values()) {
            events.add(metadata(row, "thread_name", row.name().toLowerCase(Locale.ROOT)));
        }
        calls.forEach(call -> events.add(event(call)));
        spans.forEach(span -> events.add(event(span)));
        write(events, dropped, file);
    }

    /**
     * Merges the files of several ranks into one.
     *
     * @throws IOException if a file cannot be read or is no trace, or {@code whole} cannot be written; the text names the file
     */
    public static void merge(List<Path> files, Path whole) throws IOException {
        var events = new JsonArray();
        for (Path file : files) {
            try {
                JsonObject part = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
                for (JsonElement event : part.getAsJsonArray(EVENTS)) {
                    events.add(event);
                }
            } catch (JsonParseException | IllegalStateException | NullPointerException broken) {
                throw new IOException(file + " is no trace: run the measurement again", broken);
            }
        }
        write(events, 0, whole);
    }

    private static void write(JsonArray events, long left, Path file) throws IOException {
        var whole = new JsonObject();
        whole.addProperty("displayTimeUnit", "ms");
        if (left > 0) {
            var facts = new JsonObject();
            facts.addProperty("spans_left_out_at_the_end", left);
            whole.add("otherData", facts);
        }
        whole.add(EVENTS, events);
        Files.writeString(file, whole + "\n");
    }

    private JsonObject event(Call call) {
        Collective collective = call.collective();
        var facts = new JsonObject();
        facts.addProperty("number", collective.number());
        facts.addProperty("bytes", collective.bytes());
        facts.addProperty("world", collective.world());
        facts.addProperty("algorithm", collective.algorithm());
        for (Phase phase : Phase.values()) {
            facts.addProperty(name(phase) + "_us", collective.phaseNanos().getOrDefault(phase, 0L) / NANOS_PER_MICRO);
        }
        if (call.dropped() > 0) {
            facts.addProperty("spans_left_out", call.dropped());
        }
        String name = collective.kind().name().toLowerCase(Locale.ROOT) + " " + collective.bytes() + " bytes";
        return complete(Row.CALLS, "collective", name, collective.sinceNanos(), collective.untilNanos(), facts);
    }

    private JsonObject event(Span span) {
        var segment = new JsonObject();
        if (span.rank() >= 0) {
            segment.addProperty("peer", span.rank());
            segment.addProperty("bytes", span.bytes());
        }
        return complete(row(span), "segment", name(span.phase()), span.sinceNanos(), span.untilNanos(), segment);
    }

    private Row row(Span span) {
        return switch (span.phase()) {
            case WAIT, SEAL, SEND -> Row.SENDS;
            case ENCODE, DECODE -> callers.contains(span.thread()) ? Row.SENDS : Row.RECEIVES;
            case RECEIVE, OPEN, COMBINE -> Row.RECEIVES;
            case COPY -> span.rank() < 0 ? Row.CALLS : Row.RECEIVES;
        };
    }

    private static String name(Phase phase) {
        return phase.name().toLowerCase(Locale.ROOT);
    }

    private JsonObject complete(
            Row row, String category, String name, long sinceNanos, long untilNanos, JsonObject facts) {
        JsonObject event = event(row, "X", name);
        event.addProperty("cat", category);
        event.addProperty("ts", sinceNanos / NANOS_PER_MICRO);
        event.addProperty("dur", (untilNanos - sinceNanos) / NANOS_PER_MICRO);
        event.add("args", facts);
        return event;
    }

    private JsonObject metadata(Row row, String what, String name) {
        JsonObject event = event(row, "M", what);
        var facts = new JsonObject();
        facts.addProperty("name", name);
        event.add("args", facts);
        return event;
    }

    private JsonObject event(Row row, String phase, String name) {
        var event = new JsonObject();
        event.addProperty("name", name);
        event.addProperty("ph", phase);
        event.addProperty("pid", rank);
        event.addProperty("tid", row.thread);
        return event;
    }
}
