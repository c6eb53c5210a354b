package io.hearth.cli.doctor;

import com.google.gson.JsonObject;
import io.hearth.agent.HearthConfig;
import io.hearth.agent.HearthNode;
import io.hearth.agent.LocalAgent;
import io.hearth.agent.api.LocalApi;
import io.hearth.agent.api.LocalApiClient;
import io.hearth.agent.api.StatusJson;
import io.hearth.agent.api.TopologyAnswers;
import io.hearth.core.Clock;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.SlotLease;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Status and topology from a node of this machine: its agent, or a node that runs only during the check. */
interface NodeView extends AutoCloseable {
    /** Time limit of each answer of the agent. */
    Duration ANSWER_MAX = Duration.ofSeconds(3);

    /** The status, as the local API gives it. */
    JsonObject status() throws HearthException;

    /** The topology, likewise. */
    JsonObject topology() throws HearthException;

    /** Whether it is the agent's. */
    boolean isAgent();

    @Override
    void close();

    /**
     * The agent's view, or that of a node that starts now.
     *
     * @throws HearthException if no agent runs and no node can start; says why and what to do
     */
    static NodeView open(HearthHome home, HearthConfig config, Map<String, String> environment) throws HearthException {
        return LocalApiClient.get(home.socket(LocalAgent.SOCKET), LocalApi.STATUS, ANSWER_MAX)
                        .isPresent()
                ? new AgentView(home)
                : new OwnView(HearthNode.start(config.agent(SlotLease.WAIT), environment));
    }

    /** Asks for the status again and again until it has something, at most for {@code span}. Returns the last one. */
    default JsonObject await(Predicate<JsonObject> wanted, Duration span) throws HearthException, InterruptedException {
        long deadline = System.nanoTime() + span.toNanos();
        JsonObject status = status();
        while (!wanted.test(status) && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(200);
            status = status();
        }
        return status;
    }

    /** The agent answers. */
    record AgentView(HearthHome home) implements NodeView {
        private JsonObject get(String target) throws HearthException {
            return LocalApiClient.get(home.socket(LocalAgent.SOCKET), target, ANSWER_MAX)
                    .orElseThrow(() -> new SetupException("the agent stopped; look at its log and start it again"));
        }

        @Override
        public JsonObject status() throws HearthException {
            return get(LocalApi.STATUS);
        }

        @Override
        public JsonObject topology() throws HearthException {
            return get(LocalApi.TOPOLOGY);
        }

        @Override
        public boolean isAgent() {
            return true;
        }

        @Override
        public void close() {
            // each answer has a connection of its own
        }
    }

    /** A node of this process answers. */
    record OwnView(HearthNode node) implements NodeView {
        @Override
        public JsonObject status() {
            return StatusJson.of(node.status());
        }

        @Override
        public JsonObject topology() {
            return new TopologyAnswers(node.id(), node::topology, Clock.system()).json();
        }

        @Override
        public boolean isAgent() {
            return false;
        }

        @Override
        public void close() {
            node.close();
        }
    }
}
