package io.hearth.cli.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.cli.lab.ClientRun.Line;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Checks that each shard was completed once, and that two living nodes never had the same one. */
public final class ShardCheck {
    private static final String SERVICE = "scheduler";

    /** A node begins to work on a shard, or has completed it. */
    private record Event(ClientRun run, Line line) {
        private long term() {
            return line.number(2);
        }
    }

    private ShardCheck() {}

    /** Returns how many shards went from a node that was killed to another one. */
    public static int check(List<ClientRun> runs) {
        Map<String, List<Event>> given = byShard(runs, "given");
        Map<String, List<Event>> begun = byShard(runs, "finishing");
        Map<String, List<Event>> finished = byShard(runs, "finished");
        assertEquals(Map.of(), byShard(runs, "refused"), "a shard was taken from a node that lives");
        assertEquals(0, given.size() % ShardWorker.SHARDS, "shards of some jobs were never given");
        int moved = 0;
        for (Map.Entry<String, List<Event>> shard : given.entrySet()) {
            String name = shard.getKey();
            List<Event> owners = shard.getValue();
            for (int i = 1; i < owners.size(); i++) {
                Event before = owners.get(i - 1);
                Event after = owners.get(i);
                assertTrue(before.run().wasKilled(), name + " of " + before.run() + " was given to " + after.run());
                assertTrue(before.run().killedNanos() < after.line().nanos(), name + " had two owners at a time");
                assertTrue(before.term() < after.term(), name + " has the term of its owner before");
                moved++;
            }
            List<Event> ends = finished.getOrDefault(name, List.of());
            if (ends.isEmpty()) { // its owner may have been killed before it read the answer
                List<Event> begins = begun.getOrDefault(name, List.of());
                ClientRun last = owners.getLast().run();
                assertTrue(
                        last.wasKilled()
                                && begins.stream().anyMatch(event -> event.run().equals(last)),
                        name + " is lost");
            } else {
                assertEquals(1, ends.size(), name + " was completed twice");
                assertEquals(owners.getLast().run(), ends.getFirst().run(), name + " was given again when complete");
            }
        }
        return moved;
    }

    private static Map<String, List<Event>> byShard(List<ClientRun> runs, String what) {
        var shards = new TreeMap<String, List<Event>>();
        for (ClientRun run : runs) {
            run.of(SERVICE, what)
                    .forEach(line -> shards.computeIfAbsent(line.word(0) + "/" + line.word(1), _ -> new ArrayList<>())
                            .add(new Event(run, line)));
        }
        shards.values().forEach(events -> events.sort(Comparator.comparingLong(event -> event.line.nanos())));
        return shards;
    }
}
