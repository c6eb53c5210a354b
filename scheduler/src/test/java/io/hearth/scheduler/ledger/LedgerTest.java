package io.hearth.scheduler.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.replicated.Application;
import io.hearth.replicated.Content;
import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.Capabilities;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.NodeRole;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.Progress;
import io.hearth.scheduler.Samples;
import io.hearth.scheduler.Shard;
import io.hearth.scheduler.ShardStrategy;
import io.hearth.scheduler.Topology;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.pcollections.TreePMap;

/** What commands do. */
final class LedgerTest {
    private final Application<SchedulerLedger> application = new LedgerApplication();
    private SchedulerLedger ledger = application.empty();

    private Optional<Failure> apply(Bytes command) {
        assertTrue(command.size() <= Content.COMMAND_BYTES_MAX, () -> "a command of " + command.size() + " bytes");
        var outcome = application.apply(ledger, command);
        ledger = outcome.state();
        assertEquals(ledger, application.decode(application.encode(ledger)));
        return Verdict.of(outcome.answer());
    }

    private void done(Bytes command) {
        assertEquals(Optional.empty(), apply(command));
    }

    private void refused(Failure.Code code, String text, Bytes command) {
        SchedulerLedger before = ledger;
        Failure failure = apply(command).orElseThrow();
        assertEquals(code, failure.code(), failure.text());
        assertTrue(failure.text().contains(text), failure.text());
        assertSame(before, ledger);
    }

    private static SortedMap<String, Double> loads(String... nodes) {
        var loads = new TreeMap<String, Double>();
        for (String node : nodes) {
            loads.put(node, 0.0);
        }
        return loads;
    }

    private void nodes(String... nodes) {
        for (String node : nodes) {
            done(Commands.register(NodeSpec.worker(node, "host-" + node)));
        }
    }

    private void submit(JobSpec spec, String... nodes) {
        done(Commands.submit(spec, false, loads(nodes), List.of()));
    }

    private Job job() {
        return Objects.requireNonNull(ledger.jobs().get("job"));
    }

    private String owners() {
        return String.join(
                " ",
                IntStream.range(0, job().shards().count())
                        .mapToObj(i -> (job().shards().isDone(i) ? "+" : "")
                                + (job().shard(i).owner().isEmpty()
                                        ? "-"
                                        : job().shard(i).owner()))
                        .toList());
    }

    private List<Shard> take(String node, int max) {
        done(Commands.take(node, "job", max, 0));
        return job().given(node, max);
    }

    private void complete(Shard shard) {
        done(Commands.complete(shard.owner(), "job", shard.index(), shard.term()));
    }

    @Test
    void aJobHasOneShardForEachNodeUnlessItSaysMore() {
        nodes("a", "b", "c");
        submit(
                new JobSpec("s", "job", Topology.UNKNOWN, ShardStrategy.UNKNOWN, 1, 0, 0, "/d", 10, 0, 0),
                "a",
                "b",
                "c");
        assertEquals("a b c", owners());
        assertEquals(
                List.of(6L, 10L), List.of(job().shard(2).start(), job().shard(2).end()));
        assertEquals("job_shard_2", job().shard(2).id());
        assertEquals(1, ledger.jobsEver());
    }

    @Test
    void aRefusedSubmissionLeavesNothingBehind() {
        refused(
                Failure.Code.FAILED_PRECONDITION,
                "no nodes available for job job",
                Commands.submit(Samples.job("job", 1, 4), false, loads(), List.of()));
        nodes("a");
        done(Commands.away("a"));
        refused(
                Failure.Code.FAILED_PRECONDITION,
                "no nodes available for job job",
                Commands.submit(Samples.job("job", 1, 4), false, loads("a", "stranger"), List.of()));
        assertEquals(0, ledger.jobsEver());
    }

    @Test
    void aNameIsTakenOnce() {
        nodes("a");
        submit(Samples.job("job", 1, 2), "a");
        submit(Samples.job("job", 1, 2), "a"); // repeated
        assertEquals(1, ledger.jobsEver());
        JobSpec other = new JobSpec("other", "job", Topology.UNKNOWN, ShardStrategy.UNKNOWN, 1, 0, 0, "", 0, 1, 0);
        refused(
                Failure.Code.ALREADY_EXISTS,
                "choose another name",
                Commands.submit(other, false, loads("a"), List.of()));
    }

