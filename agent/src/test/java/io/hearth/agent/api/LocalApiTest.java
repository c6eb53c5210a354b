package io.hearth.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.hearth.agent.guest.GuestService;
import io.hearth.agent.history.ClusterHistory;
import io.hearth.agent.history.JobReport;
import io.hearth.agent.http.ApiAnswer;
import io.hearth.agent.http.ApiRequest;
import io.hearth.agent.loop.NodeInboxTest;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.agent.status.HandClock;
import io.hearth.agent.status.TestStatus;
import io.hearth.agent.status.VersionedValue;
import io.hearth.collective.Operation;
import io.hearth.collective.OperationCounts;
import io.hearth.core.Bytes;
import io.hearth.election.health.HealthStatus;
import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.InterfaceClass;
import io.hearth.topology.NodeProfile;
import io.hearth.transport.LinkCounters;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LocalApiTest {
    private static final NodeId DESK = NodeInboxTest.node(1);
    private static final NodeId STUDIO = NodeInboxTest.node(2);
    private static final NodeId TRAINER = new NodeId(DESK.peer(), "t0");

    private final HandClock clock = new HandClock();
    private final AtomicLong age = new AtomicLong();
    private final VersionedValue<ClusterStatus> status = new VersionedValue<>(status(3, HealthStatus.HEALTHY));
    private final VersionedValue<ClusterHistory> history =
            new VersionedValue<>(ClusterHistory.EMPTY.with(status.value(), 1_000));
    private final ClusterTopology topology = ClusterTopology.empty()
            .with(DESK, new NodeProfile("desk", "Linux", "amd64", 4, 1 << 30, "scalar", "0.1.0"))
            .with(STUDIO, new NodeProfile("studio", "", "", 8, 0, "metal", "0.1.0"))
            .with(ConnectionProfile.of(DESK, STUDIO, InterfaceClass.WIFI, 5_000_000, "10.0.0.2:1"));
    private final TopologyAnswers topologies = new TopologyAnswers(DESK, () -> topology, clock);
    private final LocalApi api = new LocalApi(
            status,
            history,
            topologies,
            new PlanAnswers(DESK, status::value, () -> topology, clock),
            age::get,
            () -> new LinkCounters(0, Map.of(), 0, 0, 0, 0, 0, 0, 0, 0),
            () -> List.of(
                    new GuestService(
                            "scheduler",
                            "http://127.0.0.1:29512",
                            Optional.of(STUDIO),
                            Optional.empty(),
                            3,
                            List.of(new GuestService.Job(
                                    "digits", "running", "", 2, 3, 5, 8, 120.5, OptionalDouble.of(42)))),
                    new GuestService(
                            "lighthouse",
                            "http://127.0.0.1:29510",
                            Optional.empty(),
                            Optional.of("too many are out of reach"),
                            0,
                            List.of())),
            new LocalApi.AboutAgent("0.1.0", 5_000, () -> "http://127.0.0.1:1/?pass=x"),
            clock);

    private static ClusterStatus status(long epoch, HealthStatus studio) {
        return new TestStatus(epoch)
                .member(DESK, "desk", HealthStatus.HEALTHY)
                .member(STUDIO, "studio", studio)
                .away(NodeInboxTest.node(3), "book", "the node is closing")
                .refused("10.0.0.8", "another namespace")
                .make();
    }

    private ApiAnswer ask(String method, String target, String body, boolean isTrusted) {
        String[] parts = target.split("\\?", 2);
        var query = new TreeMap<String, String>();
        if (parts.length == 2) {
            for (String pair : parts[1].split("&", -1)) {
                query.put(pair.split("=", 2)[0], pair.split("=", 2)[1]);
            }
        }
        return api.answer(
                new ApiRequest(method, parts[0], query, Bytes.of(body.getBytes(StandardCharsets.UTF_8)), isTrusted));
    }

    private ApiAnswer.Whole get(String target) {
        return assertInstanceOf(ApiAnswer.Whole.class, ask("GET", target, "", false));
    }

    private static String text(ApiAnswer answer) {
        return new String(assertInstanceOf(ApiAnswer.Whole.class, answer).body().toArray(), StandardCharsets.UTF_8);
    }

    private JsonObject json(String target) {
        return JsonParser.parseString(text(get(target))).getAsJsonObject();
    }

    private static JobReport report(int step, double loss) {
        return new JobReport(
                TRAINER,
                "job",
                0,
                2,
                77,
                Optional.of(new JobReport.Progress(step, 100, loss)),
                new JobReport.Collectives(
                        Map.of(Operation.ALL_REDUCE, new OperationCounts(step, 0, 0.25 * step, 1_000L * step)),
                        1,
                        4_000L * step,
                        0.5,
                        "topk 1 %"));
    }

    // ---- the description is true

    /** The description, in which every object takes exactly the fields that it names. */
    private static JsonObject description() throws IOException {
        try (InputStream in = Objects.requireNonNull(LocalApi.class.getResourceAsStream("openapi.json"))) {
            JsonObject whole = JsonParser.parseString(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .getAsJsonObject();
            close(whole.getAsJsonObject("components").getAsJsonObject("schemas"));
            return whole;
        }
    }

    private static void close(JsonElement schema) {
        if (schema.isJsonObject()) {
            JsonObject object = schema.getAsJsonObject();
            boolean isClosed = object.has("properties") && !object.has("additionalProperties");
            object.entrySet().forEach(entry -> close(entry.getValue()));
            if (isClosed) {
                object.addProperty("additionalProperties", false);
            }
            if (object.has("allOf")) { // its parts name some of the fields each
                object.getAsJsonArray("allOf")
                        .forEach(part -> part.getAsJsonObject().remove("additionalProperties"));
                object.addProperty("unevaluatedProperties", false);
            }
        } else if (schema.isJsonArray()) {
            schema.getAsJsonArray().forEach(LocalApiTest::close);
        }
    }

    private static List<String> mistakes(String name, String answer) throws IOException {
        JsonObject root = new JsonObject();
        root.addProperty("$ref", "#/components/schemas/" + name);
        JsonObject whole = description();
        if (name.equals("Jobs")) { // a report is extended there, so it is open
            whole.getAsJsonObject("components")
                    .getAsJsonObject("schemas")
                    .getAsJsonObject("JobReport")
                    .remove("additionalProperties");
        }
        root.add("components", whole.get("components"));
        Schema schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(root.toString(), InputFormat.JSON);
        return schema.validate(answer, InputFormat.JSON).stream()
                .map(Object::toString)
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "Status, /v1/status",
        "Events, /v1/events",
        "Topology, /v1/topology",
        "Plan, /v1/plan?bytes=1048576",
        "Jobs, /v1/jobs",
        "Pairing, /v1/pairing",
        "Error, /v1/plan?bytes=-1",
        "Error, /v1/nothing"
    })
    void anAnswerIsWhatTheDescriptionSays(String schema, String target) throws IOException {
        history.publish(history.value().with(status(4, HealthStatus.UNHEALTHY), 2_000));
        topologies.look();
        ask("PUT", "/v1/jobs", JobJson.of(report(3, 0.5)).toString(), true);
        ask("PUT", "/v1/pairing", "{\"code\":\"1-a\",\"text\":\"x\",\"milliseconds\":60000}", true);
        assertEquals(List.of(), mistakes(schema, text(get(target))));
        age.set(9_000_000_000L);
        assertEquals(List.of(), mistakes(schema, text(get(target))), "also while the agent is stuck");
    }

    @Test
    void theDescriptionNoticesAFieldThatIsWrongMissingOrNotDescribed() throws IOException {
        JsonObject told = json("/v1/pairing");
        told.addProperty("seconds_left", "soon");
        assertEquals(1, mistakes("Pairing", told.toString()).size());
        told.addProperty("seconds_left", 1);
        told.addProperty("more", 1);
        assertEquals(1, mistakes("Pairing", told.toString()).size());
        told.remove("more");
        told.remove("schema");
        assertEquals(1, mistakes("Pairing", told.toString()).size());
    }

    @Test
    void everyPathThatIsDescribedExistsAndNoOther() throws IOException {
        var described = new ArrayList<String>();
        description()
                .getAsJsonObject("paths")
                .entrySet()
                .forEach(path -> path.getValue()
                        .getAsJsonObject()
                        .keySet()
                        .forEach(method -> described.add(method + " " + path.getKey())));
        for (String each : described) {
            String[] parts = each.split(" ", 2);
            String method = parts[0].toUpperCase(Locale.ROOT);
            ApiAnswer answer = ask(method, parts[1], "", true);
            int code = answer instanceof ApiAnswer.Whole whole ? whole.status() : 200;
            assertTrue(code == 200 || code == 400, () -> each + " answers " + code);
        }
        assertEquals(api.requests(), described.stream().sorted().toList());
    }

    // ---- who may do what

    @ParameterizedTest
    @ValueSource(
            strings = {"PUT /v1/jobs", "DELETE /v1/jobs", "PUT /v1/pairing", "DELETE /v1/pairing", "POST /v1/page"})
    void overLoopbackNothingChanges(String request) {
        String[] parts = request.split(" ", 2);
        for (String body : List.of("", JobJson.of(report(1, 1)).toString())) {
            ApiAnswer answer = ask(parts[0], parts[1], body, false);
            assertEquals(405, assertInstanceOf(ApiAnswer.Whole.class, answer).status());
        }
        assertEquals("{\"schema\":1,\"jobs\":[]}", json("/v1/jobs").toString());
        assertEquals("{\"schema\":1}", json("/v1/pairing").toString());
    }

    @Test
    void aBodyThatIsNoReportIsRefusedWithTheReason() {
        for (String wrong : List.of(
                "",
                "[]",
                "{}",
                "{\"sums\":{}}",
                JobJson.of(report(1, 1)).toString().replace("\"rank\":0", "\"rank\":5"))) {
            ApiAnswer answer = ask("PUT", "/v1/jobs", wrong, true);
            assertEquals(400, assertInstanceOf(ApiAnswer.Whole.class, answer).status(), wrong);
        }
        assertEquals(400, get("/v1/events?after=x").status());
        assertEquals(404, get("/v1/../../etc/passwd").status());
        assertEquals(
                404,
                assertInstanceOf(ApiAnswer.Whole.class, ask("PUT", "/x", "", true))
                        .status());
    }

    // ---- what is answered

    @Test
    void aWatcherOfTheStatusSeesEachChange() throws InterruptedException {
        var feed = assertInstanceOf(ApiAnswer.Feed.class, ask("GET", "/v1/status?watch=true", "", true));
        for (int epoch = 3; epoch < 6; epoch++) {
            assertEquals(
                    epoch,
                    feed.source().next().getAsJsonObject("view").get("epoch").getAsInt());
            status.publish(status(epoch + 1, HealthStatus.HEALTHY));
        }
    }

    @Test
    void aWatcherOfEventsSeesOldAndNewOnes() throws InterruptedException {
        history.publish(history.value().with(status(4, HealthStatus.UNHEALTHY), 2_000));
        var feed = assertInstanceOf(ApiAnswer.Feed.class, ask("GET", "/v1/events?watch=true", "", true));
        assertEquals("studio is unhealthy", feed.source().next().get("text").getAsString());
        history.publish(history.value().with(status(4, HealthStatus.HEALTHY), 3_000));
        assertEquals("studio is healthy again", feed.source().next().get("text").getAsString());
        assertEquals(1, json("/v1/events?after=1").getAsJsonArray("events").size());
    }

    @Test
    void whatIsOldSaysSo() {
        age.set(LocalApi.STUCK_NANOS - 1);
        assertTrue(!json("/v1/status").has("stuck"));
        age.set(7_250_000_000L);
        assertEquals(7_250, json("/v1/status").get("age_ms").getAsLong());
        assertTrue(json("/v1/topology").get("stuck").getAsString().contains("has not finished a turn for 7 s"));
        assertTrue(json("/v1/plan?bytes=4").has("stuck"));
    }

    @Test
    void aTrainingIsShownWhileItReportsAndAfterItsEnd() {
        ask("PUT", "/v1/jobs", JobJson.of(report(0, 2.0)).toString(), true);
        clock.pass(2);
        ask("PUT", "/v1/jobs", JobJson.of(report(10, 1.0)).toString(), true);
        JsonObject job = json("/v1/jobs").getAsJsonArray("jobs").get(0).getAsJsonObject();
        assertEquals("running", job.get("state").getAsString());
        assertEquals(5.0, job.get("steps_per_second").getAsDouble());
        assertEquals(5_000.0, job.get("sent_bytes_per_second").getAsDouble());
        assertEquals("[[0,2.0],[10,1.0]]", job.get("curve").toString());
        clock.pass(11);
        assertEquals("lost", state());
        ask("DELETE", "/v1/jobs?trainer=" + TRAINER.text(), "", true);
        assertEquals("ended", state());
        clock.pass(3_600);
        assertEquals(0, json("/v1/jobs").getAsJsonArray("jobs").size());
    }

    private String state() {
        return json("/v1/jobs")
                .getAsJsonArray("jobs")
                .get(0)
                .getAsJsonObject()
                .get("state")
                .getAsString();
    }

    @Test
    void manyTrainingsAreBoundedAndTheNewestStay() {
        for (int i = 0; i < 100; i++) {
            JsonObject body = JobJson.of(report(1, 1));
            body.addProperty("trainer", new NodeId(DESK.peer(), "t" + i).text());
            ask("PUT", "/v1/jobs", body.toString(), true);
        }
        String all = text(get("/v1/jobs"));
        assertEquals(32, json("/v1/jobs").getAsJsonArray("jobs").size());
        assertTrue(all.contains("/t99\"") && !all.contains("/t5\""), all);
    }

    @Test
    void aPairingIsShownUntilItIsOver() {
        ask("PUT", "/v1/pairing", "{\"code\":\"7-otter\\u001b-lamp\",\"text\":\"x\",\"milliseconds\":60000}", true);
        assertEquals(60, json("/v1/pairing").get("seconds_left").getAsInt());
        assertEquals("7-otter-lamp", json("/v1/pairing").get("code").getAsString());
        clock.pass(61);
        assertEquals("{\"schema\":1}", json("/v1/pairing").toString());
    }

    /** The page and all that it loads, in bytes as sent. */
    @Test
    void thePageIsSmallAndLoadsNothingFromElsewhere() {
        int bytes = 0;
        for (String file : List.of(
                "/", "/page.css", "/page.js", "/graph.js", "/charts.js", "/icon.svg", "/uplot.js", "/uplot.css")) {
            ApiAnswer.Whole answer = get(file);
            assertEquals(200, answer.status(), file);
            bytes += answer.body().size();
            if (!file.startsWith("/uplot")) {
                String text = text(answer).replace("http://www.w3.org/2000/svg", "");
                assertTrue(!text.contains("http:") && !text.contains("https:"), file);
                assertTrue(!text.contains("innerHTML") && !text.contains("style=") && !text.contains("eval("), file);
            }
        }
        assertTrue(bytes < 300_000, bytes + " bytes");
    }
}
