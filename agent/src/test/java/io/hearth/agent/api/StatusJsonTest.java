package io.hearth.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.gson.JsonObject;
import io.hearth.agent.loop.NodeInboxTest;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.discovery.mdns.MdnsCounters;
import io.hearth.election.ElectionState;
import io.hearth.election.MessageRejection;
import io.hearth.election.Role;
import io.hearth.election.health.HealthStatus;
import io.hearth.election.health.Silence;
import io.hearth.identity.NodeId;
import io.hearth.topology.Straggler;
import io.hearth.topology.export.SlowLink;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The form that scripts read: it must not change without a new schema number. */
final class StatusJsonTest {
    private static final NodeId SELF = NodeInboxTest.node(1);
    private static final NodeId TRAINER = new NodeId(NodeInboxTest.node(2).peer(), "trainer-0");
    private static final NodeId STRAY = NodeInboxTest.node(3);
    private static final NodeId GONE = NodeInboxTest.node(4);
    private static final ClusterStatus STATUS = new ClusterStatus(
            SELF,
            52416,
            new ClusterStatus.Namespace("home", "0011223344556677", false),
            ElectionState.MASTER,
            Optional.empty(),
            new ClusterStatus.ViewSummary("abc#1.0", 7, 2, SELF, "this node"),
            new ClusterStatus.SilenceSpan(8_000_000_000L, Silence.Origin.ROUND_TRIPS),
            List.of(
                    new ClusterStatus.Node(
                            SELF,
                            "desk",
                            "",
                            Optional.of(Role.AGENT),
                            "",
                            OptionalInt.of(0),
                            true,
                            Optional.empty(),
                            HealthStatus.HEALTHY,
                            OptionalLong.empty(),
                            OptionalLong.empty(),
                            Optional.empty()),
                    new ClusterStatus.Node(
                            TRAINER,
                            "mac",
                            "0.2.0",
                            Optional.of(Role.TRAINER),
                            "job",
                            OptionalInt.of(1),
                            false,
                            Optional.of("10.0.0.2:5000"),
                            HealthStatus.DEGRADED,
                            OptionalLong.of(1_234_567),
                            OptionalLong.of(2_000_499),
                            Optional.empty()),
                    new ClusterStatus.Node(
                            STRAY,
                            "",
                            "",
                            Optional.empty(),
                            "",
                            OptionalInt.empty(),
                            false,
                            Optional.of("10.0.0.3:5000"),
                            HealthStatus.UNKNOWN,
                            OptionalLong.empty(),
                            OptionalLong.empty(),
                            Optional.of("not heard"))),
            List.of(new ClusterStatus.Away(GONE, "book", "10.0.0.7:52416", 1_700_000_000_000L, "silent for 1.9 s")),
            List.of(new ClusterStatus.Refused("10.0.0.9", "x", "another namespace", 3)),
            List.of(new ClusterStatus.Fault("y", "malformed", 2)),
            List.of(new ClusterStatus.Doubled("z", false, List.of("10.0.0.4", "10.0.0.5"), "two computers")),
            Map.of(MessageRejection.OUTSIDER, 12L, MessageRejection.CONFLICT, 1L),
            OptionalLong.of(10),
            0,
            List.of(),
            Optional.empty(),
            List.of(new MdnsCounters(
                    "eth0", "10.0.0.1", 9, 0, "", 7, 12, 3, 2, 1, 1, "its listener ended", 7_900_000_000L)),
            List.of(new SlowLink(SELF, STRAY, "desk -> shed", 11_875_000, 117_500_000)),
            Map.of(TRAINER, new Straggler(SELF, Straggler.Cause.LINK, 11_875_000, 117_500_000)));

