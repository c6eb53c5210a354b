package io.hearth.agent.api;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.agent.guest.GuestService;
import io.hearth.agent.history.ClusterEvent;
import io.hearth.agent.history.ClusterHistory;
import io.hearth.agent.http.ApiAnswer;
import io.hearth.agent.http.ApiHandler;
import io.hearth.agent.http.ApiRequest;
import io.hearth.agent.metrics.PrometheusText;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.agent.status.VersionedValue;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import io.hearth.transport.LinkCounters;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The requests that the agent answers to programs of its user; {@code openapi.json} beside this class describes them. Each answer is the
 * newest published state, so there is an answer even if the owner thread is stuck; then it also contains {@code age_ms} and {@code stuck}.
 */
public final class LocalApi implements ApiHandler {
    /** The status; {@code ?watch=true} for a feed of each change. */
    public static final String STATUS = "/v1/status";

    /** The events after number {@code ?after=N}; {@code ?watch=true} for a feed of them and all later ones. */
    public static final String EVENTS = "/v1/events";

    /** The topology. */
    public static final String TOPOLOGY = "/v1/topology";

    /** The topology as a graph for Graphviz. */
    public static final String TOPOLOGY_DOT = "/v1/topology.dot";

    /** The topology as a Mermaid flow chart. */
    public static final String TOPOLOGY_MERMAID = "/v1/topology.mmd";

    /** The plan for a sum of {@code ?bytes=N}. */
    public static final String PLAN = "/v1/plan";

    /** The trainings of this machine; with an id, one of them. */
    public static final String JOBS = "/v1/jobs";

    /** The pairing that this machine offers. */
    public static final String PAIRING = "/v1/pairing";

    /** Counters and gauges in the text format of Prometheus, at the path that it asks by default. */
    public static final String METRICS = "/metrics";

    /** POST: a link that opens the page once. */
    public static final String PAGE = "/v1/page";

    /** The description of this API. */
    public static final String OPENAPI = "/v1/openapi.json";

    /** Age at which the status counts as stuck. The owner thread publishes every 2.5 s at least, and only a slow disk delays it for long. */
    static final long STUCK_NANOS = 5_000_000_000L;

    private final VersionedValue<ClusterStatus> status;
    private final VersionedValue<ClusterHistory> history;
    private final LongSupplier ageNanos;
    private final Supplier<List<GuestService>> services;
    private final AboutAgent about;
    private final JobBook jobs;
    private final PairingNote pairing;
    private final PageFiles files = new PageFiles();
    private final List<Route> routes = new ArrayList<>();

    /** What an agent tells about itself. */
    public record AboutAgent(String version, long startedMillis, Supplier<String> pageLink) {}

    /** @param isReading whether it may be asked over loopback TCP, where only reading is possible */
    private record Route(String method, String path, boolean isReading, Function<ApiRequest, ApiAnswer> answer) {}

    /**
     * @param status newest status
     * @param history newest history
     * @param ageNanos largest possible age of the newest status
     * @param links counters of the control links
     * @param services that this machine offers
     */
    public LocalApi(
            VersionedValue<ClusterStatus> status,
            VersionedValue<ClusterHistory> history,
            TopologyAnswers topology,
            PlanAnswers plans,
            LongSupplier ageNanos,
            Supplier<LinkCounters> links,
            Supplier<List<GuestService>> services,
            AboutAgent about,
            Clock clock) {
        this.status = status;
        this.history = history;
        this.ageNanos = ageNanos;
        this.services = services;
        this.about = about;
        this.jobs = new JobBook(clock);
        this.pairing = new PairingNote(clock);
        read(STATUS, this::status);
        read(EVENTS, this::events);
        read(TOPOLOGY, _ -> ApiAnswer.json(aged(topology.json())));
        read(TOPOLOGY_DOT, _ -> ApiAnswer.text("text/vnd.graphviz", topology.dot()));
        read(TOPOLOGY_MERMAID, _ -> ApiAnswer.text("text/plain", topology.mermaid()));
        read(PLAN, request -> plan(plans, request));
        read(JOBS, _ -> ApiAnswer.json(jobs.json()));
        read(PAIRING, _ -> ApiAnswer.json(pairing.json()));
        read(
                METRICS,
                _ -> ApiAnswer.text(
                        PrometheusText.TYPE,
                        PrometheusText.of(
                                status.value(),
                                history.value().tally(),
                                links.get(),
                                jobs.reports(),
                                new PrometheusText.About(
                                        about.version(), about.startedMillis(), clock.epochMillis()))));
        change("PUT", JOBS, this::heard);
        change("DELETE", JOBS, this::ended);
        change("PUT", PAIRING, this::pairing);
        change("DELETE", PAIRING, _ -> {
            pairing.hide();
            return ApiAnswer.json(new JsonObject());
        });
        change("POST", PAGE, _ -> page());
    }

    private void read(String path, Function<ApiRequest, ApiAnswer> answer) {
        routes.add(new Route("GET", path, true, answer));
    }

    private void change(String method, String path, Function<ApiRequest, ApiAnswer> answer) {
        routes.add(new Route(method, path, false, answer));
    }

    /** Each method with its path, sorted. */
    List<String> requests() {
        return routes.stream()
                .map(route -> route.method().toLowerCase(Locale.ROOT) + " " + route.path())
                .sorted()
                .toList();
    }

