package io.hearth.cli.chaos.plan;

import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The result of a chaos run.
 *
 * @param rounds number of finished acts, or finished rounds of a series
 * @param roundNanos duration of each of them
 * @param faults number of faults of each kind
 * @param steps number of steps that the cluster completed
 * @param hangs number of times that a host did not go on, or did not come back, in time
 * @param divergences number of times that two members had different results of one step, or one had a wrong sum
 * @param removalsOfPaused number of removals of a worker that was paused for a second
 * @param removalsOfHealthy number of removals of a worker that no open fault had struck; a nuisance, because the worker joins again
 * @param brokenPromises number of times that a drill broke the promise of its kind of fault
 * @param recoveryNanos for each kind, from each fault until all other hosts had completed a step without the lost hosts
 * @param returnNanos for each kind of a drill, from the last healing until all hosts were together
 * @param problems one line for each hang, divergence, removal of a paused worker and broken promise
 */
public record ChaosReport(
        int rounds,
        List<Long> roundNanos,
        SortedMap<String, Long> faults,
        long steps,
        int hangs,
        int divergences,
        int removalsOfPaused,
        int removalsOfHealthy,
        int brokenPromises,
        Map<ChaosKind, List<Long>> recoveryNanos,
        Map<ChaosKind, List<Long>> returnNanos,
        List<String> problems) {
    private static final List<ChaosKind> ALWAYS = List.of(ChaosKind.SILENT, ChaosKind.KILLED, ChaosKind.MASTER);

    public ChaosReport {
        roundNanos = List.copyOf(roundNanos);
        faults = new TreeMap<>(faults);
        recoveryNanos = new TreeMap<>(recoveryNanos);
        returnNanos = new TreeMap<>(returnNanos);
        problems = List.copyOf(problems);
    }

    public boolean isGood() {
        return hangs == 0 && divergences == 0 && removalsOfPaused == 0 && brokenPromises == 0;
    }

    /** The median; of an even count, the mean of the two values in the middle. */
    static double medianMillis(List<Long> nanos) {
        List<Long> sorted = nanos.stream().sorted().toList();
        int half = sorted.size() / 2;
        return (sorted.get((sorted.size() - 1) / 2) + sorted.get(half)) / 2e6;
    }

    private static double maxMillis(List<Long> nanos) {
        return nanos.stream().mapToLong(Long::longValue).max().orElse(0) / 1e6;
    }

    public JsonObject toJson() {
        var json = new JsonObject();
        json.addProperty("schema", 1);
        json.addProperty("rounds", rounds);
        json.add("round_ms", summary(roundNanos));
        var kinds = new JsonObject();
        faults.forEach(kinds::addProperty);
        json.add("faults", kinds);
        json.addProperty("steps", steps);
        json.addProperty("hangs", hangs);
        json.addProperty("divergences", divergences);
        json.addProperty("removals_of_paused", removalsOfPaused);
        json.addProperty("removals_of_healthy", removalsOfHealthy);
        json.addProperty("broken_promises", brokenPromises);
        var recovery = new JsonObject();
        for (ChaosKind kind : ChaosKind.values()) {
            List<Long> nanos = recoveryNanos.getOrDefault(kind, List.of());
            if (ALWAYS.contains(kind) || !nanos.isEmpty()) {
                recovery.add(kind.text(), summary(nanos));
            }
        }
        json.add("recovery_ms", recovery);
        var returns = new JsonObject();
        returnNanos.forEach((kind, nanos) -> returns.add(kind.text(), summary(nanos)));
        json.add("return_ms", returns);
        var lines = new JsonArray();
        problems.forEach(lines::add);
        json.add("problems", lines);
        return json;
    }

    private static JsonObject summary(List<Long> nanos) {
        var json = new JsonObject();
        if (nanos.isEmpty()) {
            json.add("median", JsonNull.INSTANCE);
            json.add("max", JsonNull.INSTANCE);
        } else {
            json.addProperty("median", tenths(medianMillis(nanos)));
            json.addProperty("max", tenths(maxMillis(nanos)));
        }
        json.addProperty("n", nanos.size());
        return json;
    }

    private static double tenths(double millis) {
        return Math.round(millis * 10) / 10.0;
    }

    private static String spans(List<Long> nanos) {
        return String.format(
                Locale.ROOT,
                "median %.1f ms, worst %.1f ms, of %d",
                medianMillis(nanos),
                maxMillis(nanos),
                nanos.size());
    }

    public List<String> lines() {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("rounds", "" + rounds));
        if (!roundNanos.isEmpty()) {
            rows.add(List.of(
                    "time of a round",
                    String.format(
                            Locale.ROOT,
                            "median %.1f s, worst %.1f s",
                            medianMillis(roundNanos) / 1e3,
                            maxMillis(roundNanos) / 1e3)));
        }
        faults.forEach((kind, count) -> rows.add(List.of("fault " + kind, "" + count)));
        rows.add(List.of("steps", "" + steps));
        rows.add(List.of("hangs", "" + hangs));
        rows.add(List.of("divergences", "" + divergences));
        rows.add(List.of("removals of paused", "" + removalsOfPaused));
        rows.add(List.of("removals of healthy", "" + removalsOfHealthy));
        rows.add(List.of("broken promises", "" + brokenPromises));
        recoveryNanos.forEach((kind, nanos) -> rows.add(List.of("recovery " + kind.text(), spans(nanos))));
        returnNanos.forEach((kind, nanos) -> rows.add(List.of("return " + kind.text(), spans(nanos))));
        var lines = new ArrayList<>(Table.lines(rows));
        lines.addAll(problems);
        return lines;
    }
}
