package io.hearth.cli.show;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Spans;
import io.hearth.cli.terminal.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The measured links of a topology as a table for people. */
final class LinkText {
    private static final List<String> HEAD = List.of("FROM", "TO", "CLASS", "RTT", "MBIT/S", "AGE", "PATH", "NOTE");

    /** Path, note, age, class: what one misses least on a narrow terminal comes first. */
    private static final List<Integer> SPARE = List.of(6, 7, 5, 2);

    private LinkText() {}

    /** The table; empty if no link is measured. */
    static List<String> lines(JsonObject topology, int width) {
        var rows = new ArrayList<List<String>>();
        rows.add(HEAD);
        for (JsonElement link : topology.getAsJsonArray("links")) {
            for (JsonElement path : link.getAsJsonObject().getAsJsonArray("paths")) {
                rows.add(row(link.getAsJsonObject(), path.getAsJsonObject()));
            }
        }
        return rows.size() == 1 ? List.of() : Table.lines(rows, width, SPARE);
    }

    private static List<String> row(JsonObject link, JsonObject path) {
        return List.of(
                text(link, "from_name"),
                text(link, "to_name"),
                text(path, "class"),
                text(path, "rtt_ms") + " ms",
                path.has("bytes_per_second")
                        ? megabits(path.get("bytes_per_second").getAsLong())
                        : "not measured",
                Spans.text(path.get("age_s").getAsLong() * 1_000),
                text(path, "path"),
                note(text(link, "back").equals("one_way"), text(path, "loss_permille")));
    }

    private static String note(boolean isOneWay, String lossPermille) {
        String loss = lossPermille.isEmpty() ? "" : "loss " + lossPermille + " per thousand";
        return !isOneWay ? loss : loss.isEmpty() ? "one way" : "one way, " + loss;
    }

    static String megabits(long bytesPerSecond) {
        double megabits = bytesPerSecond * 8 / 1e6;
        return String.format(Locale.ROOT, megabits >= 100 ? "%.0f" : "%.1f", megabits);
    }

    private static String text(JsonObject json, String key) {
        return json.has(key) ? json.get(key).getAsString() : "";
    }
}
