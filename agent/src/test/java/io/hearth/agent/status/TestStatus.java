package io.hearth.agent.status;

import io.hearth.discovery.mdns.MdnsCounters;
import io.hearth.election.ElectionState;
import io.hearth.election.Role;
import io.hearth.election.health.HealthStatus;
import io.hearth.election.health.Silence;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Makes statuses of small clusters; the first member is this node, and the master. */
public final class TestStatus {
    private final long epoch;
    private final List<ClusterStatus.Node> nodes = new ArrayList<>();
    private final List<ClusterStatus.Away> away = new ArrayList<>();
    private final List<ClusterStatus.Refused> refused = new ArrayList<>();
    private final List<MdnsCounters> mdns = new ArrayList<>();
    private String lineage = "abc#1.0";
    private Optional<String> waiting = Optional.empty();

    public TestStatus(long epoch) {
        this.epoch = epoch;
    }

    public TestStatus lineage(String name) {
        lineage = name;
        return this;
    }

    public TestStatus member(NodeId id, String label, HealthStatus health) {
        return member(id, label, health, Optional.empty());
    }

    public TestStatus member(NodeId id, String label, HealthStatus health, Optional<String> apart) {
        nodes.add(new ClusterStatus.Node(
                id,
                label,
                "0.1.0",
                Optional.of(id.slot().equals(NodeId.AGENT) ? Role.AGENT : Role.TRAINER),
                id.slot().equals(NodeId.AGENT) ? "" : "job",
                OptionalInt.of(nodes.size()),
                nodes.isEmpty(),
                Optional.of("10.0.0." + nodes.size() + ":52416"),
                health,
                OptionalLong.empty(),
                OptionalLong.of(1_500_000),
                apart));
        return this;
    }

    public TestStatus away(NodeId id, String label, String why) {
        away.add(new ClusterStatus.Away(id, label, "10.0.0.9:52416", 1_000, why));
        return this;
    }

    public TestStatus refused(String address, String why) {
        refused.add(new ClusterStatus.Refused(address, "", why, 1));
        return this;
    }

    public TestStatus mdns(MdnsCounters counters) {
        mdns.add(counters);
        return this;
    }

    public TestStatus waiting(String why) {
        waiting = Optional.of(why);
        return this;
    }

    public ClusterStatus make() {
        NodeId self = nodes.getFirst().id();
        return new ClusterStatus(
                self,
                52416,
                new ClusterStatus.Namespace("home", "0011223344556677", false),
                ElectionState.MASTER,
                waiting,
                new ClusterStatus.ViewSummary(lineage, epoch, nodes.size(), self, "this node"),
                new ClusterStatus.SilenceSpan(1_500_000_000, Silence.Origin.CONFIGURED),
                nodes,
                away,
                refused,
                List.of(),
                List.of(),
                Map.of(),
                OptionalLong.empty(),
                0,
                List.of(),
                Optional.empty(),
                mdns,
                List.of(),
                Map.of());
    }
}
