package io.hearth.cli.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Whether workers that live keep their ranks, and those that are killed leave theirs to the ones that come after them. */
public final class RankCheck {
    private static final String SERVICE = "coordinator";

    private RankCheck() {}

    /** Returns how many averages were made. */
    public static int check(List<ClientRun> runs, int hosts) {
        var ranks = new HashMap<Integer, String>(); // of hosts
        int averages = 0;
        for (ClientRun run : runs) {
            List<String> events =
                    run.of(SERVICE, "event").map(line -> line.word(0)).toList();
            assertTrue(!events.contains("Evicted"), () -> run + " was taken off the list: " + events);
            Set<String> own = run.of(SERVICE, "mean").map(line -> line.word(0)).collect(Collectors.toSet());
            assertEquals(1, own.size(), run + " kept its rank");
            String rank = own.iterator().next();
            assertEquals(
                    rank,
                    ranks.getOrDefault(run.host(), rank),
                    run + " has the rank of the one before it, the only free one");
            ranks.put(run.host(), rank);
            assertEquals(
                    1,
                    run.of(SERVICE, "rank").map(line -> line.word(0)).distinct().count(),
                    () -> "the caller of " + run + " kept its rank");
            Set<String> means =
                    run.of(SERVICE, "mean").map(line -> line.word(1)).collect(Collectors.toSet());
            assertEquals(Set.of(Float.toString((hosts + 1) / 2f)), means);
            averages += (int) run.of(SERVICE, "mean").count();
        }
        assertEquals(hosts, Set.copyOf(ranks.values()).size(), () -> "each has a rank of its own: " + ranks);
        return averages;
    }

    /** The failures of averages, by their reasons. */
    public static Map<String, Long> failures(List<ClientRun> runs) {
        return runs.stream()
                .flatMap(run -> run.of(SERVICE, "failed"))
                .collect(Collectors.groupingBy(line -> line.word(1), Collectors.counting()));
    }
}
