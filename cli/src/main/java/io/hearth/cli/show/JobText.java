package io.hearth.cli.show;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.cli.terminal.ShortId;
import io.hearth.cli.terminal.Spans;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The trainings of this machine as lines for people. */
final class JobText {
    private static final int BAR = 20;
    private static final String LEVELS = "▁▂▃▄▅▆▇█";

    private JobText() {}

    static List<String> lines(JsonObject answer, long nowMillis) {
        var lines = new ArrayList<String>();
        answer.getAsJsonArray("jobs").forEach(each -> {
            JsonObject job = each.getAsJsonObject();
            JsonObject operations = job.getAsJsonObject("collectives").getAsJsonObject("operations");
            long sums = operations.has("all_reduce")
                    ? operations.getAsJsonObject("all_reduce").get("completed").getAsLong()
                    : 0;
            lines.add("training " + job.get("group").getAsString() + " ("
                    + ShortId.of(job.get("trainer").getAsString()) + "): "
                    + job.get("state").getAsString() + ", "
                    + (job.get("rank").getAsInt() < 0
                            ? "no rank yet"
                            : "rank " + job.get("rank").getAsInt() + " of "
                                    + job.get("world").getAsInt())
                    + ", for " + Spans.text(nowMillis - job.get("started_ms").getAsLong()) + "; "
                    + sums + " sums"
                    + String.format(
                            Locale.ROOT,
                            ", sends %.1f Mbit/s",
                            job.get("sent_bytes_per_second").getAsDouble() * 8 / 1e6));
            if (job.has("progress")) {
                lines.add("  " + progress(job));
            }
        });
        return lines;
    }

    private static String progress(JsonObject job) {
        JsonObject made = job.getAsJsonObject("progress");
        long step = made.get("step").getAsLong() + 1;
        long steps = made.get("steps").getAsLong();
        double rate = job.get("steps_per_second").getAsDouble();
        int done = steps == 0 ? 0 : (int) Math.min(BAR, BAR * step / steps);
        return (steps == 0
                        ? "step " + step
                        : "█".repeat(done) + "░".repeat(BAR - done) + " step " + step + " of " + steps)
                + String.format(
                        Locale.ROOT,
                        ", %.1f steps/s, loss %.4f ",
                        rate,
                        made.get("loss").getAsDouble())
                + curve(job.getAsJsonArray("curve"));
    }

    /** The loss over the steps, in blocks of eight heights. */
    private static String curve(JsonArray points) {
        if (points.size() < 2) {
            return "";
        }
        double least = Double.MAX_VALUE;
        double most = -Double.MAX_VALUE;
        for (int i = 0; i < points.size(); i++) {
            least = Math.min(least, loss(points, i));
            most = Math.max(most, loss(points, i));
        }
        var curve = new StringBuilder();
        for (int place = 0; place < BAR; place++) {
            double loss = loss(points, place * (points.size() - 1) / (BAR - 1));
            int level = most > least ? (int) Math.round((loss - least) / (most - least) * (LEVELS.length() - 1)) : 0;
            curve.append(LEVELS.charAt(level));
        }
        return curve.toString();
    }

    private static double loss(JsonArray points, int place) {
        return points.get(place).getAsJsonArray().get(1).getAsDouble();
    }
}
