package io.hearth.agent.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.agent.history.ClusterHistory;
import io.hearth.agent.history.JobReport;
import io.hearth.agent.loop.NodeInboxTest;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.agent.status.TestStatus;
import io.hearth.collective.Operation;
import io.hearth.collective.OperationCounts;
import io.hearth.discovery.mdns.MdnsCounters;
import io.hearth.election.health.HealthStatus;
import io.hearth.identity.NodeId;
import io.hearth.transport.LinkCounters;
import io.hearth.transport.LinkRejection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

final class PrometheusTextTest {
    private static final Pattern METRIC = Pattern.compile("\\bhearth_[a-z_]+");
    private static final NodeId DESK = NodeInboxTest.node(1);
    private static final NodeId STUDIO = NodeInboxTest.node(2);

    private static ClusterStatus status(long epoch, HealthStatus studio) {
        return new TestStatus(epoch)
                .member(DESK, "desk", HealthStatus.HEALTHY)
                .member(STUDIO, "the \"big\" one", studio)
                .refused("10.0.0.8", "another namespace")
                .mdns(new MdnsCounters("en0", "10.0.0.1", 12, 0, "", 40, 1, 2, 0, 2, 0, "", 0))
                .make();
    }

    private static String text() {
        var history = ClusterHistory.EMPTY
                .with(status(3, HealthStatus.HEALTHY), 10_000)
                .with(status(3, HealthStatus.UNHEALTHY), 12_000);
        var job = new JobReport(
                DESK,
                "digits",
                0,
                2,
                77,
                Optional.of(new JobReport.Progress(41, 100, 0.25)),
                new JobReport.Collectives(
                        Map.of(
                                Operation.ALL_REDUCE,
                                new OperationCounts(40, 1, 8.5, 1_000),
                                Operation.BARRIER,
                                new OperationCounts(7, 0, 0.5, 300)),
                        2,
                        4_000,
                        1.5,
                        "topk 1 %"));
        var links = new LinkCounters(3, Map.of(LinkRejection.NAMESPACE, 2L), 4, 5, 0, 6, 700, 800, 9, 10);
        return PrometheusText.of(
                status(3, HealthStatus.UNHEALTHY),
                history.tally(),
                links,
                List.of(job),
                new PrometheusText.About("0.1.0", 5_000, 20_000));
    }

    private static void assertLine(String text, String line) {
        assertTrue(text.lines().anyMatch(line::equals), line + " in\n" + text);
    }

    @Test
    void itTellsOfTheClusterTheElectionAndTheTrainings() {
        String text = text();
        assertLine(text, "hearth_agent_info{version=\"0.1.0\"} 1");
        assertLine(text, "hearth_agent_uptime_seconds 15.0");
        assertLine(text, "hearth_view_members 2.0");
        assertLine(text, "hearth_peers{health=\"unhealthy\"} 1.0");
        assertLine(text, "hearth_peers_refused 1.0");
        assertLine(text, "hearth_mdns_sent_packets_total{interface=\"en0\"} 12.0");
        assertLine(text, "hearth_events_total{kind=\"health\"} 1.0");
        assertLine(text, "hearth_events_total{kind=\"left\"} 0.0");
        String job = "{group=\"digits\",trainer=\"" + DESK.shortText() + "\"}";
        String sums = job.replace(",trainer", ",operation=\"all_reduce\",trainer");
        assertLine(text, "hearth_collective_duration_seconds_count" + sums + " 41");
        assertLine(text, "hearth_collective_duration_seconds_sum" + sums + " 8.5");
        assertLine(text, "hearth_collective_failed_total" + sums + " 1.0");
        assertLine(text, "hearth_collective_sent_bytes_total" + sums + " 1000.0");
        assertLine(text, "hearth_collective_duration_seconds_count" + sums.replace("all_reduce", "barrier") + " 7");
        assertLine(text, "hearth_collective_repeated_total" + job + " 2.0");
        assertLine(text, "hearth_compression_before_bytes_total" + job + " 4000.0");
        assertLine(text, "hearth_compression_after_bytes_total" + job + " 1000.0");
        assertLine(text, "hearth_compression_seconds_total" + job + " 1.5");
        assertLine(text, "hearth_links_made_total 3.0");
        assertLine(text, "hearth_links_refused_total{cause=\"namespace\"} 2.0");
        assertLine(text, "hearth_links_refused_total{cause=\"too_many\"} 0.0");
        assertLine(text, "hearth_links_bytes_total{direction=\"in\"} 700.0");
        assertLine(text, "hearth_links_messages_total{direction=\"out\"} 10.0");
        assertLine(text, "hearth_job_loss" + job + " 0.25");
        assertTrue(text.contains("hearth_compression_ratio{compression=\"topk 1 %\",group=\"digits\""), text);
    }

    @Test
    void prometheusAcceptsIt() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/promtool")), "promtool is not installed");
        Process check = new ProcessBuilder("/usr/bin/promtool", "check", "metrics")
                .redirectErrorStream(true)
                .start();
        try (var in = check.getOutputStream()) {
            in.write(text().getBytes(StandardCharsets.UTF_8));
        }
        String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, check.waitFor(), said);
    }

    @Test
    void theDashboardOfGrafanaAsksOnlyForWhatThereIs() throws Exception {
        SortedSet<String> there = names(text());
        String file = Files.readString(Path.of(System.getProperty("hearth.root"), "docs/grafana/hearth.json"));
        JsonObject dashboard = JsonParser.parseString(file).getAsJsonObject();
        SortedSet<String> asked = new TreeSet<>();
        for (JsonElement panel : dashboard.getAsJsonArray("panels")) {
            for (JsonElement target : panel.getAsJsonObject().getAsJsonArray("targets")) {
                asked.addAll(names(target.getAsJsonObject().get("expr").getAsString()));
            }
        }
        assertFalse(asked.isEmpty());
        asked.removeAll(there);
        assertEquals(new TreeSet<>(), asked);
    }

    private static SortedSet<String> names(String text) {
        return new TreeSet<>(
                METRIC.matcher(text).results().map(MatchResult::group).toList());
    }
}
