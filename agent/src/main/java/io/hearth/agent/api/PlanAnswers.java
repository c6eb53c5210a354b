package io.hearth.agent.api;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.explain.SumExplainer;
import io.hearth.core.Clock;
import io.hearth.election.Role;
import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The answers to requests for a plan: what each group of the present view would do with a sum of some size. Without a trainer in the view,
 * all its nodes count as one group. The client's thread plans, within the work that the planner allows.
 */
public final class PlanAnswers {
    /** The schema that this version writes. */
    public static final int SCHEMA = 1;

    /** Most bytes of a sum, as for benches: 8 GiB - 4. */
    public static final long BYTES_MAX = (long) Integer.MAX_VALUE * Float.BYTES;

    /** A node knows the plan that a group follows only if it is one of its trainers, and an agent is none. */
    private static final String IN_USE =
            "only trainers know the plan in use; this one is made now, and a group changes its plan only to save a tenth";

    private final NodeId self;
    private final Supplier<ClusterStatus> status;
    private final Supplier<ClusterTopology> topology;
    private final Clock clock;

    /**
     * Answers from what one node knows.
     *
     * @param status gives the newest status at once
     * @param topology gives the newest topology at once
     */
    public PlanAnswers(NodeId self, Supplier<ClusterStatus> status, Supplier<ClusterTopology> topology, Clock clock) {
        this.self = self;
        this.status = status;
        this.topology = topology;
        this.clock = clock;
    }

    /**
     * The plans for a sum.
     *
     * @param size number of bytes; a text of another kind is answered by {@code error}
     */
    JsonObject answer(String size) {
        long bytes;
        try {
            bytes = Long.parseLong(size);
        } catch (NumberFormatException notANumber) {
            bytes = 0;
        }
        var json = new JsonObject();
        if (bytes < 1 || bytes > BYTES_MAX) {
            json.addProperty("error", "size must be 1 to " + BYTES_MAX + " bytes");
            return json;
        }
        ClusterTopology known = topology.get();
        SortedMap<String, List<NodeId>> trainers = groups(status.get());
        var groups = new JsonArray();
        for (Map.Entry<String, List<NodeId>> group : trainers.entrySet()) {
            var explained = SumExplainer.explain(group.getValue(), known, bytes, CollectiveConfig.DEFAULTS);
            JsonObject entry = PlanJson.of(explained, known, clock.nanoTime());
            if (!group.getKey().isEmpty()) {
                entry.addProperty("group", group.getKey());
            }
            groups.add(entry);
        }
        json.addProperty("schema", SCHEMA);
        json.addProperty("self", self.text());
        json.addProperty("bytes", bytes);
        json.addProperty("in_use", IN_USE);
        json.add("groups", groups);
        return json;
    }

    /** The trainers of the view by group and rank; without any, all members under an empty name. */
    private static SortedMap<String, List<NodeId>> groups(ClusterStatus status) {
        List<ClusterStatus.Node> members = status.nodes().stream()
                .filter(node -> node.rank().isPresent())
                .sorted(Comparator.comparingInt(node -> node.rank().orElseThrow()))
                .toList();
        SortedMap<String, List<NodeId>> groups = new TreeMap<>();
        members.stream()
                .filter(node -> node.role().filter(Role.TRAINER::equals).isPresent())
                .forEach(node -> groups.computeIfAbsent(node.group(), _ -> new ArrayList<>())
                        .add(node.id()));
        if (groups.isEmpty()) {
            List<NodeId> all = members.stream().map(ClusterStatus.Node::id).toList();
            groups.put("", all.isEmpty() ? List.of(status.self()) : all);
        }
        return groups;
    }
}
