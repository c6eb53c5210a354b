package io.hearth.agent;

import io.hearth.agent.api.LocalApi;
import io.hearth.agent.api.LocalApiClient;
import io.hearth.agent.api.PlanAnswers;
import io.hearth.agent.api.TopologyAnswers;
import io.hearth.agent.guest.NodeGuest;
import io.hearth.agent.history.ClusterHistory;
import io.hearth.agent.http.HttpListener;
import io.hearth.agent.http.PagePasses;
import io.hearth.agent.http.TokenFile;
import io.hearth.agent.loop.CloseStack;
import io.hearth.agent.settings.Setting;
import io.hearth.agent.settings.Settings;
import io.hearth.agent.status.VersionedValue;
import io.hearth.core.Clock;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The always-on node of a machine, with its API: on a unix socket for the commands of this user, and on loopback TCP, where one can only
 * read, for the page.
 */
public final class LocalAgent implements AutoCloseable {
    /** The socket's name in the home folder. */
    public static final String SOCKET = "agent.sock";

    /** The port of the page, unless it is taken. */
    public static final int PAGE_PORT_DEFAULT = 52_418;

    private static final Duration FIRST_ANSWER_MAX = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(LocalAgent.class);

    private final CloseStack closing = new CloseStack();
    private final HearthNode node;
    private final HttpListener page;

    private LocalAgent(
            HearthConfig config, OptionalInt pagePort, Map<String, String> environment, NodeGuest.Maker guests)
            throws SetupException {
        HearthHome home =
                config.home().isPresent() ? HearthHome.open(config.home().get()) : HearthHome.open(environment);
        Clock clock = Clock.system();
        boolean started = false;
        try {
            node = closing.keep(HearthNode.start(config, environment, guests));
            var history = new VersionedValue<>(ClusterHistory.EMPTY);
            var topology = new TopologyAnswers(node.id(), node::topology, clock);
            var plans = new PlanAnswers(node.id(), node::status, node::topology, clock);
            var passes = new PagePasses(TokenFile.loadOrCreate(home), clock);
            var api = new LocalApi(
                    node.latestStatus(),
                    history,
                    topology,
                    plans,
                    node::statusAgeNanos,
                    node::linkCounters,
                    node::services,
                    new LocalApi.AboutAgent(NodeAssembly.version(), clock.epochMillis(), () -> link(passes)),
                    clock);
            page = closing.keep(page(pagePort.isPresent() ? pagePort : set(home, environment), passes, api));
            closing.keep(HttpListener.unix(home.socket(SOCKET), api));
            awaitFirstAnswer(home.socket(SOCKET));
            var historian = Thread.ofVirtual().name("hearth-history").start(() -> follow(history, topology, clock));
            closing.keep(historian::interrupt);
            started = true;
        } finally {
            if (!started) {
                closing.close();
            }
        }
    }

    /**
     * Starts the node and its API, with the page on its default port or, if that is taken, a free one.
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
        return start(config, OptionalInt.empty(), environment);
    }

    /**
     * As {@link #start(HearthConfig, Map)}.
     *
     * @param pagePort port of the page on 127.0.0.1
     * @throws SetupException also if the page's port is given and taken
     */
    public static LocalAgent start(HearthConfig config, OptionalInt pagePort, Map<String, String> environment)
            throws SetupException {
        return start(config, pagePort, environment, NodeGuest.Maker.NONE);
    }

    /** As {@link #start(HearthConfig, OptionalInt, Map)}, with a guest. */
    public static LocalAgent start(
            HearthConfig config, OptionalInt pagePort, Map<String, String> environment, NodeGuest.Maker guests)
            throws SetupException {
        return new LocalAgent(config, pagePort, environment, guests);
    }

    /**
     * Asks for the status as a command does. The first answer loads classes, so it takes many times as long as the next ones, on a busy machine
     * more than a second; commands would take the agent for a stuck one.
     */
    private static void awaitFirstAnswer(Path socket) throws SetupException {
        try {
            var _ = LocalApiClient.status(socket, FIRST_ANSWER_MAX);
        } catch (SetupException silent) {
            throw silent;
        } catch (HearthException malformed) {
            throw new IllegalStateException("the agent's own answer cannot be read", malformed);
        }
    }

    /** The page's port in the settings of this machine. */
    private static OptionalInt set(HearthHome home, Map<String, String> environment) throws SetupException {
        return Settings.read(home, environment)
                .value(Setting.PAGE_PORT)
                .map(port -> OptionalInt.of(Integer.parseInt(port)))
                .orElse(OptionalInt.empty());
    }

    private static HttpListener page(OptionalInt port, PagePasses passes, LocalApi api) throws SetupException {
        try {
            return HttpListener.loopback(port.orElse(PAGE_PORT_DEFAULT), passes, api);
        } catch (IOException taken) {
            if (port.isPresent()) {
                throw new SetupException(
                        "port " + port.getAsInt() + " of 127.0.0.1 cannot be opened for the page (" + taken.getMessage()
                                + "): choose another with --page-port",
                        taken);
            }
        }
        try {
            HttpListener page = HttpListener.loopback(0, passes, api);
            LOG.info("port {} is taken: the page is on port={}", PAGE_PORT_DEFAULT, page.port());
            return page;
        } catch (IOException failed) {
            throw new SetupException("no port of 127.0.0.1 can be opened for the page: " + failed.getMessage(), failed);
        }
    }

    private String link(PagePasses passes) {
        return "http://127.0.0.1:" + page.port() + "/?pass=" + passes.pass();
    }

    /** The socket of a home's agent, which may not be there. */
    static Path socket(HearthHome home) {
        return home.folder().resolve("run").resolve(SOCKET);
    }

    /** The node. */
    public HearthNode node() {
        return node;
    }

    /** The port of the page on 127.0.0.1. */
    public int pagePort() {
        return page.port();
    }

    /** Waits until the node stops by itself, which happens only after a fatal error. */
    public void awaitFailure() throws InterruptedException {
        long seen = 0;
        while (node.failure().isEmpty()) {
            seen = node.awaitStatusAfter(seen, _ -> {});
        }
    }

    private void follow(VersionedValue<ClusterHistory> history, TopologyAnswers topology, Clock clock) {
        try {
            long seen = 0;
            while (true) {
                seen = node.awaitStatusAfter(
                        seen, status -> history.publish(history.value().with(status, clock.epochMillis())));
                topology.look();
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (Throwable fatal) { // otherwise the history would end without a word
            node.failed("the thread that writes the history", fatal);
        }
    }

    @Override
    public void close() {
        closing.close();
    }
}