    @Override
    public ApiAnswer answer(ApiRequest request) {
        List<Route> known = routes.stream()
                .filter(route -> route.path().equals(request.path()))
                .toList();
        if (known.isEmpty()) {
            return request.method().equals("GET")
                    ? files.answer(request.path())
                    : ApiAnswer.error(404, "there is no " + clean(request.path()) + " here; see " + OPENAPI);
        }
        return known.stream()
                .filter(route -> route.method().equals(request.method()))
                .filter(route -> route.isReading() || request.isTrusted())
                .findFirst()
                .map(route -> route.answer().apply(request))
                .orElseGet(() -> ApiAnswer.error(
                        405,
                        request.path() + " takes "
                                + known.stream().map(Route::method).distinct().collect(Collectors.joining(" or "))
                                + ", and changes only over the unix socket"));
    }

    private static String clean(String path) {
        return path.length() > 100 ? path.substring(0, 100) : path;
    }

    private ApiAnswer status(ApiRequest request) {
        if (!isWatch(request)) {
            return ApiAnswer.json(status(status.value()));
        }
        var seen = new AtomicLong();
        return new ApiAnswer.Feed(() -> {
            VersionedValue.Version<ClusterStatus> next = status.awaitAfter(seen.get());
            seen.set(next.number());
            return status(next.value());
        });
    }

    private JsonObject status(ClusterStatus newest) {
        JsonObject json = StatusJson.of(newest);
        var agent = new JsonObject();
        agent.addProperty("version", about.version());
        agent.addProperty("started_ms", about.startedMillis());
        json.add("agent", agent);
        json.add("services", ServicesJson.of(services.get()));
        return aged(json);
    }

    /** Adds to an answer that the owner thread is stuck, if the age of the status shows that. */
    private JsonObject aged(JsonObject json) {
        long age = ageNanos.getAsLong();
        if (age >= STUCK_NANOS) {
            json.addProperty("age_ms", age / 1_000_000);
            json.addProperty(
                    "stuck",
                    "the agent's own thread has not finished a turn for " + age / 1_000_000_000
                            + " s, so this is what it knew then; look at its output and start it again");
        }
        return json;
    }

    private ApiAnswer events(ApiRequest request) {
        long after;
        try {
            after = Long.parseLong(request.query().getOrDefault("after", "0"));
        } catch (NumberFormatException notANumber) {
            return ApiAnswer.error(400, "after must be the number of an event");
        }
        if (!isWatch(request)) {
            return ApiAnswer.json(events(history.value(), after));
        }
        var waiting = new EventFeed(history, after);
        return new ApiAnswer.Feed(() -> event(waiting.next()));
    }

    private static JsonObject events(ClusterHistory newest, long after) {
        var list = new JsonArray();
        newest.after(after).forEach(event -> list.add(event(event)));
        var health = new JsonArray();
        newest.health().forEach((node, changes) -> {
            var spans = new JsonArray();
            changes.forEach(change -> {
                var span = new JsonObject();
                span.addProperty("at_ms", change.atMillis());
                span.addProperty("health", change.health().name().toLowerCase(Locale.ROOT));
                spans.add(span);
            });
            var json = new JsonObject();
            json.addProperty("node", node.text());
            json.add("changes", spans);
            health.add(json);
        });
        var json = new JsonObject();
        json.addProperty("schema", 1);
        json.addProperty("number", newest.number());
        json.add("events", list);
        json.add("health", health);
        return json;
    }

    private static JsonObject event(ClusterEvent event) {
        var json = new JsonObject();
        json.addProperty("number", event.number());
        json.addProperty("at_ms", event.atMillis());
        json.addProperty("kind", event.kind().name().toLowerCase(Locale.ROOT));
        json.addProperty("node", event.node());
        json.addProperty("text", event.text());
        return json;
    }

    private ApiAnswer plan(PlanAnswers plans, ApiRequest request) {
        JsonObject answer = plans.answer(request.query().getOrDefault("bytes", ""));
        return answer.has("error") ? ApiAnswer.json(400, answer) : ApiAnswer.json(aged(answer));
    }

    private ApiAnswer heard(ApiRequest request) {
        try {
            jobs.heard(JobJson.read(body(request)));
            return ApiAnswer.json(new JsonObject());
        } catch (MalformedMessageException wrong) {
            return ApiAnswer.error(400, String.valueOf(wrong.getMessage()));
        }
    }

    private ApiAnswer ended(ApiRequest request) {
        try {
            jobs.ended(NodeId.parse(request.query().getOrDefault("trainer", "")));
            return ApiAnswer.json(new JsonObject());
        } catch (IllegalArgumentException wrong) {
            return ApiAnswer.error(400, String.valueOf(wrong.getMessage()));
        }
    }

    private ApiAnswer pairing(ApiRequest request) {
        try {
            JsonObject body = body(request);
            pairing.show(
                    body.get("code").getAsString(),
                    body.get("text").getAsString(),
                    body.get("milliseconds").getAsLong());
            return ApiAnswer.json(new JsonObject());
        } catch (MalformedMessageException | RuntimeException wrong) {
            return ApiAnswer.error(400, "need code, text and milliseconds");
        }
    }

    private ApiAnswer page() {
        var json = new JsonObject();
        json.addProperty("link", about.pageLink().get());
        return ApiAnswer.json(json);
    }

    private static JsonObject body(ApiRequest request) throws MalformedMessageException {
        return Json.object(new String(request.body().toArray(), StandardCharsets.UTF_8));
    }

    private static boolean isWatch(ApiRequest request) {
        return request.query().getOrDefault("watch", "").equals("true");
    }
}
