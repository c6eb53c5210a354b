package io.hearth.topology.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.InterfaceClass;
import io.hearth.topology.NodeLoad;
import io.hearth.topology.NodeLoad.Battery;
import io.hearth.topology.NodeProfile;
import io.hearth.topology.PathProfile;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ExportTest {
    private static final long SECOND = 1_000_000_000L;
    private static final NodeProfile STUDIO = new NodeProfile(
            "studio",
            "macOS 26",
            "aarch64",
            12,
            1L << 35,
            "metal",
            "0.1.0",
            "Apple M4 Max",
            new NodeLoad(31, Optional.of(new Battery(80, true))));
    private static final NodeProfile SHED = new NodeProfile("shed", "Linux 6.1", "amd64", 1, 0, "vector-512", "0.1.0");

    /** A statement of DOT with one quoted label: the quote ends where the label ends. */
    private static final Pattern DOT =
            Pattern.compile("  n[0-9]+( -> n[0-9]+)? \\[label=\"(\\\\[\\\\\"n]|[^\\\\\"])*\"(, style=dashed)?];");

    private static final Pattern MERMAID =
            Pattern.compile("  n[0-9]+(\\[\"[^\"<>%{}`|\\[\\]&]*\"]| -\\.?->\\|\"[^\"<>%{}`|\\[\\]&]*\"\\| n[0-9]+)");

    static NodeId node(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        Arrays.fill(key, (byte) number);
        return new NodeId(PeerId.of(key), NodeId.AGENT);
    }

    /** Studio and shed measured each other; shed has a link to a third node, which has links and none back. */
    private static ClusterTopology home() {
        PathProfile cable = PathProfile.of(
                        "10.0.0.2:1", InterfaceClass.ETHERNET, "eth0: type 1, speed 1000", 214_000, 5 * SECOND)
                .throughput(117_500_000)
                .loss(3);
        return ClusterTopology.empty()
                .with(node(1), STUDIO)
                .with(node(2), SHED)
                .with(node(3), NodeProfile.UNKNOWN)
                .with(new ConnectionProfile(node(1), node(2), List.of(cable)))
                .with(ConnectionProfile.of(node(2), node(1), InterfaceClass.WIFI, 2_000_000, "10.0.0.1:1")
                        .throughput(11_875_000))
                .with(ConnectionProfile.of(node(3), node(2), InterfaceClass.VPN, 9_000_000, "10.0.0.2:1"))
                .with(ConnectionProfile.of(node(1), node(3), InterfaceClass.OTHER, 9_000_000, "10.0.0.3:1"));
    }

    @Test
    void dotShowsNodesAndBothDirections() {
        String id = node(1).shortText();
        String second = node(2).shortText();
        String third = node(3).shortText();
        assertEquals("""
                digraph hearth {
                  rankdir=LR;
                  node [shape=box];
                  n0 [label="studio\\n%s\\n12 cores, Apple M4 Max\\nmetal\\nload 31 %%\\nbattery 80 %%, on mains"];
                  n1 [label="shed\\n%s\\n1 core\\nvector-512"];
                  n2 [label="%s\\nno profile yet"];
                  n0 -> n1 [label="ETHERNET\\n0.214 ms\\n940 Mbit/s\\nloss 3 per thousand"];
                  n0 -> n2 [label="OTHER\\n9.000 ms\\nrate not measured\\none way", style=dashed];
                  n1 -> n0 [label="WIFI\\n2.000 ms\\n95.0 Mbit/s"];
                  n2 -> n1 [label="VPN\\n9.000 ms\\nrate not measured\\none way", style=dashed];
                }
                """.formatted(id, second, third), TopologyDot.of(home()));
    }

    @Test
    void mermaidShowsTheSame() {
        assertEquals(
                """
                flowchart LR
                  n0["studio<br/>%s<br/>12 cores, Apple M4 Max<br/>metal<br/>load 31 #37;<br/>battery 80 #37;, on mains"]
                  n1["shed<br/>%s<br/>1 core<br/>vector-512"]
                  n2["%s<br/>no profile yet"]
                  n0 -->|"ETHERNET<br/>0.214 ms<br/>940 Mbit/s<br/>loss 3 per thousand"| n1
                  n0 -.->|"OTHER<br/>9.000 ms<br/>rate not measured<br/>one way"| n2
                  n1 -->|"WIFI<br/>2.000 ms<br/>95.0 Mbit/s"| n0
                  n2 -.->|"VPN<br/>9.000 ms<br/>rate not measured<br/>one way"| n1
                """.formatted(node(1).shortText(), node(2).shortText(), node(3).shortText()),
                TopologyMermaid.of(home()));
    }

    @Test
    void jsonHasNoKeyForWhatIsNotKnown() {
        JsonObject json = TopologyJson.of(home(), TopologyHistory.EMPTY.with(home(), 77), 65 * SECOND);
        assertEquals(1, json.get("schema").getAsInt());
        JsonArray nodes = json.getAsJsonArray("nodes");
        assertEquals(JsonParser.parseString("""
                        {"id": "%s", "short_id": "%s", "name": "studio", "profile": true, "label": "studio",
                         "os": "macOS 26", "arch": "aarch64", "cores": 12, "memory_bytes": 34359738368,
                         "accelerator": "metal", "version": "0.1.0", "chip": "Apple M4 Max", "load_percent": 31,
                         "battery_percent": 80, "on_mains": true}
                        """.formatted(node(1).text(), node(1).shortText())), nodes.get(0));
        assertFalse(nodes.get(1).getAsJsonObject().has("load_percent"));
        assertFalse(nodes.get(1).getAsJsonObject().has("battery_percent"));
        assertFalse(nodes.get(1).getAsJsonObject().has("memory_bytes"));
        assertFalse(nodes.get(2).getAsJsonObject().get("profile").getAsBoolean());
        JsonArray links = json.getAsJsonArray("links");
        assertEquals(JsonParser.parseString("""
                        {"from": "%s", "to": "%s", "from_name": "studio", "to_name": "shed", "class": "ethernet",
                         "rtt_ms": 0.214, "bytes_per_second": 117500000, "back_bytes_per_second": 11875000,
                         "back": "measured", "paths": [{"path": "10.0.0.2:1", "class": "ethernet",
                         "evidence": "eth0: type 1, speed 1000", "rtt_ms": 0.214, "bytes_per_second": 117500000,
                         "loss_permille": 3, "age_s": 60}]}
                        """.formatted(node(1).text(), node(2).text())), links.get(0));
        JsonObject unmeasured = links.get(1).getAsJsonObject();
        assertFalse(unmeasured.has("bytes_per_second") || unmeasured.has("back_bytes_per_second"));
        assertEquals("one_way", unmeasured.get("back").getAsString());
        JsonObject change = json.getAsJsonArray("history").get(0).getAsJsonObject();
        assertEquals(77, change.get("at_ms").getAsLong());
        assertEquals(3, change.get("nodes").getAsInt());
    }

    @Test
    void aNodeThatReportedNothingIsNotCalledOneWay() {
        ClusterTopology star = ClusterTopology.empty()
                .with(node(1), STUDIO)
                .with(node(2), SHED)
                .with(ConnectionProfile.of(node(1), node(2), InterfaceClass.WIFI, 1, "10.0.0.2:1"));
        assertTrue(TopologyDot.of(star).contains("way back not reported\"];"), TopologyDot.of(star));
        assertFalse(TopologyMermaid.of(star).contains("-.->"));
        assertEquals(
                "not_reported",
                TopologyJson.of(star, TopologyHistory.EMPTY, 0)
                        .getAsJsonArray("links")
                        .get(0)
                        .getAsJsonObject()
                        .get("back")
                        .getAsString());
        assertTrue(TopologyDot.of(star.without(node(1))).contains("no measured link"));
    }

    /** Labels come from peers. Each must stay one label, whatever it holds. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"];n9 [label=\"x",
                "\\\"]; n9 -> n0",
                "\\",
                "\\N\\G\\l",
                "&quot;&lt;b&gt;",
                "<script>alert(1)</script>",
                "%%{init: {\"securityLevel\": \"loose\"}}%%",
                "`**bold**`",
                "end\"]; click n0 callback",
                "n0 --> n1|x|",
                "#quot;",
                "[[{{((",
                "kitchen\nend\r\n",
                "\uD83D\uDD25 oven & \u202Esons"
            })
    void aHostileLabelStaysALabel(String label) {
        ClusterTopology hostile = ClusterTopology.empty()
                .with(node(1), STUDIO.named(label).onChip(label))
                .with(node(2), SHED)
                .with(ConnectionProfile.of(node(1), node(2), InterfaceClass.WIFI, 1, label));
        List<String> dot = TopologyDot.of(hostile).lines().toList();
        assertEquals(7, dot.size());
        dot.subList(3, 6).forEach(line -> assertTrue(DOT.matcher(line).matches(), line));
        List<String> chart =
                TopologyMermaid.of(hostile).replace("<br/>", "").lines().toList();
        assertEquals(4, chart.size());
        chart.subList(1, 4).forEach(line -> assertTrue(MERMAID.matcher(line).matches(), line));
        JsonObject json = TopologyJson.of(hostile, TopologyHistory.EMPTY, 0);
        assertEquals(json, JsonParser.parseString(json.toString()));
        assertEquals(
                STUDIO.named(label).label(),
                json.getAsJsonArray("nodes")
                        .get(0)
                        .getAsJsonObject()
                        .get("label")
                        .getAsString());
    }

    @Test
    void aBackslashAndAQuoteKeepTheirMeaning() {
        assertEquals("a\\\\\\\"b&amp;lt;", TopologyDot.escaped("a\\\"b&lt;"));
        assertEquals("a#92;#34;b#38;lt#59;#35;", TopologyMermaid.escaped("a\\\"b&lt;#"));
    }

    @Test
    void equalLabelsAreToldApart() {
        var trainer = new NodeId(node(1).peer(), "trainer-0");
        ClusterTopology twins = ClusterTopology.empty()
                .with(node(1), STUDIO)
                .with(trainer, STUDIO)
                .with(node(2), STUDIO)
                .with(node(3), SHED.named(""));
        assertEquals(
                List.of(
                        "studio (" + node(1).shortText() + ")",
                        "studio/trainer-0",
                        "studio (" + node(2).shortText() + ")",
                        node(3).shortText()),
                List.copyOf(NodeNames.of(twins).values()));
    }
}
