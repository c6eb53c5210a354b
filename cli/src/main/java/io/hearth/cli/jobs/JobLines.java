package io.hearth.cli.jobs;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Table;
import io.hearth.scheduler.JobView;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Jobs for people and for programs. */
final class JobLines {
    private static final List<String> HEAD = List.of("JOB", "STATE", "EPOCH", "SHARDS", "SAMPLES/S", "TIME LEFT", "");
    private static final List<String> NODE_HEAD =
            List.of("NODE", "STATUS", "EPOCHS", "SAMPLES", "SAMPLES/S", "SHARDS", "");

    private JobLines() {}

    static List<String> table(List<JobView> jobs) {
        var rows = new ArrayList<List<String>>();
        rows.add(HEAD);
        for (JobView job : jobs) {
            rows.add(List.of(
                    job.spec().name(),
                    lower(job.state()),
                    job.epoch() + "/" + job.spec().epochs(),
                    job.completed() + "/" + job.spec().shards(),
                    rate(job.samplesPerSecond()),
                    job.etaSeconds().isPresent()
                            ? String.format(
                                    Locale.ROOT, "%.0f s", job.etaSeconds().getAsDouble())
                            : "",
                    job.reason()));
        }
        return Table.lines(rows);
    }

    static List<String> nodes(JobView job) {
        var rows = new ArrayList<List<String>>();
        rows.add(NODE_HEAD);
        for (JobView.NodeView node : job.nodes()) {
            rows.add(List.of(
                    node.id(),
                    lower(node.status()),
                    "" + node.epoch(),
                    "" + node.samples(),
                    rate(node.samplesPerSecond()),
                    "" + node.openShards(),
                    node.isStraggler() ? "straggler" : ""));
        }
        return Table.lines(rows);
    }

    static JsonObject json(JobView job) {
        var line = new JsonObject();
        line.addProperty("schema", 1);
        line.addProperty("job", job.spec().name());
        line.addProperty("state", lower(job.state()));
        line.addProperty("reason", job.reason());
        line.addProperty("epoch", job.epoch());
        line.addProperty("epochs", job.spec().epochs());
        line.addProperty("shards", job.spec().shards());
        line.addProperty("completed", job.completed());
        line.addProperty("samples_per_second", job.samplesPerSecond());
        job.etaSeconds().ifPresent(seconds -> line.addProperty("eta_seconds", seconds));
        var nodes = new JsonArray();
        for (JobView.NodeView node : job.nodes()) {
            var entry = new JsonObject();
            entry.addProperty("node", node.id());
            entry.addProperty("status", lower(node.status()));
            entry.addProperty("epochs", node.epoch());
            entry.addProperty("samples", node.samples());
            entry.addProperty("samples_per_second", node.samplesPerSecond());
            entry.addProperty("open_shards", node.openShards());
            entry.addProperty("straggler", node.isStraggler());
            nodes.add(entry);
        }
        line.add("nodes", nodes);
        return line;
    }

    private static String rate(double perSecond) {
        return perSecond > 0 ? String.format(Locale.ROOT, "%.1f", perSecond) : "";
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
