package io.hearth.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.InterfaceClass;
import io.hearth.topology.NodeProfile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class TopologyAnswersTest {
    private static final NodeProfile PROFILE = new NodeProfile("studio", "", "", 4, 0, "scalar", "0.1.0");

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

    @Test
    void theNewestTopologyIsAnsweredInThreeForms() {
        NodeId self = node(1);
        var newest = new AtomicReference<>(ClusterTopology.empty().with(self, PROFILE));
        var answers = new TopologyAnswers(self, newest::get, NOON);
        answers.look();
        newest.set(newest.get()
                .with(node(2), PROFILE.named("shed"))
                .with(ConnectionProfile.of(self, node(2), InterfaceClass.WIFI, 5, "10.0.0.2:1")));
        answers.look();
        answers.look();
        JsonObject json = answers.json();
        assertEquals(self.text(), json.get("self").getAsString());
        assertEquals(2, json.getAsJsonArray("nodes").size());
        assertEquals(
                60,
                json.getAsJsonArray("links")
                        .get(0)
                        .getAsJsonObject()
                        .getAsJsonArray("paths")
                        .get(0)
                        .getAsJsonObject()
                        .get("age_s")
                        .getAsLong());
        List<String> changes = new ArrayList<>();
        json.getAsJsonArray("history")
                .forEach(change ->
                        changes.add(change.getAsJsonObject().get("change").getAsString()));
        assertEquals(List.of("studio joined", "shed joined; studio -> shed: new link, WIFI"), changes);
        assertTrue(
                answers.dot().startsWith("digraph hearth {\n") && answers.dot().contains("n0 -> n1"), answers.dot());
        String chart = answers.mermaid();
        assertTrue(chart.startsWith("flowchart LR\n") && chart.contains("n0 -->"), chart);
    }

    private static NodeId node(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        Arrays.fill(key, (byte) number);
        return new NodeId(PeerId.of(key), NodeId.AGENT);
    }
}
