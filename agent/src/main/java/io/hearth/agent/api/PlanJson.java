package io.hearth.agent.api;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.collective.explain.SumExplanation;
import io.hearth.collective.explain.SumExplanation.Hop;
import io.hearth.collective.explain.SumExplanation.Pair;
import io.hearth.collective.explain.SumExplanation.Way;
import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.PathProfile;
import io.hearth.topology.export.NodeNames;
import io.hearth.topology.plan.Gap;
import io.hearth.topology.plan.Plan;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A {@link SumExplanation} as JSON, with the names of nodes and the paths of hops. What is not known has no key; a time is under {@code
 * predicted_ms} only if it follows from measured rates, else under {@code assumed_ms}.
 */
final class PlanJson {
    private final SumExplanation explained;
    private final ClusterTopology topology;
    private final long nowNanos;
    private final List<String> names; // by rank

    private PlanJson(SumExplanation explained, ClusterTopology topology, long nowNanos) {
        this.explained = explained;
        this.topology = topology;
        this.nowNanos = nowNanos;
        Map<NodeId, String> known = NodeNames.of(topology);
        this.names = explained.members().stream()
                .map(node -> known.getOrDefault(node, node.shortText()))
                .toList();
    }

    /**
     * One object for one group.
     *
     * @param topology from which the explanation was made
     * @param nowNanos monotonic time, to which ages refer
     */
    static JsonObject of(SumExplanation explained, ClusterTopology topology, long nowNanos) {
        return new PlanJson(explained, topology, nowNanos).json();
    }

    private JsonObject json() {
        var json = new JsonObject();
        json.add("members", array(ranks(), this::member));
        json.addProperty("basis", explained.basis().name().toLowerCase(Locale.ROOT));
        json.addProperty("basis_text", explained.basis().text());
        explained.chosen().ifPresent(way -> {
            json.addProperty("in_place", explained.isInPlace());
            json.add("chosen", way(way));
            json.addProperty("streams", explained.streams());
            if (way.algorithm().equals("ring")) {
                json.add("order", array(order(), this::name));
            }
        });
        explained.runnerUp().ifPresent(way -> json.add("runner_up", way(way)));
        json.add(
                "others",
                array(
                        explained.ways().stream()
                                .filter(way ->
                                        !explained.chosen().filter(way::equals).isPresent())
                                .filter(way -> !explained
                                        .runnerUp()
                                        .filter(way::equals)
                                        .isPresent())
                                .toList(),
                        this::way));
        json.add("hops", array(explained.hops(), this::hop));
        json.addProperty("hop_count", explained.hopCount());
        json.add("gaps", array(explained.gaps(), this::gap));
        json.add("one_way", array(explained.oneWay(), this::pair));
        json.add("not_measured", array(explained.unmeasured(), this::pair));
        json.addProperty("not_measured_count", explained.unmeasuredCount());
        json.add("without_report", array(explained.silent(), this::name));
        return json;
    }

    private List<Integer> ranks() {
        return IntStream.range(0, names.size()).boxed().toList();
    }

    private List<Integer> order() {
        return explained.plan().order().isEmpty() ? ranks() : explained.plan().order();
    }

    /** A member, with its share of the buffer or its leader where the chosen way has them. */
    private JsonObject member(int rank) {
        var json = new JsonObject();
        json.addProperty("rank", rank);
        json.addProperty("id", explained.members().get(rank).text());
        json.addProperty("name", names.get(rank));
        Plan plan = explained.plan();
        switch (explained.chosen().map(Way::algorithm).orElse("")) {
            case "direct" -> json.addProperty("owns", share(plan.weights(), rank, names.size()));
            case "islands" -> {
                int leader = plan.islands().get(rank);
                json.addProperty("leader", names.get(leader));
                if (leader == rank) {
                    List<Integer> leaders = plan.leaders();
                    json.addProperty("owns", share(plan.leaderWeights(), leaders.indexOf(rank), leaders.size()));
                }
            }
            default -> {} // all members do the same
        }
        return json;
    }

    /** A part of the buffer, 0 to 1, with four decimals. */
    private static double share(List<Integer> weights, int index, int count) {
        return rounded(weights.isEmpty() ? 1.0 / count : (double) weights.get(index) / Plan.WEIGHTS_SUM, 1e4);
    }

    private JsonObject way(Way way) {
        var json = new JsonObject();
        json.addProperty("algorithm", way.algorithm());
        json.addProperty("text", way.text());
        way.nanos()
                .ifPresent(nanos -> json.addProperty(
                        explained.basis().isMeasured() ? "predicted_ms" : "assumed_ms",
                        rounded((double) nanos / 1e6, 1e3)));
        json.addProperty("reason", way.reason());
        return json;
    }

    private JsonObject hop(Hop hop) {
        JsonObject json = pair(new Pair(hop.from(), hop.to()));
        json.addProperty("share", rounded(hop.share(), 1e4));
        hop.bytesPerSecond().ifPresent(rate -> json.addProperty("bytes_per_second", rate));
        NodeId from = explained.members().get(hop.from());
        NodeId to = explained.members().get(hop.to());
        topology.link(from, to).ifPresent(link -> {
            PathProfile path = link.best();
            json.addProperty("path", path.path());
            json.addProperty("class", path.kind().name().toLowerCase(Locale.ROOT));
            json.addProperty("evidence", path.evidence());
            json.addProperty("rtt_ms", rounded((double) path.roundTripNanos() / 1e6, 1e3));
            if (hop.bytesPerSecond().isPresent()) {
                json.addProperty("age_s", path.ageNanos(nowNanos) / 1_000_000_000L);
            }
        });
        return json;
    }

    private JsonObject pair(Pair pair) {
        var json = new JsonObject();
        json.addProperty("from", name(pair.from()));
        json.addProperty("to", name(pair.to()));
        return json;
    }

    private JsonObject gap(Gap gap) {
        JsonObject json = pair(new Pair(gap.from(), gap.to()));
        json.addProperty("mutual", gap.isMutual());
        return json;
    }

    private String name(int rank) {
        return names.get(rank);
    }

    private static double rounded(double value, double places) {
        return (double) Math.round(value * places) / places;
    }

    /** One entry for each item, which is a text or an object. */
    private static <T> JsonArray array(List<T> items, Function<T, ?> entry) {
        var array = new JsonArray();
        for (T item : items) {
            switch (entry.apply(item)) {
                case JsonObject object -> array.add(object);
                case Object text -> array.add(text.toString());
            }
        }
        return array;
    }
}
