package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.agent.LocalAgent;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NetworkNamespace;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.client.SchedulerClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent's page in a real browser, as {@code hearth dashboard} opens it. */
@Tag("full")
final class PageIT {
    private static final String MARKUP = "<img src=x onerror=alert(1)>";

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NetworkNamespace namespace = NetworkNamespace.create("home");

    @SuppressWarnings("NullAway.Init") // set before each test
    private Browser browser;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Commands here;

    @BeforeEach
    void findABrowser() throws Exception {
        browser = Browser.require(folder.resolve("profile"));
        here = Commands.in(folder.resolve("here"), namespace);
    }

    private static LocalAgent agent(Commands commands, String label, String... peers) throws Exception {
        HearthConfig config = HearthConfig.defaults()
                .agent("agent")
                .label(label)
                .interfaces(List.of("lo"))
                .peers(List.of(peers));
        return LocalAgent.start(config, commands.environment());
    }

    private static void awaitMembers(LocalAgent agent, int members) throws InterruptedException {
        long seen = 0;
        while (agent.node().status().view().members() < members) {
            seen = agent.node().awaitStatusAfter(seen, _ -> {});
        }
    }

    private static void awaitHealthy(LocalAgent agent) throws InterruptedException {
        long seen = 0;
        while (agent.node().status().nodes().stream()
                .map(ClusterStatus.Node::health)
                .anyMatch(health -> !health.name().equals("HEALTHY"))) {
            seen = agent.node().awaitStatusAfter(seen, _ -> {});
        }
    }

    private String link() {
        return here.run("dashboard", "--print").out().strip();
    }

    private static String part(String document, String from, String to) {
        int start = document.indexOf(from);
        int end = document.indexOf(to, Math.max(0, start));
        return start < 0 || end < 0 ? "" : document.substring(start, end);
    }

    @Test
    void aNameIsShownAsTextAndAStrangerSeesNothing() throws Exception {
        Commands there = Commands.in(folder.resolve("there"), namespace);
        try (LocalAgent first = agent(here, "desk");
                LocalAgent _ = agent(there, MARKUP, "127.0.0.1:" + first.node().port())) {
            awaitMembers(first, 2);
            awaitHealthy(first);
            String link = link();
            String page = browser.document(link);
            assertTrue(page.contains("2 nodes in view"), page);
            assertTrue(page.contains("&lt;img src=x onerror=alert(1)&gt;"), page);
            assertFalse(page.contains("<img src=\"x\"") || page.contains("<img src=x"), page);
            String machines = part(page, "<table id=\"nodes\">", "</table>");
            assertEquals(3, machines.split("<tr>", -1).length - 1, machines);
            assertTrue(machines.contains("class=\"healthy\">healthy"), machines);
            assertEquals(2, part(page, "<svg viewBox", "</svg>").split("role=\"button\"", -1).length - 1, page);
            assertFalse(link.isEmpty() || page.contains(link.replaceAll(".*pass=", "")), "the pass is used up");

            String again = browser.document(link.replaceAll("\\?.*", "?pass=guess"));
            assertFalse(again.contains("desk"), again);
            assertTrue(again.contains("hearth dashboard"), again);
        }
    }

    @Test
    void aTrainingThatReportsIsShownWithItsCurve() throws Exception {
        try (LocalAgent agent = agent(here, "desk")) {
            HearthConfig config = HearthConfig.defaults()
                    .interfaces(List.of("lo"))
                    .group("digits")
                    .peers(List.of("127.0.0.1:" + agent.node().port()));
            try (var trainer = AutoDiscoveryBackend.start(config, here.environment())) {
                trainer.waitForPeers(0, Duration.ofSeconds(30));
                var cluster = trainer.context();
                float[] values = new float[1_000];
                String page = "";
                for (int step = 0; !page.contains("uplot"); step++) { // the trainer reports about once a second
                    cluster.allReduce(values, ReduceOp.SUM);
                    trainer.report(step, 1_000_000, 1.0 / (1 + step));
                    if (step % 1_000 == 999) {
                        page = browser.document(link());
                    }
                }
                String job = part(page, "<article", "</article>");
                assertTrue(job.contains("digits: running") && job.contains("of 1000000"), job);
                assertTrue(job.contains("role=\"progressbar\"") && job.contains("Loss of digits"), job);
            }
            String over = browser.document(link());
            assertTrue(over.contains("digits: ended"), over);
        }
    }

    @Test
    void theServicesOfThisMachineAndTheSchedulersJobsAreShown() throws Exception {
        try (RunningProcess agent = RunningProcess.hearth(
                here.environment(), List.of(), "agent", "--interface", "lo", "--serve", "scheduler:0")) {
            String line = agent.await("the port", said -> said.contains("service=scheduler address="));
            String address = line.substring(line.indexOf("http://"));
            agent.await("an election", said -> said.contains("this machine answers for service=scheduler"));
            String where = address.substring("http://".length());
            int port = Integer.parseInt(where.substring(where.indexOf(':') + 1));
            try (SchedulerClient scheduler =
                    SchedulerClient.to(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
                var _ = scheduler.node(NodeSpec.worker("node", "127.0.0.1:1")).register();
            }
            assertEquals(
                    "",
                    here.run("jobs", "submit", "digits", "--scheduler", where).err());
            String page = browser.document(link());
            String services = part(page, "id=\"services-card\"", "</section>");
            assertTrue(services.contains(address) && services.contains("(this machine)"), services);
            assertTrue(services.contains("digits") && services.contains("running"), services);
            assertTrue(here.run("status").out().contains("service scheduler at " + address), page);
        }
    }
}
