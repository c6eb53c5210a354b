package io.hearth.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.core.Clock;
import io.hearth.election.ElectionState;
import io.hearth.election.Role;
import io.hearth.election.health.HealthStatus;
import io.hearth.election.health.Silence;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.InterfaceClass;
import io.hearth.topology.NodeProfile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PlanAnswersTest {
    private static final String AGENT = NodeId.AGENT;
    private static final String TRAINER = "trainer-0";
    private static final List<String> NAMES = List.of("studio", "desk", "attic", "garden");

    /** A clock that stands still. */
    private static final Clock NOON = new Clock() {
        @Override
        public long nanoTime() {
            return 60_000_000_000L;
        }

        @Override
        public long epochMillis() {
            return 1_000;
        }
    };

    private static NodeId node(int machine, String slot) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        Arrays.fill(key, (byte) (machine + 1));
        return new NodeId(PeerId.of(key), slot);
    }

    private static ClusterStatus.Node member(NodeId id, int rank, String group) {
        return new ClusterStatus.Node(
                id,
                "",
                "",
                Optional.of(group.isEmpty() ? Role.AGENT : Role.TRAINER),
                group,
                OptionalInt.of(rank),
                rank == 0,
                Optional.empty(),
                HealthStatus.HEALTHY,
                OptionalLong.empty(),
                OptionalLong.empty(),
                Optional.empty());
    }

    private static ClusterStatus status(List<ClusterStatus.Node> nodes) {
        NodeId self = node(0, AGENT);
        return new ClusterStatus(
                self,
                52416,
                new ClusterStatus.Namespace("home", "00", false),
                ElectionState.MASTER,
                Optional.empty(),
                new ClusterStatus.ViewSummary("abc#1.0", 7, nodes.size(), self, "this node"),
                new ClusterStatus.SilenceSpan(1_500_000_000, Silence.Origin.CONFIGURED),
                nodes,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                OptionalLong.empty(),
                0,
                List.of(),
                Optional.empty(),
                List.of(),
                List.of(),
                Map.of());
    }

    /** The trainers of four machines with three ports of 100 MB/s and one of 10, measured at 15 s. */
    private static ClusterTopology home() {
        ClusterTopology home = ClusterTopology.empty();
        for (int i = 0; i < 4; i++) {
            home = home.with(node(i, TRAINER), new NodeProfile(NAMES.get(i), "", "", 4, 0, "", ""));
        }
        for (int from = 0; from < 4; from++) {
            for (int to = 0; to < 4; to++) {
                if (from != to) {
                    ConnectionProfile link = ConnectionProfile.of(
                            node(from, TRAINER),
                            node(to, TRAINER),
                            InterfaceClass.ETHERNET,
                            300_000,
                            "10.0.0." + to + ":1");
                    home = home.with(link.with(link.best()
                            .throughput(from == 3 || to == 3 ? 10_000_000 : 100_000_000)
                            .measuredAt(15_000_000_000L)));
                }
            }
        }
        return home;
    }

    private static JsonObject ask(ClusterStatus status, ClusterTopology topology, String size) {
        var answers = new PlanAnswers(status.self(), () -> status, () -> topology, NOON);
        return answers.answer(size);
    }

    private static ClusterStatus trainers() {
        List<ClusterStatus.Node> nodes = new ArrayList<>(List.of(member(node(0, AGENT), 0, "")));
        for (int i = 3; i >= 0; i--) {
            nodes.add(member(node(i, TRAINER), 1 + i, "job"));
        }
        return status(nodes);
    }

    @Test
    void theTrainersOfAGroupAreExplainedByNameAndPath() {
        JsonObject answer = ask(trainers(), home(), "67108864");
        assertEquals(PlanAnswers.SCHEMA, answer.get("schema").getAsInt());
        assertEquals(67_108_864, answer.get("bytes").getAsLong());
        assertEquals(1, answer.getAsJsonArray("groups").size());
        JsonObject group = answer.getAsJsonArray("groups").get(0).getAsJsonObject();
        assertEquals("job", group.get("group").getAsString());
        assertEquals("measured", group.get("basis").getAsString());
        assertEquals(
                List.of("studio/trainer-0", "desk/trainer-0", "attic/trainer-0", "garden/trainer-0"),
                all(group, "members", "name"));
        JsonObject chosen = group.getAsJsonObject("chosen");
        assertEquals("direct", chosen.get("algorithm").getAsString());
        assertTrue(chosen.has("predicted_ms") && !chosen.has("assumed_ms"), chosen::toString);
        assertEquals(
                "islands", group.getAsJsonObject("runner_up").get("algorithm").getAsString());
        assertEquals(List.of("ring"), all(group, "others", "algorithm"));
        assertEquals(
                0,
                group.getAsJsonArray("members")
                        .get(3)
                        .getAsJsonObject()
                        .get("owns")
                        .getAsDouble());
        assertEquals(6, group.get("streams").getAsInt());
        JsonObject hop = group.getAsJsonArray("hops").get(0).getAsJsonObject();
        assertEquals("studio/trainer-0", hop.get("from").getAsString());
        assertEquals("desk/trainer-0", hop.get("to").getAsString());
        assertEquals("10.0.0.1:1", hop.get("path").getAsString());
        assertEquals("ethernet", hop.get("class").getAsString());
        assertEquals(45, hop.get("age_s").getAsLong());
        assertEquals(0.3, hop.get("rtt_ms").getAsDouble());
        assertEquals(1e8, hop.get("bytes_per_second").getAsDouble(), 1e6);
    }

    @Test
    void everyGroupIsExplained() {
        List<ClusterStatus.Node> nodes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            nodes.add(member(node(i, TRAINER), i, i % 2 == 0 ? "even" : "odd"));
        }
        JsonArray groups = ask(status(nodes), home(), "1024").getAsJsonArray("groups");
        assertEquals(2, groups.size());
        assertEquals("even", groups.get(0).getAsJsonObject().get("group").getAsString());
        assertEquals(
                List.of("desk/trainer-0", "garden/trainer-0"), all(groups.get(1).getAsJsonObject(), "members", "name"));
    }

    @Test
    void withoutTrainersAllNodesCountAndNothingUnknownHasANumber() {
        List<ClusterStatus.Node> nodes = List.of(member(node(0, AGENT), 0, ""), member(node(1, AGENT), 1, ""));
        JsonObject answer = ask(status(nodes), ClusterTopology.empty(), "67108864");
        JsonObject group = answer.getAsJsonArray("groups").get(0).getAsJsonObject();
        assertFalse(group.has("group"));
        assertEquals("nothing", group.get("basis").getAsString());
        JsonObject chosen = group.getAsJsonObject("chosen");
        assertTrue(chosen.has("assumed_ms") && !chosen.has("predicted_ms"), chosen::toString);
        JsonObject hop = group.getAsJsonArray("hops").get(0).getAsJsonObject();
        assertEquals(List.of("from", "to", "share"), List.copyOf(hop.keySet()));
        assertEquals(2, group.getAsJsonArray("without_report").size());
        assertEquals(2, group.get("not_measured_count").getAsInt());
    }

    @Test
    void aNodeAloneIsAGroupOfOne() {
        JsonObject answer = ask(status(List.of()), ClusterTopology.empty(), "1");
        JsonObject group = answer.getAsJsonArray("groups").get(0).getAsJsonObject();
        assertEquals("alone", group.get("basis").getAsString());
        assertEquals(1, group.getAsJsonArray("members").size());
        assertFalse(group.has("chosen"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "64MiB", "8589934589", "99999999999999999999"})
    void otherSizesAreErrors(String size) {
        JsonObject answer = ask(trainers(), home(), size);
        assertEquals("size must be 1 to 8589934588 bytes", answer.get("error").getAsString());
    }

    private static List<String> all(JsonObject group, String list, String key) {
        return StreamSupport.stream(group.getAsJsonArray(list).spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .map(each -> each.get(key).getAsString())
                .toList();
    }
}
