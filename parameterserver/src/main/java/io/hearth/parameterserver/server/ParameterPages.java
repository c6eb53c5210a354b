package io.hearth.parameterserver.server;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.parameterserver.wire.PartStatus;
import io.hearth.parameterserver.wire.StatusResponse;
import io.hearth.serve.grpc.ServicePort;
import io.hearth.serve.grpc.StatusPages;

/** What a browser and scripts see of a parameter server. */
final class ParameterPages {
    private ParameterPages() {}

    static ServicePort.Pages of(Parts parts) {
        return new StatusPages<>(
                "Parameter server", "status", parts::status, ParameterPages::html, ParameterPages::json);
    }

    private static String html(StatusResponse status) {
        var rows = new StringBuilder();
        for (PartStatus part : status.getPartList()) {
            rows.append("<tr><td>%d</td><td>%s</td><td>%s</td><td>%s</td><td>%d</td><td>%d</td><td>%s</td></tr>\n"
                    .formatted(
                            part.getPart(),
                            StatusPages.escaped(part.getPrimary()),
                            StatusPages.escaped(part.getHolder()),
                            part.getInitialized() ? "yes" : "",
                            part.getParameters(),
                            part.getUpdates(),
                            StatusPages.escaped(String.join("; ", part.getWarningsList()))));
        }
        return """
                <p>%d parts, %s updates, %d trainers registered. Parameters and updates are those that this machine has.</p>
                <table><tr><th>part</th><th>served by</th><th>copy</th><th>initialized</th><th>parameters</th><th>updates</th><th></th></tr>
                %s</table>
                """.formatted(
                        status.getParts(),
                        status.getSynchronous() ? "synchronous" : "asynchronous",
                        status.getTrainersCount(),
                        rows);
    }

    private static JsonObject json(StatusResponse status) {
        var json = new JsonObject();
        json.addProperty("parts", status.getParts());
        json.addProperty("synchronous", status.getSynchronous());
        var trainers = new JsonArray();
        status.getTrainersList().forEach(trainers::add);
        json.add("trainers", trainers);
        var all = new JsonArray();
        for (PartStatus part : status.getPartList()) {
            var one = new JsonObject();
            one.addProperty("part", part.getPart());
            one.addProperty("term", part.getTerm());
            one.addProperty("primary", part.getPrimary());
            one.addProperty("holder", part.getHolder());
            one.addProperty("role", part.getRole());
            one.addProperty("initialized", part.getInitialized());
            one.addProperty("parameters", part.getParameters());
            one.addProperty("updates", part.getUpdates());
            var warnings = new JsonArray();
            part.getWarningsList().forEach(warnings::add);
            one.add("warnings", warnings);
            all.add(one);
        }
        json.add("part", all);
        return json;
    }
}
