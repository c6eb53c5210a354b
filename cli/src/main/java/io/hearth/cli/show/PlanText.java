package io.hearth.cli.show;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Spans;
import io.hearth.cli.terminal.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** The explanation of one group's plan for people, from its JSON. */
final class PlanText {
    private static final List<String> HOP_HEAD =
            List.of("FROM", "TO", "CARRIES", "MBIT/S", "AGE", "RTT", "CLASS", "PATH");

    /** More hops than that are not read; then the slowest ones are shown. */
    private static final int HOPS_SHOWN = 24;

    private static final int PAIRS_SHOWN = 8;

    private final JsonObject group;
    private final long bytes;
    private final List<String> lines = new ArrayList<>();

    PlanText(JsonObject group, long bytes) {
        this.group = group;
        this.bytes = bytes;
    }

    List<String> lines() {
        JsonArray members = group.getAsJsonArray("members");
        lines.add(
                (group.has("group") ? "group " + text(group, "group") + ", " : "no trainer runs, so all nodes count: ")
                        + members.size() + (members.size() == 1 ? " member" : " members") + ", a sum of "
                        + size(bytes));
        ways();
        lines.add("basis: " + text(group, "basis_text"));
        members(members);
        hops();
        pairs("gaps", "cannot reach");
        pairs("one_way", "reports a link that is not reported back:");
        pairs("not_measured", "not measured:");
        if (!group.getAsJsonArray("without_report").isEmpty()) {
            lines.add("no links reported yet by " + joined(group.getAsJsonArray("without_report"), ", "));
        }
        return lines;
    }

    private void ways() {
        if (!group.has("chosen")) {
            if (!text(group, "basis").equals("alone")) {
                lines.add("NO WAY connects all of them");
            }
        } else {
            JsonObject chosen = group.getAsJsonObject("chosen");
            lines.add("plan: " + text(chosen, "text") + time(chosen));
            lines.add("  limit: " + text(chosen, "reason"));
            if (group.has("order")) {
                JsonArray order = group.getAsJsonArray("order");
                lines.add("  order: " + joined(order, " > ") + " > "
                        + order.get(0).getAsString());
            }
            int streams = group.get("streams").getAsInt();
            lines.add("  streams: " + streams + (streams == 1 ? " pair" : " pairs") + ", one stream each");
        }
        if (group.has("runner_up")) {
            JsonObject next = group.getAsJsonObject("runner_up");
            lines.add("runner-up: " + text(next, "text") + time(next) + longer(next));
            lines.add("  why not: " + text(next, "reason"));
        }
        for (JsonElement other : group.getAsJsonArray("others")) {
            JsonObject way = other.getAsJsonObject();
            lines.add("not " + text(way, "text") + time(way) + ": " + text(way, "reason"));
        }
    }

    /** A predicted or an assumed time; empty if the way has none. */
    private static String time(JsonObject way) {
        return way.has("predicted_ms")
                ? ", predicted " + millis(way.get("predicted_ms").getAsDouble())
                : way.has("assumed_ms")
                        ? ", assumed " + millis(way.get("assumed_ms").getAsDouble())
                        : "";
    }

    private String longer(JsonObject next) {
        String key = next.has("predicted_ms") ? "predicted_ms" : "assumed_ms";
        double best = group.getAsJsonObject("chosen").get(key).getAsDouble();
        return best > 0 ? String.format(Locale.ROOT, " (%.2f x)", next.get(key).getAsDouble() / best) : "";
    }