    @Test
    void shardsOfANodeThatGoesMoveToThoseWithTheLeast() {
        nodes("a", "b", "c");
        submit(Samples.job("job", 1, 6), "a", "b", "c");
        assertEquals("a b c a b c", owners());
        Shard first = take("a", 1).getFirst();
        complete(first);
        done(Commands.away("a"));
        assertEquals("+a b c b b c", owners()); // the completed one is not given again
        done(Commands.leave("b"));
        assertEquals("+a c c c c c", owners());
        done(Commands.leave("c"));
        assertEquals("+a - - - - -", owners());
        assertEquals(JobState.QUEUED, job().state());
        done(Commands.back("a"));
        assertEquals("+a a a a a a", owners());
        assertEquals(JobState.RUNNING, job().state());
    }

    @Test
    void aNodeThatComesBackGetsWorkThatNobodyBegan() {
        nodes("a", "b");
        submit(Samples.job("job", 1, 6), "a", "b");
        take("a", 1);
        done(Commands.away("b"));
        assertEquals("a a a a a a", owners());
        List<Shard> begun = take("a", 4);
        done(Commands.back("b"));
        assertEquals("a a a a b b", owners()); // four are under way
        begun.forEach(this::complete);
    }

    @Test
    void aCompletionCountsForItsTermOnly() {
        nodes("a", "b");
        submit(Samples.job("job", 1, 2), "a", "b");
        Shard old = take("a", 1).getFirst();
        refused(
                Failure.Code.FAILED_PRECONDITION,
                "does not belong to node b",
                Commands.complete("b", "job", old.index(), old.term()));
        done(Commands.away("a"));
        done(Commands.back("a"));
        refused(
                Failure.Code.FAILED_PRECONDITION,
                "at term " + old.term() + " does not belong to node a",
                Commands.complete("a", "job", old.index(), old.term()));
        refused(
                Failure.Code.FAILED_PRECONDITION,
                "any more or yet",
                Commands.complete("b", "job", 0, job().shards().term(0))); // it was not told of it
        Shard again = take("b", 2).getFirst();
        complete(again);
        complete(again); // the answer was lost
        assertEquals(1, job().shards().done());
        refused(Failure.Code.OUT_OF_RANGE, "the shards 0 to 1", Commands.complete("a", "job", 2, 1));
    }

    @Test
    void aShardThatCameBackHasAnotherTerm() {
        nodes("a", "b");
        submit(Samples.job("job", 1, 1), "a", "b");
        Shard old = take("a", 1).getFirst();
        done(Commands.away("a"));
        done(Commands.back("a"));
        done(Commands.away("b"));
        Shard again = take("a", 1).getFirst();
        assertTrue(again.term() > old.term());
        refused(
                Failure.Code.FAILED_PRECONDITION,
                "it belongs to a at term " + again.term(),
                Commands.complete("a", "job", old.index(), old.term()));
        complete(again);
        assertEquals(JobState.DONE, job().state());
    }

    @Test
    void eachEpochOpensAllShardsAgain() {
        nodes("a", "b");
        submit(Samples.job("job", 2, 3), "a", "b");
        List<Shard> last = List.of();
        for (int pass = 1; pass <= 2; pass++) {
            assertEquals(pass, job().pass());
            for (String node : List.of("a", "b")) {
                last = take(node, 3);
                last.forEach(this::complete);
            }
        }
        assertEquals(JobState.DONE, job().state());
        complete(last.getFirst()); // repeated
        assertEquals(List.of(), take("a", 3));
    }

    @Test
    void theLastCompletionOfAnEpochMayBeRepeated() {
        nodes("a");
        submit(Samples.job("job", 2, 1), "a");
        Shard shard = take("a", 1).getFirst();
        complete(shard);
        assertEquals(2, job().pass());
        complete(shard);
        assertEquals(0, job().shards().done());
    }

    @Test
    void theNextEpochLevelsTheShards() {
        nodes("a", "b");
        submit(Samples.job("job", 2, 6), "a", "b");
        done(Commands.away("b"));
        List<Shard> all = take("a", 6);
        done(Commands.back("b"));
        assertEquals("a a a a a a", owners());
        all.forEach(this::complete);
        assertEquals("a a a b b b", owners());
    }

    @Test
    void othersMayJoinByAskingUnlessTheJobIsClosed() {
        nodes("a", "b");
        submit(Samples.job("job", 1, 4), "a");
        assertEquals(2, take("b", 2).size());
        assertEquals("a a b b", owners());
        done(Commands.submit(Samples.job("closed", 1, 4), true, loads("a"), List.of()));
        refused(Failure.Code.FAILED_PRECONDITION, "not in job closed", Commands.take("b", "closed", 1, 0));
        refused(Failure.Code.NOT_FOUND, "not registered", Commands.take("stranger", "job", 1, 0));
        refused(Failure.Code.NOT_FOUND, "no job named nothing", Commands.take("a", "nothing", 1, 0));
    }

