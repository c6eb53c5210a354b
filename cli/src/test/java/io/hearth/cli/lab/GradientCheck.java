package io.hearth.cli.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.cli.lab.ClientRun.Line;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Whether each acknowledged gradient is in the one step of which the server said so. */
public final class GradientCheck {
    private static final String SERVICE = "parameterserver";

    private GradientCheck() {}

    /** Returns how many gradients were acknowledged. */
    public static int check(List<ClientRun> runs, int hosts) {
        int acknowledged = 0;
        for (String parameter : GradientTrainer.parameters()) {
            acknowledged += check(parameter, runs, hosts);
        }
        return acknowledged;
    }

    private static int check(String parameter, List<ClientRun> runs, int hosts) {
        List<Set<Integer>> steps = steps(parameter, versions(parameter, runs), acknowledged(parameter, runs, hosts));
        int acknowledged = 0;
        for (ClientRun run : runs) {
            int element = GradientTrainer.element(run.host(), run.start(), hosts);
            List<Line> answers = run.of(SERVICE, "acknowledged")
                    .filter(line -> line.word(0).equals(parameter))
                    .toList();
            for (Line answer : answers) {
                int version = Math.toIntExact(answer.number(2));
                assertTrue(
                        version < steps.size() && steps.get(version).contains(element),
                        () -> run + ": gradient " + answer.number(1) + " of " + parameter + " is not in step " + version
                                + " as it was told");
            }
            long counted = steps.stream().filter(step -> step.contains(element)).count();
            long unanswered = run.of(SERVICE, "sending").count() - answers.size(); // by its end
            assertTrue(unanswered == 0 || (unanswered == 1 && run.wasKilled()), run + " misses " + unanswered);
            assertTrue(
                    counted >= answers.size() && counted <= answers.size() + unanswered,
                    () -> run + ": " + counted + " gradients of " + parameter + " count, " + answers.size()
                            + " were acknowledged");
            acknowledged += answers.size();
        }
        return acknowledged;
    }

    /** Whose gradients, by element, were acknowledged for each version. */
    private static Map<Integer, Set<Integer>> acknowledged(String parameter, List<ClientRun> runs, int hosts) {
        var all = new HashMap<Integer, Set<Integer>>();
        for (ClientRun run : runs) {
            run.of(SERVICE, "acknowledged")
                    .filter(line -> line.word(0).equals(parameter))
                    .forEach(line -> all.computeIfAbsent(Math.toIntExact(line.number(2)), _ -> new TreeSet<>())
                            .add(GradientTrainer.element(run.host(), run.start(), hosts)));
        }
        return all;
    }

    /** The values of each version that somebody saw. */
    private static SortedMap<Integer, Map<Integer, Double>> versions(String parameter, List<ClientRun> runs) {
        var versions = new TreeMap<Integer, Map<Integer, Double>>();
        Map<Integer, String> texts = new HashMap<>();
        for (ClientRun run : runs) {
            run.of(SERVICE, "values")
                    .filter(line -> line.word(0).equals(parameter))
                    .forEach(line -> {
                        int version = Math.toIntExact(line.number(1));
                        String before = texts.putIfAbsent(version, line.word(2));
                        if (before == null) {
                            versions.put(version, GradientTrainer.values(line.word(2)));
                        } else {
                            assertEquals(before, line.word(2), "two values of version " + version);
                        }
                    });
        }
        return versions;
    }

    /** Whose gradients, by element, each step from a version to the next one had. */
    private static List<Set<Integer>> steps(
            String parameter,
            SortedMap<Integer, Map<Integer, Double>> versions,
            Map<Integer, Set<Integer>> acknowledged) {
        var steps = new ArrayList<Set<Integer>>(List.of(Set.of())); // version 0 is the start
        Map<Integer, Double> before = Map.of();
        for (int version = 1; version <= versions.lastKey(); version++) {
            Map<Integer, Double> after = versions.get(version);
            if (after == null) { // its trainers lost their leases, and then others made the next one: they were told so
                Set<Integer> told = acknowledged.getOrDefault(version, Set.of());
                assertFalse(told.isEmpty(), "no trainer was told of version " + version + " of " + parameter);
                var unseen = new TreeMap<>(before);
                told.forEach(element -> unseen.merge(element, -GradientTrainer.UNIT / told.size(), Double::sum));
                after = unseen;
            }
            var step = new TreeSet<Integer>();
            for (Map.Entry<Integer, Double> each : after.entrySet()) {
                if (!each.getValue().equals(before.get(each.getKey()))) {
                    step.add(each.getKey());
                }
            }
            for (int element : step) {
                assertEquals(
                        GradientTrainer.UNIT / step.size(),
                        before.getOrDefault(element, 0.0) - after.getOrDefault(element, 0.0),
                        "step " + version + " of " + parameter + " is the mean of " + step);
            }
            steps.add(step);
            before = after;
        }
        return steps;
    }
}
