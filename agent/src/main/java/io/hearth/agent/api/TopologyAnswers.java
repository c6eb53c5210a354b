package io.hearth.agent.api;

import com.google.gson.JsonObject;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.export.TopologyDot;
import io.hearth.topology.export.TopologyHistory;
import io.hearth.topology.export.TopologyJson;
import io.hearth.topology.export.TopologyMermaid;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** The answers to requests for the topology: as JSON with its history, and as text for programs that draw graphs. */
public final class TopologyAnswers {
    /** The request for JSON. */
    public static final String JSON = "topology";

    /** The request for DOT; the answer has it under {@link #TEXT}. */
    public static final String DOT = "topology-dot";

    /** The request for Mermaid; the answer has it under {@link #TEXT}. */
    public static final String MERMAID = "topology-mermaid";

    /** The key of a text. */
    public static final String TEXT = "text";

    private final NodeId self;
    private final Supplier<ClusterTopology> newest;
    private final Clock clock;
    private final AtomicReference<TopologyHistory> history =
            new AtomicReference<>(TopologyHistory.EMPTY); // written by the thread that calls look(), read by clients'

    /**
     * Answers about the topology as one node sees it.
     *
     * @param newest gives the newest topology at once
     */
    public TopologyAnswers(NodeId self, Supplier<ClusterTopology> newest, Clock clock) {
        this.self = self;
        this.newest = newest;
        this.clock = clock;
    }

    /** Compares the newest topology with the history. One thread calls this, soon after each change. */
    public void look() {
        history.set(history.get().with(newest.get(), clock.epochMillis()));
    }

    /** What {@link LocalApiServer} needs: each request with its answer. */
    public Map<String, Supplier<JsonObject>> byRequest() {
        return Map.of(
                JSON, this::json,
                DOT, () -> text(TopologyDot.of(newest.get())),
                MERMAID, () -> text(TopologyMermaid.of(newest.get())));
    }

    private JsonObject json() {
        JsonObject json = TopologyJson.of(newest.get(), history.get(), clock.nanoTime());
        json.addProperty("self", self.text());
        return json;
    }

    private static JsonObject text(String text) {
        var json = new JsonObject();
        json.addProperty(TEXT, text);
        return json;
    }
}