    @Test
    void aJobPlacesItsShardsItself() {
        nodes("a", "b");
        done(Commands.submit(
                Samples.job("job", 1, 4, ShardStrategy.CUSTOM), false, loads("a", "b"), List.of(1, 1, 1, 0)));
        assertEquals("b b b a", owners());
        refused(
                Failure.Code.FAILED_PRECONDITION,
                "not here",
                Commands.submit(Samples.job("next", 1, 1, ShardStrategy.CUSTOM), false, loads("a", "x"), List.of(0)));
        refused(
                Failure.Code.INVALID_ARGUMENT,
                "each of the 4 shards",
                Commands.submit(Samples.job("next", 1, 4, ShardStrategy.CUSTOM), false, loads("a"), List.of(0)));
    }

    @Test
    void aJobThatCountsNoShardsIsDoneWhenAllReportedTheLastEpoch() {
        nodes("a", "b", "c");
        submit(Samples.job("job", 2, 3), "a", "b", "c");
        done(Commands.report("a", new Progress("job", 2, 100), ""));
        done(Commands.report("a", new Progress("job", 1, 50), "")); // late: takes nothing back
        assertEquals(2, job().members().getFirst().epoch());
        done(Commands.report("b", new Progress("job", 2, 100), ""));
        assertEquals(JobState.RUNNING, job().state());
        done(Commands.leave("c")); // nobody waits for it any more
        assertEquals(JobState.DONE, job().state());
        refused(Failure.Code.FAILED_PRECONDITION, "is over (done)", Commands.cancel("job"));
    }

    @Test
    void jobsEndOnceForAll() {
        nodes("a");
        submit(Samples.job("job", 1, 1), "a");
        Shard shard = take("a", 1).getFirst();
        done(Commands.report("a", new Progress("job", 0, 0), "out of memory"));
        assertEquals("a: out of memory", job().reason());
        assertEquals(JobState.FAILED, job().state());
        refused(
                Failure.Code.FAILED_PRECONDITION,
                "is over (failed)",
                Commands.complete("a", "job", shard.index(), shard.term()));
        submit(Samples.job("next", 1, 1), "a");
        done(Commands.cancel("next"));
        done(Commands.cancel("next"));
        refused(Failure.Code.FAILED_PRECONDITION, "over", Commands.report("a", new Progress("next", 1, 1), ""));
        refused(Failure.Code.NOT_FOUND, "no job named", Commands.cancel("nothing"));
    }

    @Test
    void onlyJobsThatAreOverAreForgotten() {
        nodes("a");
        for (int i = 0; i < Bounds.JOBS_MAX; i++) {
            submit(Samples.job("job-" + i, 1, 1), "a");
        }
        refused(
                Failure.Code.RESOURCE_EXHAUSTED,
                "wait until one is done",
                Commands.submit(Samples.job("job", 1, 1), false, loads("a"), List.of()));
        done(Commands.cancel("job-200"));
        done(Commands.cancel("job-100"));
        submit(Samples.job("job", 1, 1), "a");
        assertEquals(Bounds.JOBS_MAX, ledger.jobs().size());
        assertTrue(!ledger.jobs().containsKey("job-100") && ledger.jobs().containsKey("job-200"));
    }

    @Test
    void onlyIdleNodesThatAreAwayAreForgotten() {
        for (int i = 0; i < Bounds.NODES_MAX; i++) {
            nodes("n" + i);
        }
        submit(Samples.job("job", 1, 1), "n1");
        done(Commands.away("n1"));
        Bytes another = Commands.register(NodeSpec.worker("x", ""));
        refused(Failure.Code.RESOURCE_EXHAUSTED, "let one leave", another);
        done(Commands.away("n7"));
        done(another);
        assertTrue(!ledger.nodes().containsKey("n7") && ledger.nodes().containsKey("n1"));
    }

