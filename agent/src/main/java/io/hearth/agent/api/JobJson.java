package io.hearth.agent.api;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.agent.history.JobReport;
import io.hearth.agent.history.LossCurve;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.Labels;
import io.hearth.identity.NodeId;
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
        JobReport.Sums counted = report.sums();
        var sums = new JsonObject();
        sums.addProperty("completed", counted.completed());
        sums.addProperty("failed", counted.failed());
        sums.addProperty("repeated", counted.repeated());
        sums.addProperty("seconds", counted.seconds());
        sums.addProperty("wire_bytes", counted.wireBytes());
        sums.addProperty("plain_bytes", counted.plainBytes());
        sums.addProperty("barriers", counted.barriers());
        sums.addProperty("broadcasts", counted.broadcasts());
        sums.addProperty("compression", counted.compression());
        json.add("sums", sums);
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
            var sums = json.getAsJsonObject("sums");
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
                    new JobReport.Sums(
                            sums.get("completed").getAsLong(),
                            sums.get("failed").getAsLong(),
                            sums.get("repeated").getAsLong(),
                            sums.get("seconds").getAsDouble(),
                            sums.get("wire_bytes").getAsLong(),
                            sums.get("plain_bytes").getAsLong(),
                            sums.get("barriers").getAsLong(),
                            sums.get("broadcasts").getAsLong(),
                            Labels.clean(sums.get("compression").getAsString())));
        } catch (NullPointerException
                | IllegalArgumentException
                | IllegalStateException
                | ClassCastException
                | UnsupportedOperationException wrong) {
            throw new MalformedMessageException("a field is missing or of another type: " + wrong.getMessage(), wrong);
        }
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