    private void members(JsonArray members) {
        boolean haveShares = members.asList().stream()
                .anyMatch(member -> member.getAsJsonObject().has("owns"));
        boolean haveLeaders = members.asList().stream()
                .anyMatch(member -> member.getAsJsonObject().has("leader"));
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("RANK", "NAME", haveShares ? "OWNS" : "", haveLeaders ? "LEADER" : ""));
        for (JsonElement element : members) {
            JsonObject member = element.getAsJsonObject();
            rows.add(List.of(
                    text(member, "rank"),
                    text(member, "name"),
                    member.has("owns")
                            ? String.format(
                                    Locale.ROOT,
                                    "%.1f %%",
                                    100 * member.get("owns").getAsDouble())
                            : "",
                    text(member, "leader")));
        }
        lines.add("");
        lines.addAll(Table.lines(rows));
    }

    private void hops() {
        List<JsonObject> hops = StreamSupport.stream(
                        group.getAsJsonArray("hops").spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .toList();
        if (hops.isEmpty()) {
            return;
        }
        lines.add("");
        int all = group.get("hop_count").getAsInt();
        if (all > HOPS_SHOWN) {
            lines.add("the slowest of " + all + " hops:");
            hops = hops.stream()
                    .sorted(Comparator.comparingDouble(PlanText::rate))
                    .limit(HOPS_SHOWN)
                    .toList();
        }
        var rows = new ArrayList<List<String>>();
        rows.add(HOP_HEAD);
        hops.forEach(hop -> rows.add(hop(hop)));
        lines.addAll(Table.lines(rows));
        if (hops.stream().anyMatch(hop -> text(hop, "evidence").startsWith("reported"))) {
            lines.add(
                    "CLASS, PATH and AGE are as the sending node reported them; a rate may have been measured again since");
        }
    }

    /** Bytes of the sum per second over a hop; a hop that was not measured counts as the slowest. */
    private static double rate(JsonObject hop) {
        return hop.has("bytes_per_second")
                ? hop.get("bytes_per_second").getAsDouble() / hop.get("share").getAsDouble()
                : 0;
    }

    private List<String> hop(JsonObject hop) {
        return List.of(
                text(hop, "from"),
                text(hop, "to"),
                String.format(Locale.ROOT, "%.2f x", hop.get("share").getAsDouble()),
                hop.has("bytes_per_second")
                        ? LinkText.megabits(hop.get("bytes_per_second").getAsLong())
                        : "not measured",
                hop.has("age_s") ? Spans.text(hop.get("age_s").getAsLong() * 1_000) : "",
                hop.has("rtt_ms") ? text(hop, "rtt_ms") + " ms" : "",
                text(hop, "class"),
                text(hop, "path"));
    }

    private void pairs(String key, String what) {
        JsonArray pairs = group.getAsJsonArray(key);
        for (int i = 0; i < Math.min(PAIRS_SHOWN, pairs.size()); i++) {
            JsonObject pair = pairs.get(i).getAsJsonObject();
            String from = text(pair, "from");
            String to = text(pair, "to");
            boolean isMutual = pair.has("mutual") && pair.get("mutual").getAsBoolean();
            lines.add(
                    isMutual
                            ? from + " and " + to + " cannot reach each other"
                            : key.equals("not_measured")
                                    ? what + " " + from + " > " + to
                                    : from + " " + what + " " + to);
        }
        int all = group.has(key + "_count") ? group.get(key + "_count").getAsInt() : pairs.size();
        if (all > PAIRS_SHOWN) {
            lines.add("  and " + (all - PAIRS_SHOWN) + " more");
        }
    }

    private static String joined(JsonArray names, String gap) {
        return StreamSupport.stream(names.spliterator(), false)
                .map(JsonElement::getAsString)
                .collect(Collectors.joining(gap));
    }

    private static String size(long bytes) {
        for (int shift : new int[] {30, 20, 10}) {
            if (bytes >= 1L << shift && bytes % (1L << shift) == 0) {
                return (bytes >> shift) + " " + "KMG".charAt(shift / 10 - 1) + "iB";
            }
        }
        return bytes + " B";
    }

    private static String millis(double millis) {
        return String.format(Locale.ROOT, millis >= 100 ? "%.0f ms" : millis >= 1 ? "%.1f ms" : "%.3f ms", millis);
    }

    private static String text(JsonObject json, String key) {
        return json.has(key) ? json.get(key).getAsString() : "";
    }
}