    /** The largest ledger there can be fits into a snapshot, and the largest commands into a command. */
    @Test
    void theLargestLedgerFits() {
        String text = "t".repeat(Bounds.TEXT_BYTES_MAX);
        var nodes = new TreeMap<String, SchedulerLedger.Node>();
        var members = new ArrayList<Member>();
        for (int i = 0; i < Bounds.NODES_MAX; i++) {
            String id = "n".repeat(60) + String.format("%04d", i);
            var near = new TreeMap<String, Double>();
            for (int k = 0; k < Bounds.LOCALITIES_MAX; k++) {
                near.put("p".repeat(Bounds.TEXT_BYTES_MAX - 2) + String.format("%02d", k), 0.5);
            }
            var spec = new NodeSpec(
                    id, text, NodeRole.MASTER, text, text, new Capabilities(1 << 30, -1, -1, -1, -1), near);
            assertTrue(Commands.register(spec).size() <= Content.COMMAND_BYTES_MAX);
            nodes.put(id, new SchedulerLedger.Node(spec, true));
            members.add(new Member(id, 0.5, true, Bounds.EPOCHS_MAX, Long.MAX_VALUE / Bounds.NODES_MAX));
        }
        long term = 1L << 40;
        var jobs = new TreeMap<String, Job>();
        int shards = Bounds.ALL_SHARDS_MAX / Bounds.JOBS_MAX;
        for (int i = 0; i < Bounds.JOBS_MAX; i++) {
            String name = "j".repeat(60) + String.format("%04d", i);
            var spec = new JobSpec(
                    "s".repeat(64),
                    name,
                    Topology.MODEL_PARALLEL,
                    ShardStrategy.RANDOM,
                    1,
                    1,
                    1,
                    text,
                    Long.MAX_VALUE,
                    shards,
                    -1);
            int[] owners = new int[shards];
            Arrays.fill(owners, Bounds.NODES_MAX - 1);
            var all = Shards.placed(owners, term).draft();
            IntStream.range(0, shards).forEach(shard -> {
                all.give(shard);
                all.complete(shard);
            });
            var job = new Job(
                    spec,
                    true,
                    i,
                    JobState.RUNNING,
                    text,
                    Members.of(members),
                    all.finish(),
                    Bounds.EPOCHS_MAX,
                    1,
                    true);
            jobs.put(name, job);
            jobs.put(
                    "k" + name.substring(1),
                    job.named("k" + name.substring(1), i).lost(text)); // after a merge
        }
        var largest = new SchedulerLedger(TreePMap.from(nodes), TreePMap.from(jobs), Long.MAX_VALUE, Long.MAX_VALUE);
        Bytes bytes = application.encode(largest);
        assertTrue(bytes.size() < Application.STATE_BYTES_MAX, () -> bytes.size() + " bytes");
        assertEquals(largest, application.decode(bytes));

        var loads = new TreeMap<String, Double>();
        nodes.keySet().forEach(id -> loads.put(id, 1.5));
        JobSpec spec = jobs.firstEntry().getValue().spec().withShards(Bounds.SHARDS_MAX);
        Bytes submit = Commands.submit(spec, true, loads, Collections.nCopies(Bounds.SHARDS_MAX, 255));
        assertTrue(submit.size() <= Content.COMMAND_BYTES_MAX, () -> submit.size() + " bytes");
    }

    @Test
    void anyBytesAreACommandThatDoesNotThrow() {
        nodes("a", "b");
        submit(Samples.job("job", 3, 4), "a", "b");
        var random = new Random(1);
        List<Bytes> good = List.of(
                Commands.register(NodeSpec.worker("a", "x")),
                Commands.submit(Samples.job("job", 1, 4), false, loads("a"), List.of(1, 2)),
                Commands.take("a", "job", 3, 0.5),
                Commands.complete("a", "job", 0, 1),
                Commands.report("b", new Progress("job", 1, 2), "why"),
                Commands.passed("job", 3));
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = good.get(i % good.size()).toArray();
            for (int k = random.nextInt(4); k >= 0; k--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            ledger = application.apply(ledger, Bytes.of(bytes)).state();
        }
        assertEquals(ledger, application.decode(application.encode(ledger)));
        byte[] encoded = application.encode(ledger).toArray();
        for (int i = 0; i < 5_000; i++) {
            byte[] bytes = encoded.clone();
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            try {
                application.decode(Bytes.of(bytes));
            } catch (IllegalArgumentException expected) {
                assertTrue(expected.getMessage() != null);
            }
        }
        assertThrows(IllegalArgumentException.class, () -> application.decode(Bytes.of((byte) 10, (byte) 99)));
    }

    @Test
    void twoLedgersBecomeOne() {
        nodes("a");
        submit(Samples.job("job", 1, 1), "a");
        submit(Samples.job("mine", 1, 1), "a");
        SchedulerLedger better = ledger;
        ledger = application.empty();
        nodes("b");
        submit(Samples.job("job", 1, 2), "b");
        submit(Samples.job("theirs", 1, 2), "b");
        SchedulerLedger both = application.merge(better, ledger);
        assertEquals(List.of("a", "b"), List.copyOf(both.nodes().keySet()));
        assertEquals(List.of("job", "mine", "theirs"), List.copyOf(both.jobs().keySet()));
        assertEquals(
                "a", Objects.requireNonNull(both.jobs().get("job")).shard(0).owner());
        assertEquals(4, both.jobsEver());
        assertEquals(4, Objects.requireNonNull(both.jobs().get("theirs")).number());
        assertEquals(both, application.merge(both, application.empty()));
    }
}
