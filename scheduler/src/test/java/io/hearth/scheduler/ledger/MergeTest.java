package io.hearth.scheduler.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.Samples;
import io.hearth.scheduler.ShardStrategy;
import io.hearth.scheduler.Topology;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Two schedulers worked apart, and meet. */
final class MergeTest {
    private final LedgerApplication application = new LedgerApplication();

    /** A scheduler with nodes. */
    private final class Side {
        private final String name;
        private SchedulerLedger ledger = application.empty();

        private Side(String name, String... nodes) {
            this.name = name;
            for (String node : nodes) {
                done(Commands.register(NodeSpec.worker(node, name)));
            }
        }

        private void done(Bytes command) {
            var outcome = application.apply(ledger, command);
            assertEquals(Optional.empty(), Verdict.of(outcome.answer()));
            ledger = outcome.state();
        }

        /** Submits a job with the nodes that are here; no job of the other side has its id. */
        private void submit(String job, int shards) {
            var loads = new TreeMap<String, Double>();
            ledger.nodes().keySet().forEach(node -> loads.put(node, 0.0));
            var spec = new JobSpec(
                    name + job.hashCode(),
                    job,
                    Topology.UNKNOWN,
                    ShardStrategy.ROUND_ROBIN,
                    1,
                    0,
                    0,
                    name,
                    9,
                    shards,
                    0);
            done(Commands.submit(spec, false, loads, List.of()));
        }
    }

    private static Job job(SchedulerLedger ledger, String name) {
        return Objects.requireNonNull(ledger.jobs().get(name), name);
    }

    private SchedulerLedger merged(Side better, Side worse) {
        SchedulerLedger both = application.merge(better.ledger, worse.ledger);
        assertEquals(both, application.decode(application.encode(both)));
        agrees(both);
        return both;
    }

    /** Members are here if their nodes are; if any is, no open shard belongs to one that is not. */
    private static void agrees(SchedulerLedger ledger) {
        for (Job job : ledger.jobs().values()) {
            if (job.state().isOver()) {
                continue;
            }
            for (Member member : job.members()) {
                SchedulerLedger.Node node = ledger.nodes().get(member.id());
                assertEquals(node == null || node.isAway(), member.isAway(), member.id());
            }
            for (int i = 0; i < job.shards().count(); i++) {
                int owner = job.shards().owner(i);
                boolean isOwned =
                        owner != Shards.NOBODY && !job.members().get(owner).isAway();
                assertTrue(isOwned || job.shards().isDone(i) || job.present().isEmpty());
            }
            assertEquals(job.present().isEmpty() ? JobState.QUEUED : JobState.RUNNING, job.state());
        }
    }

    @Test
    void aJobWhoseNameIsTakenGetsAFreeOne() {
        var better = new Side("better", "a");
        var worse = new Side("worse", "b");
        for (String name : List.of("job", "job-3")) {
            better.submit(name, 1);
        }
        for (String name : List.of("job", "job-2", "other")) {
            worse.submit(name, 2);
        }
        SchedulerLedger both = merged(better, worse);
        assertEquals(
                List.of("job", "job-2", "job-3", "job-4", "other"),
                List.copyOf(both.jobs().keySet()));
        assertEquals("better", job(both, "job").spec().path());
        assertEquals("worse", job(both, "job-4").spec().path());
        assertEquals("job-4_shard_1", job(both, "job-4").shard(1).id());
        assertEquals("b", job(both, "job-4").shard(1).owner());
        assertEquals(5, both.jobsEver());
        assertEquals(
                5, both.jobs().values().stream().map(Job::number).distinct().count());
    }

    @Test
    void aLongNameIsShortened() {
        var better = new Side("better", "a");
        var worse = new Side("worse", "b");
        String name = "n".repeat(Bounds.NAME_CHARACTERS_MAX);
        better.submit(name, 1);
        worse.submit(name, 1);
        SchedulerLedger both = merged(better, worse);
        assertEquals("worse", job(both, name.substring(2) + "-2").spec().path());
    }

    @Test
    void aSubmissionThatBothHaveIsOneJob() {
        var better = new Side("better", "a");
        var worse = new Side("worse", "b");
        for (Side side : List.of(better, worse)) {
            String node = side.ledger.nodes().firstKey();
            side.done(Commands.submit(Samples.job("job", 1, 1), false, new TreeMap<>(Map.of(node, 0.0)), List.of()));
        }
        SchedulerLedger both = merged(better, worse);
        assertEquals(1, both.jobs().size());
        assertEquals("a", job(both, "job").shard(0).owner());
        assertEquals(both, application.merge(both, application.empty()));
    }

    @Test
    void jobsThatAreOverMakeRoom() {
        var better = new Side("better", "a");
        var worse = new Side("worse", "b");
        better.submit("old", 1);
        better.done(Commands.cancel("old"));
        for (int i = 1; i < Bounds.JOBS_MAX; i++) {
            better.submit("job-" + i, 1);
        }
        worse.submit("new", 1);
        SchedulerLedger both = merged(better, worse);
        assertEquals(Bounds.JOBS_MAX, both.jobs().size());
        assertTrue(both.jobs().containsKey("new") && !both.jobs().containsKey("old"));
    }

