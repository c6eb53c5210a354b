package io.hearth.scheduler.server;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.scheduler.JobView;
import io.hearth.scheduler.SchedulerMetrics;
import io.hearth.scheduler.machine.Views;
import io.hearth.serve.grpc.ServicePort;
import io.hearth.serve.grpc.StatusPages;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What a browser and scripts see of a scheduler. */
final class SchedulerPages {
    private static final int JOBS_SHOWN_MAX = 100;
    private static final double SECONDS_PER_MINUTE = 60;

    private SchedulerPages() {}

    static ServicePort.Pages of(Supplier<Views> views) {
        return new StatusPages<>(
                "Scheduler",
                "jobs",
                () -> CompletableFuture.completedFuture(views.get()),
                SchedulerPages::html,
                SchedulerPages::json);
    }

    private static String html(Views now) {
        SchedulerMetrics metrics = now.metrics();
        var text = new StringBuilder(String.format(
                Locale.ROOT,
                "<p>%s%d nodes, %d jobs that go on, %d shards. %d barriers, the last after %.2f s.</p>%n",
                now.state().isServing() ? "" : "Another machine answers for this cluster. ",
                metrics.activeNodes(),
                metrics.activeJobs(),
                metrics.totalShards(),
                metrics.barriers(),
                metrics.barrierSecondsLast()));
        List<JobView> jobs = now.jobs();
        jobs.stream().limit(JOBS_SHOWN_MAX).forEach(job -> text.append(section(job)));
        if (jobs.size() > JOBS_SHOWN_MAX) {
            text.append("<p>and ").append(jobs.size() - JOBS_SHOWN_MAX).append(" more</p>\n");
        }
        return text.toString();
    }

    private static String section(JobView job) {
        var rows = new StringBuilder();
        for (JobView.NodeView node : job.nodes()) {
            rows.append(String.format(
                    Locale.ROOT,
                    "<tr><td>%s</td><td>%s</td><td>epoch %d</td><td>%d samples, %.1f/s</td><td>%d shards left</td>"
                            + "<td>%s</td></tr>%n",
                    StatusPages.escaped(node.id()),
                    node.status().name().toLowerCase(Locale.ROOT),
                    node.epoch(),
                    node.samples(),
                    node.samplesPerSecond(),
                    node.openShards(),
                    node.isStraggler() ? "behind" : ""));
        }
        String eta = job.etaSeconds().isPresent()
                ? String.format(
                        Locale.ROOT,
                        ", about %.1f minutes left",
                        job.etaSeconds().getAsDouble() / SECONDS_PER_MINUTE)
                : "";
        return String.format(
                Locale.ROOT,
                "<h2>%s: %s</h2>%n<p>Epoch %d of %d, %d of %d shards, %.1f samples/s%s. %s</p>%n<table>%s</table>%n",
                StatusPages.escaped(job.spec().name()),
                job.state().name().toLowerCase(Locale.ROOT),
                job.epoch(),
                job.spec().epochs(),
                job.completed(),
                job.spec().shards(),
                job.samplesPerSecond(),
                eta,
                StatusPages.escaped(job.reason()),
                rows);
    }

    private static JsonObject json(Views now) {
        SchedulerMetrics metrics = now.metrics();
        var counters = new JsonObject();
        counters.addProperty("total_jobs", metrics.totalJobs());
        counters.addProperty("active_jobs", metrics.activeJobs());
        counters.addProperty("active_nodes", metrics.activeNodes());
        counters.addProperty("total_data_shards", metrics.totalShards());
        counters.addProperty("coordination_events", metrics.events());
        counters.addProperty("barriers", metrics.barriers());
        counters.addProperty("barrier_seconds_last", metrics.barrierSecondsLast());
        counters.addProperty("barrier_seconds_mean", metrics.barrierSecondsMean());
        var nodes = new JsonObject();
        now.nodes().forEach((id, status) -> nodes.addProperty(id, status.name().toLowerCase(Locale.ROOT)));
        var jobs = new JsonArray();
        now.jobs().stream().limit(JOBS_SHOWN_MAX).forEach(job -> jobs.add(json(job)));
        var all = new JsonObject();
        all.addProperty("serving", now.state().isServing());
        all.add("metrics", counters);
        all.add("nodes", nodes);
        all.add("jobs", jobs);
        return all;
    }

    private static JsonObject json(JobView job) {
        var json = new JsonObject();
        json.addProperty("name", job.spec().name());
        json.addProperty("state", job.state().name().toLowerCase(Locale.ROOT));
        json.addProperty("reason", job.reason());
        json.addProperty("epoch", job.epoch());
        json.addProperty("epochs", job.spec().epochs());
        json.addProperty("shards", job.spec().shards());
        json.addProperty("shards_completed", job.completed());
        json.addProperty("samples_per_second", job.samplesPerSecond());
        job.etaSeconds().ifPresent(eta -> json.addProperty("eta_seconds", eta));
        json.addProperty("barrier_epoch", job.barrier());
        var nodes = new JsonArray();
        var stragglers = new JsonArray();
        for (JobView.NodeView node : job.nodes()) {
            var each = new JsonObject();
            each.addProperty("node_id", node.id());
            each.addProperty("status", node.status().name().toLowerCase(Locale.ROOT));
            each.addProperty("epoch", node.epoch());
            each.addProperty("samples", node.samples());
            each.addProperty("samples_per_second", node.samplesPerSecond());
            each.addProperty("open_shards", node.openShards());
            nodes.add(each);
            if (node.isStraggler()) {
                stragglers.add(node.id());
            }
        }
        json.add("nodes", nodes);
        json.add("stragglers", stragglers);
        return json;
    }
}
