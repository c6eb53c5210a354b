package io.hearth.lighthouse.server;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.lighthouse.LighthouseSettings;
import io.hearth.serve.grpc.ServicePort;
import io.hearth.serve.grpc.StatusPages;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What a browser and scripts see of a lighthouse. */
final class LighthousePages implements ServicePort.Pages {
    private static final int SHOWN_MAX = 500;
    private static final double NANOS_PER_SECOND = 1e9;

    private final LighthouseSettings settings;
    private final StatusPages<Lighthouse.View> status;

    LighthousePages(LighthouseSettings settings, Supplier<Lighthouse.View> view) {
        this.settings = settings;
        this.status = new StatusPages<>(
                "Lighthouse",
                "status",
                () -> CompletableFuture.completedFuture(view.get()),
                LighthousePages::html,
                this::json);
    }

    @Override
    public CompletableFuture<ServicePort.Page> answer(String method, String uri) {
        if (method.equals("POST") && uri.matches("/replica/.*/kill")) {
            return new ServicePort.Page(
                            403, "text/plain", "this lighthouse ends no replicas for callers it does not know\n")
                    .now();
        }
        return status.answer(method, uri);
    }

    private static String html(Lighthouse.View now) {
        if (!now.isServing()) {
            return StatusPages.ELSEWHERE;
        }
        var rows = new StringBuilder();
        now.state().heard().entrySet().stream().limit(SHOWN_MAX).forEach(entry -> {
            double age = (now.nanos() - entry.getValue().nanos()) / NANOS_PER_SECOND;
            var asking = now.state().asking().get(entry.getKey());
            rows.append("<tr><td>")
                    .append(StatusPages.escaped(entry.getKey()))
                    .append("</td><td>")
                    .append(String.format(Locale.ROOT, "%.1f s ago", age))
                    .append("</td><td>")
                    .append(
                            asking == null
                                    ? ""
                                    : "asks for a quorum at step "
                                            + asking.member().step())
                    .append("</td><td>")
                    .append(now.state().before().contains(entry.getKey()) ? "in the quorum" : "")
                    .append("</td></tr>\n");
        });
        int hidden = now.state().heard().size() - SHOWN_MAX;
        return """
                <p>Quorum %d, %d members. %s</p>
                <table><tr><th>replica</th><th>heard</th><th></th><th></th></tr>
                %s</table>
                %s""".formatted(
                        now.ledger().quorumId(),
                        now.state().before().size(),
                        StatusPages.escaped(now.state().reason()),
                        rows,
                        hidden > 0 ? "<p>and " + hidden + " more</p>\n" : "");
    }

    private JsonObject json(Lighthouse.View now) {
        var status = new JsonObject();
        status.addProperty("serving", now.isServing());
        status.addProperty("min_replicas", settings.minReplicas());
        if (!now.isServing()) {
            return status;
        }
        var replicas = new JsonArray();
        now.state().heard().entrySet().stream().limit(SHOWN_MAX).forEach(entry -> {
            var replica = new JsonObject();
            replica.addProperty("replica_id", entry.getKey());
            replica.addProperty(
                    "heard_seconds_ago", (now.nanos() - entry.getValue().nanos()) / NANOS_PER_SECOND);
            replica.addProperty("asks", now.state().asking().containsKey(entry.getKey()));
            replica.addProperty("in_quorum", now.state().before().contains(entry.getKey()));
            replicas.add(replica);
        });
        status.addProperty("quorum_id", now.ledger().quorumId());
        status.addProperty("reason", now.state().reason());
        status.addProperty("known_replicas", now.state().heard().size());
        status.add("replicas", replicas);
        return status;
    }
}
