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
 * What came of a chaos run.
 *
 * @param rounds acts, or rounds of a series, that are over
 * @param roundNanos how long each of them took
 * @param faults how many of each kind
 * @param steps that the cluster completed
 * @param hangs times that somebody who had to go on, or to come back, did not in time
 * @param divergences times that two members held different results of one step, or a wrong sum
 * @param removalsOfPaused times that a worker was removed for a pause of a second
 * @param removalsOfHealthy times that a worker was removed that no open fault had struck: a nuisance, it enters again
 * @param brokenPromises times that a kind of fault which is repeated alone did more than it may
 * @param recoveryNanos for each kind, from each fault to the moment when all who go on had completed a step without who was lost
 * @param returnNanos for each kind that is repeated alone, from the last healing to the moment when all were together
 * @param problems one line for each hang, divergence and removal
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

    /** The middle one, or the mean of the two in the middle. */
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