    @Test
    void aStatusSaysWhatScriptsRelyOn() {
        JsonObject json = StatusJson.of(STATUS);
        assertEquals(1, json.get("schema").getAsInt());
        assertEquals(SELF.text(), json.get("self").getAsString());
        assertEquals(SELF.text(), json.get("master").getAsString());
        assertEquals("master", json.get("state").getAsString());
        assertEquals(
                "{\"name\":\"home\",\"key_id\":\"0011223344556677\",\"open\":false}",
                json.get("namespace").toString());
        assertEquals(
                "{\"lineage\":\"abc#1.0\",\"epoch\":7,\"members\":2,\"told_by\":\"this node\"}",
                json.get("view").toString());
        assertEquals(
                "{\"ms\":8000,\"preset\":\"wan\",\"origin\":\"round_trips\","
                        + "\"text\":\"8.0 s of silence (wan, by measured round trips)\"}",
                json.get("silence").toString());
        assertEquals(1, json.get("other_machines").getAsInt());
        assertEquals(3, json.getAsJsonArray("nodes").size());
        assertEquals(
                "{\"id\":\"" + SELF.text() + "\",\"label\":\"desk\",\"self\":true,\"role\":\"agent\",\"rank\":0,"
                        + "\"health\":\"healthy\"}",
                json.getAsJsonArray("nodes").get(0).toString());
        assertEquals(
                "{\"id\":\"" + TRAINER.text()
                        + "\",\"label\":\"mac\",\"self\":false,\"version\":\"0.2.0\",\"role\":\"trainer\","
                        + "\"group\":\"job\",\"rank\":1,\"address\":\"10.0.0.2:5000\",\"health\":\"degraded\","
                        + "\"rtt_ms\":1.235,\"rtt_mean_ms\":2.0}",
                json.getAsJsonArray("nodes").get(1).toString());
        assertEquals(
                Set.of("id", "label", "self", "address", "health", "apart"),
                json.getAsJsonArray("nodes").get(2).getAsJsonObject().keySet());
        assertEquals(
                "[{\"id\":\"" + GONE.text() + "\",\"label\":\"book\",\"address\":\"10.0.0.7:52416\","
                        + "\"since_ms\":1700000000000,\"why\":\"silent for 1.9 s\"}]",
                json.get("away").toString());
        assertEquals(
                "[{\"address\":\"10.0.0.9\",\"who\":\"x\",\"why\":\"another namespace\",\"count\":3}]",
                json.get("refused").toString());
        assertEquals(
                "[{\"who\":\"y\",\"why\":\"malformed\",\"count\":2}]",
                json.get("faults").toString());
        assertEquals(
                "[{\"who\":\"z\",\"self\":false,\"addresses\":[\"10.0.0.4\",\"10.0.0.5\"],\"why\":\"two computers\"}]",
                json.get("doubled").toString());
        assertEquals(
                "{\"conflict\":1,\"outsider\":12}", json.get("ignored_messages").toString());
        assertEquals(
                "[{\"interface\":\"eth0\",\"address\":\"10.0.0.1\",\"sent\":9,\"send_failures\":0,"
                        + "\"records_heard\":7,\"dropped\":12,\"foreign\":2,\"members\":1,\"restarted\":1,"
                        + "\"restart_reason\":\"its listener ended\",\"restarted_s_ago\":7}]",
                json.get("mdns").toString());
        assertEquals(
                "[{\"from\":\"" + SELF.text() + "\",\"to\":\"" + STRAY.text() + "\",\"bytes_per_second\":11875000,"
                        + "\"former_bytes_per_second\":117500000,\"text\":\"desk -> shed: 940 -> 95.0 Mbit/s\"}]",
                json.get("slow_links").toString());
        assertEquals(
                "[{\"node\":\"" + SELF.text() + "\",\"by\":\"" + TRAINER.text() + "\",\"cause\":\"link\",\"text\":"
                        + "\"desk delays sums: its link carries 95 Mbit/s where the others carry 940\"}]",
                json.get("delays").toString());
        assertFalse(json.has("waiting"));
        assertFalse(json.has("discovery"));
    }

    @Test
    void aPersonReadsWhoIsHereAndWhoIsNot() {
        assertEquals(
                "here: " + TRAINER.shortText() + " (mac); " + STRAY.shortText()
                        + ", linked, not in the view; doubled: z, two computers; refused: x at 10.0.0.9, another namespace",
                STATUS.explain());
        assertEquals(
                List.of("mac", "book", ""), List.of(STATUS.label(TRAINER), STATUS.label(GONE), STATUS.label(STRAY)));
        assertEquals(1, STATUS.otherTrainers("job"));
        assertEquals(0, STATUS.otherTrainers("other"));
    }
}
