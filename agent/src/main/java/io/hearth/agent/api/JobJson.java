package io.hearth.agent.api;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.agent.history.JobReport;
import io.hearth.agent.history.LossCurve;
import io.hearth.collective.Operation;
import io.hearth.collective.OperationCounts;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.Labels;
import io.hearth.identity.NodeId;
import java.util.EnumMap;
import java.util.Optional;

/** The JSON form of a {@link JobReport}. */
public final class JobJson {
    private static final int TEXT_MAX = 64;

    private JobJson() {}

    /** One object with the fields of the report. */
    public static JsonObject of(JobReport report) {
        var json = new JsonObject();
        json.addProperty("trainer", report.trainer().text());
        json.addProperty("group", report.group());
        json.addProperty("rank", report.rank());
        json.addProperty("world", report.world());
        json.addProperty("started_ms", report.startedMillis());
        report.progress().ifPresent(progress -> {
            var made = new JsonObject();
            made.addProperty("step", progress.step());
            made.addProperty("steps", progress.steps());
            made.addProperty("loss", progress.loss());
            json.add("progress", made);
        });
        JobReport.Collectives counted = report.collectives();
        var operations = new JsonObject();
        counted.operations().forEach((operation, counts) -> operations.add(operation.text(), of(counts)));
        var collectives = new JsonObject();
        collectives.add("operations", operations);
        collectives.addProperty("repeated", counted.repeated());
        collectives.addProperty("plain_bytes", counted.plainBytes());
        collectives.addProperty("codec_seconds", counted.codecSeconds());
        collectives.addProperty("compression", counted.compression());
        json.add("collectives", collectives);
        return json;
    }

    private static JsonObject of(OperationCounts counts) {
        var json = new JsonObject();
        json.addProperty("completed", counts.completed());
        json.addProperty("failed", counts.failed());
        json.addProperty("seconds", counts.seconds());
        json.addProperty("sent_bytes", counts.sentBytes());
        return json;
    }

    /** Points as pairs of step and loss. */
    static JsonArray of(LossCurve curve) {
        var points = new JsonArray();
        curve.points().forEach(point -> {
            var pair = new JsonArray();
            pair.add(point.step());
            pair.add(point.loss());
            points.add(pair);
        });
        return points;
    }

    /**
     * Reads what {@link #of(JobReport)} wrote; unknown fields are ignored.
     *
     * @throws MalformedMessageException a field is missing, of another type or out of its range
     */
    static JobReport read(JsonObject json) throws MalformedMessageException {
        try {
            String group = json.get("group").getAsString();
            int rank = json.get("rank").getAsInt();
            int world = json.get("world").getAsInt();
            if (group.length() > TEXT_MAX || rank < -1 || world < 0 || rank >= Math.max(1, world)) {
                throw new MalformedMessageException("group, rank or world is out of its range");
            }
            return new JobReport(
                    NodeId.parse(json.get("trainer").getAsString()),
                    Labels.clean(group),
                    rank,
                    world,
                    json.get("started_ms").getAsLong(),
                    json.has("progress") ? Optional.of(progress(json.getAsJsonObject("progress"))) : Optional.empty(),
                    collectives(json.getAsJsonObject("collectives")));
        } catch (NullPointerException
                | IllegalArgumentException
                | IllegalStateException
                | ClassCastException
                | UnsupportedOperationException wrong) {
            throw new MalformedMessageException("a field is missing or of another type: " + wrong.getMessage(), wrong);
        }
    }

    private static JobReport.Collectives collectives(JsonObject json) {
        JsonObject named = json.getAsJsonObject("operations");
        var operations = new EnumMap<Operation, OperationCounts>(Operation.class);
        for (Operation operation : Operation.values()) {
            if (named.has(operation.text())) {
                operations.put(operation, counts(named.getAsJsonObject(operation.text())));
            }
        }
        return new JobReport.Collectives(
                operations,
                json.get("repeated").getAsLong(),
                json.get("plain_bytes").getAsLong(),
                json.get("codec_seconds").getAsDouble(),
                Labels.clean(json.get("compression").getAsString()));
    }

    private static OperationCounts counts(JsonObject json) {
        return new OperationCounts(
                json.get("completed").getAsLong(),
                json.get("failed").getAsLong(),
                json.get("seconds").getAsDouble(),
                json.get("sent_bytes").getAsLong());
    }

    private static JobReport.Progress progress(JsonObject json) throws MalformedMessageException {
        double loss = json.get("loss").getAsDouble();
        if (!Double.isFinite(loss)) {
            throw new MalformedMessageException("loss must be finite");
        }
        return new JobReport.Progress(
                json.get("step").getAsLong(), json.get("steps").getAsLong(), loss);
    }
}