    @Test
    void jobsForWhichThereIsNoRoomFailAndSayWhy() {
        var better = new Side("better", "a");
        var worse = new Side("worse", "b");
        for (int i = 0; i < Bounds.JOBS_MAX - 1; i++) {
            better.submit("job-" + i, 1);
        }
        better.submit("large", Bounds.SHARDS_MAX);
        for (int i = 0; i < Bounds.JOBS_MAX; i++) {
            worse.submit("job-" + i, Bounds.ALL_SHARDS_MAX / Bounds.JOBS_MAX);
        }
        SchedulerLedger both = merged(better, worse);
        assertEquals(2 * Bounds.JOBS_MAX, both.jobs().size());
        List<Job> failed = both.jobs().values().stream()
                .filter(job -> job.state().isOver())
                .toList();
        assertEquals(Bounds.JOBS_MAX, failed.size());
        for (Job job : failed) {
            assertEquals(JobState.FAILED, job.state());
            assertTrue(job.reason().contains("submit it again"), job.reason());
            assertEquals("worse", job.spec().path());
        }
        worse.ledger = both;
        var third = new Side("third", "c");
        third.submit("one-more", 1);
        both = merged(third, worse); // those that failed before make room, as does the newest one
        assertEquals(Bounds.JOBS_MAX + 1, both.jobs().size());
        assertEquals(JobState.FAILED, job(both, "large").state());
    }

    @Test
    void theOldestJobsOfTheWorseStoreStayAsLongAsTheirShardsFit() {
        var better = new Side("better", "a");
        var worse = new Side("worse", "b");
        for (int i = 1; i < Bounds.ALL_SHARDS_MAX / Bounds.SHARDS_MAX; i++) {
            better.submit("job-" + i, Bounds.SHARDS_MAX);
        }
        worse.submit("oldest", Bounds.SHARDS_MAX);
        worse.submit("another", 1);
        SchedulerLedger both = merged(better, worse);
        assertEquals(JobState.RUNNING, job(both, "oldest").state());
        assertEquals(JobState.FAILED, job(both, "another").state());
    }

    /** Each of the schedulers heard some nodes only. */
    @Test
    void shardsBelongToNodesThatOneOfTheSchedulersHears() {
        var better = new Side("better", "a", "b", "c", "d");
        var worse = new Side("worse", "b", "c", "d");
        better.submit("mine", 12);
        worse.submit("theirs", 6);
        better.done(Commands.away("b"));
        better.done(Commands.away("c"));
        better.done(Commands.leave("d"));
        worse.done(Commands.away("c"));
        SchedulerLedger both = merged(better, worse);
        Job mine = job(both, "mine");
        assertEquals(
                List.of("a", "b", "d"), mine.present().stream().map(Member::id).toList());
        assertEquals(
                List.of(4, 4, 0, 4),
                Arrays.stream(mine.shards().open(4)).boxed().toList());
        assertEquals(3, job(both, "theirs").shards().open(3)[0]);
        assertEquals(
                "better", Objects.requireNonNull(both.nodes().get("b")).spec().address());
    }

    @Test
    void whateverHappenedTheLedgersAgreeAndNoJobIsLost() {
        for (long seed = 0; seed < 300; seed++) {
            var random = new Random(seed);
            var better = new Side("better");
            var worse = new Side("worse");
            for (int step = 0; step < 60; step++) {
                act(random.nextBoolean() ? better : worse, random);
            }
            var submissions = new TreeSet<String>();
            for (Side side : List.of(better, worse)) {
                side.ledger
                        .jobs()
                        .values()
                        .forEach(job -> submissions.add(job.spec().submitId()));
            }
            SchedulerLedger both = merged(better, worse);
            var kept = new TreeSet<String>();
            both.jobs().values().forEach(job -> kept.add(job.spec().submitId()));
            assertEquals(submissions, kept, "seed " + seed);
        }
    }

    private void act(Side side, Random random) {
        String node = "n" + random.nextInt(5);
        String job = "job-" + random.nextInt(4);
        Bytes command = switch (random.nextInt(7)) {
            case 0, 1 -> Commands.register(NodeSpec.worker(node, side.name));
            case 2 -> Commands.away(node);
            case 3 -> Commands.leave(node);
            case 4 -> Commands.take(node, job, 3, 0);
            case 5 ->
                Commands.submit(
                        new JobSpec(
                                side.name + job,
                                job,
                                Topology.UNKNOWN,
                                ShardStrategy.ROUND_ROBIN,
                                2,
                                0,
                                0,
                                "",
                                9,
                                1 + random.nextInt(9),
                                0),
                        false,
                        new TreeMap<>(Map.of("n0", 0.0, "n1", 0.0, "n2", 0.0)),
                        List.of());
            default -> completion(side.ledger, job, node);
        };
        side.ledger = application.apply(side.ledger, command).state(); // some are refused
    }

    private static Bytes completion(SchedulerLedger ledger, String name, String node) {
        Job job = ledger.jobs().get(name);
        return job == null || job.given(node, 1).isEmpty()
                ? Commands.cancel("nothing")
                : Commands.complete(
                        node,
                        name,
                        job.given(node, 1).getFirst().index(),
                        job.given(node, 1).getFirst().term());
    }
}
