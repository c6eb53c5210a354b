package io.hearth.coordinator.server;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.coordinator.CoordinatorSettings;
import io.hearth.coordinator.machine.Checkpoint;
import io.hearth.coordinator.machine.RegisteredWorker;
import io.hearth.coordinator.machine.WorkerLedger;
import io.hearth.serve.grpc.ServicePort;
import io.hearth.serve.grpc.StatusPages;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What a browser and scripts see of a coordinator. */
final class CoordinatorPages {
    private static final int SHOWN_MAX = 500;
    private static final double NANOS_PER_SECOND = 1e9;

    private CoordinatorPages() {}

    static ServicePort.Pages of(CoordinatorSettings settings, Supplier<Coordinator.View> view) {
        return new StatusPages<>(
                "Coordinator",
                "status",
                () -> CompletableFuture.completedFuture(view.get()),
                CoordinatorPages::html,
                now -> json(settings, now));
    }

    private static List<RegisteredWorker> shown(WorkerLedger ledger) {
        return ledger.byRank().values().stream().limit(SHOWN_MAX).toList();
    }

    private static double age(Coordinator.View now, RegisteredWorker worker) {
        return (now.nanos() - now.state().heard().nanos(worker.rank())) / NANOS_PER_SECOND;
    }

    private static String html(Coordinator.View now) {
        if (!now.state().isServing()) {
            return StatusPages.ELSEWHERE;
        }
        WorkerLedger ledger = now.state().ledger();
        var rows = new StringBuilder();
        for (RegisteredWorker worker : shown(ledger)) {
            rows.append("<tr><td>%d</td><td>%s</td><td>%s</td><td>%s</td></tr>\n"
                    .formatted(
                            worker.rank(),
                            StatusPages.escaped(worker.id()),
                            StatusPages.escaped(worker.address()),
                            String.format(Locale.ROOT, "%.1f s ago", age(now, worker))));
        }
        var checkpoints = new StringBuilder();
        for (Checkpoint checkpoint : ledger.checkpoints().values()) {
            checkpoints.append("<tr><td>%s</td><td>%s</td><td>%d of %d ended it, %d left</td><td>%s</td></tr>\n"
                    .formatted(
                            checkpoint.id(),
                            StatusPages.escaped(checkpoint.path()),
                            checkpoint.ended(),
                            checkpoint.listed(),
                            left(checkpoint),
                            checkpoint.isComplete() ? "complete" : "being written"));
        }
        int hidden = ledger.byRank().size() - SHOWN_MAX;
        return """
                <p>%d workers.</p>
                <table><tr><th>rank</th><th>worker</th><th>address</th><th>heard</th></tr>
                %s</table>
                %s<table><tr><th>checkpoint</th><th>path</th><th></th><th></th></tr>
                %s</table>
                """.formatted(
                ledger.byRank().size(), rows, hidden > 0 ? "<p>and " + hidden + " more</p>\n" : "", checkpoints);
    }

    private static int left(Checkpoint checkpoint) {
        return checkpoint.listed() - checkpoint.ended() - checkpoint.pending().size();
    }

    private static JsonObject json(CoordinatorSettings settings, Coordinator.View now) {
        boolean isServing = now.state().isServing();
        WorkerLedger ledger = now.state().ledger();
        var status = new JsonObject();
        status.addProperty("serving", isServing);
        status.addProperty("heartbeat_timeout_seconds", settings.heartbeatTimeoutNanos() / NANOS_PER_SECOND);
        if (isServing) {
            var workers = new JsonArray();
            for (RegisteredWorker worker : shown(ledger)) {
                var each = new JsonObject();
                each.addProperty("rank", worker.rank());
                each.addProperty("worker_id", worker.id());
                each.addProperty("address", worker.address());
                each.addProperty("heard_seconds_ago", age(now, worker));
                workers.add(each);
            }
            var checkpoints = new JsonArray();
            for (Checkpoint checkpoint : ledger.checkpoints().values()) {
                var each = new JsonObject();
                each.addProperty("checkpoint_id", checkpoint.id());
                each.addProperty("path", checkpoint.path());
                each.addProperty("listed", checkpoint.listed());
                each.addProperty("ended", checkpoint.ended());
                each.addProperty("left", left(checkpoint));
                each.addProperty("complete", checkpoint.isComplete());
                checkpoints.add(each);
            }
            status.addProperty("registered_workers", ledger.byRank().size());
            status.addProperty("version", ledger.version());
            status.add("workers", workers);
            status.add("checkpoints", checkpoints);
        }
        return status;
    }
}
