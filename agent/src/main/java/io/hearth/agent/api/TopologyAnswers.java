package io.hearth.agent.api;

import com.google.gson.JsonObject;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.export.TopologyDot;
import io.hearth.topology.export.TopologyHistory;
import io.hearth.topology.export.TopologyJson;
import io.hearth.topology.export.TopologyMermaid;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** The answers to requests for the topology: as JSON with its history, and as text for programs that draw graphs. */
public final class TopologyAnswers {
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

    /** The topology with its history. */
    public JsonObject json() {
        JsonObject json = TopologyJson.of(newest.get(), history.get(), clock.nanoTime());
        json.addProperty("self", self.text());
        return json;
    }

    /** A graph for Graphviz. */
    String dot() {
        return TopologyDot.of(newest.get());
    }

    /** A Mermaid flow chart. */
    String mermaid() {
        return TopologyMermaid.of(newest.get());
    }
}
