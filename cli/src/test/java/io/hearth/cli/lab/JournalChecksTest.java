package io.hearth.cli.lab;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.cli.lab.ClientRun.Line;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The checks of the journals find what was planted for them. */
final class JournalChecksTest {
    private static final long ALIVE = Long.MAX_VALUE;

    private static Line line(String text) {
        return Line.parse(text);
    }

    /** All shards of a job but the first one, and these lines. */
    private static ClientRun shards(int host, long killedNanos, String... more) {
        var lines = new ArrayList<Line>();
        IntStream.range(1, host == 0 ? ShardWorker.SHARDS : 0).forEach(shard -> {
            lines.add(line("10 scheduler given job-1 " + shard + " " + shard));
            lines.add(line("11 scheduler finished job-1 " + shard + " " + shard));
        });
        List.of(more).forEach(each -> lines.add(line(each)));
        return new ClientRun(host, 0, killedNanos, lines);
    }

    private static void assertFoundInShards(ClientRun... runs) {
        assertThrows(AssertionError.class, () -> ShardCheck.check(List.of(runs)));
    }

    @Test
    void aShardIsCompletedOnceByItsOnlyOwner() {
        String given = "20 scheduler given job-1 0 200";
        String finished = "21 scheduler finished job-1 0 200";
        ClientRun next = shards(1, ALIVE, "30 scheduler given job-1 0 201", "31 scheduler finished job-1 0 201");
        assertEquals(0, ShardCheck.check(List.of(shards(0, ALIVE, given, finished))));
        assertEquals(1, ShardCheck.check(List.of(shards(0, 25, given), next)));
        assertDoesNotThrow(() -> ShardCheck.check(List.of(shards(0, 25, given, "21 scheduler finishing job-1 0 200"))));

        assertFoundInShards(shards(0, ALIVE, given)); // lost
        assertFoundInShards(shards(0, 25, given)); // lost with its owner
        assertFoundInShards(shards(0, ALIVE)); // never given
        assertFoundInShards(shards(0, ALIVE, given), next); // taken from a node that lives
        assertFoundInShards(shards(0, 35, given), next); // and from one that lived at that time
        assertFoundInShards(shards(0, 25, given, finished), next); // completed twice
        assertFoundInShards(shards(0, ALIVE, given, finished, "22 scheduler refused job-1 0 200 why"));
    }

    /** Two trainers, whose second gradients have these versions and values. */
    private static List<ClientRun> gradients(int version, String values, boolean isAnswered) {
        var one = new ArrayList<Line>();
        var other = new ArrayList<Line>();
        one.add(line("1 parameterserver sending 1"));
        one.add(line("3 parameterserver sending 2"));
        other.add(line("1 parameterserver sending 1"));
        for (String name : GradientTrainer.parameters()) {
            one.add(line("2 parameterserver acknowledged " + name + " 1 1"));
            one.add(line("2 parameterserver values " + name + " 1 0=-30.0,1=-30.0,"));
            one.add(line("4 parameterserver values " + name + " 2 " + values));
            if (isAnswered) {
                one.add(line("4 parameterserver acknowledged " + name + " 2 " + version));
            }
            other.add(line("2 parameterserver acknowledged " + name + " 1 1"));
        }
        return List.of(new ClientRun(0, 0, 9, one), new ClientRun(1, 0, ALIVE, other));
    }

    /** The journals of {@link #gradients}, without the first version: no trainer read it. */
    private static List<ClientRun> unseen(String last) {
        return gradients(2, last, true).stream()
                .map(run -> new ClientRun(
                        run.host(),
                        run.start(),
                        run.killedNanos(),
                        run.lines().stream()
                                .filter(line -> !(line.is("parameterserver", "values")
                                        && line.word(1).equals("1")))
                                .toList()))
                .toList();
    }

    private static void assertFoundInGradients(List<ClientRun> runs) {
        assertThrows(AssertionError.class, () -> GradientCheck.check(runs, 2));
    }

    @Test
    void anAcknowledgedGradientIsInItsStepAndInNoOther() {
        int parameters = GradientTrainer.PARTS;
        String good = "0=-90.0,1=-30.0,";
        assertEquals(3 * parameters, GradientCheck.check(gradients(2, good, true), 2));
        assertEquals(2 * parameters, GradientCheck.check(gradients(2, good, false), 2)); // killed before the answer

        assertEquals(3 * parameters, GradientCheck.check(unseen(good), 2));

        assertFoundInGradients(unseen("0=-60.0,1=-60.0,")); // the version that no trainer read had other gradients
        assertFoundInGradients(gradients(2, "0=-30.0,1=-30.0,", true)); // lost
        assertFoundInGradients(gradients(3, good, true)); // in a step that never was
        assertFoundInGradients(gradients(2, "0=-150.0,1=-30.0,", true)); // counted twice
        assertFoundInGradients(gradients(2, "0=-60.0,1=-60.0,", true)); // one of the other, who sent none
    }

    @Test
    void aWorkerThatLivesKeepsItsRank() {
        Line mean = line("1 coordinator mean 0 1.0");
        Line rank = line("1 coordinator rank 4");
        assertEquals(1, RankCheck.check(List.of(new ClientRun(0, 0, ALIVE, List.of(mean, rank))), 1));
        for (String planted : List.of(
                "2 coordinator mean 1 1.0",
                "2 coordinator mean 0 1.5",
                "2 coordinator rank 5",
                "2 coordinator event Evicted")) {
            assertThrows(
                    AssertionError.class,
                    () -> RankCheck.check(List.of(new ClientRun(0, 0, ALIVE, List.of(mean, rank, line(planted)))), 1));
        }
    }

    @Test
    void aPauseIsTheTimeBetweenTwoAnswersAroundIt() {
        var run = new ClientRun(
                0,
                0,
                ALIVE,
                IntStream.of(1, 2, 5, 6)
                        .mapToObj(second -> line(second + "000000000 coordinator rank 4"))
                        .toList());
        assertEquals(3, run.pauseSeconds("coordinator", List.of("rank"), 2_500_000_000L, 6_000_000_000L));
        assertEquals(1, run.pauseSeconds("coordinator", List.of("rank"), 5_500_000_000L, 6_000_000_000L));
    }
}
