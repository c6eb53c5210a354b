package io.hearth.agent;

import com.google.gson.JsonObject;
import io.hearth.agent.api.LocalApiServer;
import io.hearth.agent.api.PlanAnswers;
import io.hearth.agent.api.StatusJson;
import io.hearth.agent.api.TopologyAnswers;
import io.hearth.agent.loop.CloseStack;
import io.hearth.agent.status.VersionedValue;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import java.util.Map;

/** The always-on node of a machine, with the local socket that {@code status}, {@code topology}, {@code plan} and {@code wait} use. */
public final class LocalAgent implements AutoCloseable {
    /** The socket's name in the home folder. */
    public static final String SOCKET = "agent.sock";

    private final CloseStack closing = new CloseStack();
    private final HearthNode node;

    private LocalAgent(HearthConfig config, Map<String, String> environment) throws SetupException {
        HearthHome home =
                config.home().isPresent() ? HearthHome.open(config.home().get()) : HearthHome.open(environment);
        boolean started = false;
        try {
            node = closing.keep(HearthNode.start(config, environment));
            var answers = new VersionedValue<JsonObject>(StatusJson.of(node.status()));
            var topology = new TopologyAnswers(node.id(), node::topology, Clock.system());
            var plans = new PlanAnswers(node.id(), node::status, node::topology, Clock.system());
            closing.keep(LocalApiServer.start(
                    home.socket(SOCKET), answers, topology.byRequest(), plans.byRequest(), node::statusAgeNanos));
            var translator = Thread.ofVirtual().name("hearth-status").start(() -> translate(answers, topology));
            closing.keep(translator::interrupt);
            started = true;
        } finally {
            if (!started) {
                closing.close();
            }
        }
    }

    /**
     * Starts the node and the local socket.
     *
     * @throws SetupException if something on this machine prevents the start; nothing is left running
     */
    public static LocalAgent start(HearthConfig config) throws SetupException {
        return start(config, System.getenv());
    }

    /**
     * As {@link #start(HearthConfig)}.
     *
     * @param environment in place of {@link System#getenv()}
     */
    public static LocalAgent start(HearthConfig config, Map<String, String> environment) throws SetupException {
        return new LocalAgent(config, environment);
    }

    /** The node. */
    public HearthNode node() {
        return node;
    }

    /** Waits until the node stops by itself, which happens only after a fatal error. */
    public void awaitFailure() throws InterruptedException {
        long seen = 0;
        while (node.failure().isEmpty()) {
            seen = node.awaitStatusAfter(seen, _ -> {});
        }
    }

    private void translate(VersionedValue<JsonObject> answers, TopologyAnswers topology) {
        try {
            long seen = 0;
            while (true) {
                seen = node.awaitStatusAfter(seen, status -> answers.publish(StatusJson.of(status)));
                topology.look();
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (Throwable fatal) { // otherwise all requests would get an old answer
            node.failed("the thread that writes the status", fatal);
        }
    }

    @Override
    public void close() {
        closing.close();
    }
}
