package io.hearth.scheduler.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.Capabilities;
import io.hearth.scheduler.DataAdvice;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.JobView;
import io.hearth.scheduler.NodeRole;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.NodeStatus;
import io.hearth.scheduler.Progress;
import io.hearth.scheduler.Samples;
import io.hearth.scheduler.SchedulerMetrics;
import io.hearth.scheduler.SchedulerSettings;
import io.hearth.scheduler.Shard;
import io.hearth.scheduler.ShardStrategy;
import io.hearth.serve.Failure;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A scheduler in virtual time: who is here, who is behind, what is asked and answered. */
final class SchedulerMachineTest {
    private final SchedulerWorld world = new SchedulerWorld();

    /** The original drops the heartbeats of nodes that it does not know. */
    @Test
    void aHeartbeatOfAnUnknownNodeIsAnError() {
        Failure failure = world.refused(beat("x", 0, Optional.empty(), false));
        assertEquals(Failure.Code.NOT_FOUND, failure.code());
        assertTrue(failure.text().contains("call RegisterNode first"), failure.text());
    }

    private static Request beat(String node, double load, Optional<Capabilities> capabilities, boolean isUnhealthy) {
        return new Request.Beat(node, load, NodeRole.UNKNOWN, capabilities, List.of(), isUnhealthy);
    }

    @Test
    void statusesFollowLoadAndSilence() {
        world.register("a", "b");
        assertEquals(NodeStatus.HEALTHY, world.beat("a", 1));
        assertEquals(NodeStatus.BUSY, world.beat("a", 7.5));
        assertEquals(NodeStatus.OVERLOADED, world.beat("a", 12));
        var sick = (Reply.Beaten) world.ask(beat("a", 0, Optional.empty(), true));
        assertEquals(NodeStatus.UNHEALTHY, sick.status());
        assertEquals(NodeStatus.HEALTHY, world.beat("a", 0));
        world.submit(Samples.job("job", 1, 2));
        world.pass(30);
        assertEquals(NodeStatus.UNHEALTHY, world.show("job", "a").status());
        world.pass(30);
        assertEquals(NodeStatus.OFFLINE, world.show("job", "a").status());
    }

    @Test
    void aHeartbeatMayBringNewCapabilities() {
        world.register("a");
        var two = new Capabilities(2, 1, 1, 1, 1);
        world.ask(beat("a", 0, Optional.of(two), false));
        assertEquals(two, world.ledger().nodes().firstEntry().getValue().spec().capabilities());
    }

    /** In the original a failed registration leaves its job behind and is counted. */
    @Test
    void aJobWithoutNodesLeavesNothingBehind() {
        SchedulerMetrics before = world.metrics();
        Failure failure = world.refused(new Request.Submit(Samples.job("e", 1, 3), List.of(), List.of()));
        assertEquals(Failure.Code.FAILED_PRECONDITION, failure.code());
        assertTrue(failure.text().startsWith("no nodes available for job e"), failure.text());
        assertEquals(before, world.metrics());
        assertEquals(Map.of(), world.ledger().jobs());
    }

    /** The original gives all shards to the node with the best score. */
    @Test
    void shardsAreBalancedAndTheBestNodeGetsTheRemainder() {
        world.register("a", "b");
        world.ask(new Request.Register(new NodeSpec(
                "c",
                "",
                NodeRole.WORKER,
                "",
                "",
                new Capabilities(8, 0, 0, 0, 0),
                new TreeMap<>(Map.of("/data", 0.9)))));
        world.beat("a", 9);
        JobView job = world.submit(Samples.job("job", 1, 7, ShardStrategy.LOCALITY_AWARE));
        assertEquals(
                List.of(2, 2, 3),
                job.nodes().stream().map(JobView.NodeView::openShards).toList());
    }

    @Test
    void nodesThatAJobNamesMustBeHere() {
        world.register("a", "b");
        Failure failure = world.refused(new Request.Submit(Samples.job("job", 1, 3), List.of("a", "x"), List.of()));
        assertTrue(failure.text().contains("node x is not registered"), failure.text());
        world.ask(new Request.Submit(Samples.job("job", 1, 3), List.of("a"), List.of()));
        assertEquals(
                Failure.Code.FAILED_PRECONDITION,
                world.refused(new Request.Next("b", "job", 1)).code());
        world.ask(new Request.Leave("a"));
        world.ask(new Request.Submit(Samples.job("job", 1, 3), List.of("a"), List.of())); // repeated: it is there
    }

    @Test
    void aJobMayPlaceItsShardsItself() {
        world.register("a", "b");
        var spec = Samples.job("job", 1, 0, ShardStrategy.CUSTOM);
        var submitted = (Reply.Submitted) world.ask(new Request.Submit(spec, List.of(), List.of("b", "b", "a", "b")));
        assertEquals(4, submitted.job().spec().shards());
        assertEquals(3, world.show("job", "b").openShards());
        var other = Samples.job("other", 1, 0, ShardStrategy.CUSTOM);
        assertEquals(
                Failure.Code.INVALID_ARGUMENT,
                world.refused(new Request.Submit(other, List.of(), List.of("b", "x")))
                        .code());
    }

    /** In the original one stale node stops the coordinator: it takes its lock twice. */
    @Test
    void shardsOfASilentNodeGoToOthersAndItGetsWorkAgain() {
        world.register("a", "b");
        world.submit(Samples.job("job", 1, 8));
        Shard old = world.next("b", "job", 1).getFirst();
        for (int i = 0; i < 6; i++) {
            world.pass(10);
            world.beat("a", 0);
        }
        assertEquals(NodeStatus.OFFLINE, world.show("job", "b").status());
        assertEquals(8, world.show("job", "a").openShards());
        assertEquals(1, world.metrics().activeNodes());
        Failure late = world.refused(new Request.Complete("b", "job", old.index(), old.term()));
        assertEquals(Failure.Code.FAILED_PRECONDITION, late.code());
        world.beat("b", 0); // it comes back
        assertEquals(4, world.show("job", "b").openShards());
        assertEquals(2, world.metrics().activeNodes());
        world.next("b", "job", 4).forEach(shard -> world.complete("b", "job", shard));
        world.next("a", "job", 8).forEach(shard -> world.complete("a", "job", shard));
        assertEquals(JobState.DONE, world.show("job").state());
    }

    @Test
    void aHeartbeatDuringTheDepartureBringsTheNodeBack() {
        world.register("a");
        world.submit(Samples.job("job", 1, 2));
        world.isSlow = true;
        world.pass(60); // the command waits
        long beat = world.call(beat("a", 0, Optional.empty(), false));
        world.store();
        assertTrue(world.reply(beat).isPresent());
        assertEquals(2, world.show("job", "a").openShards());
    }

    @Test
    void aDepartureThatWasNotStoredIsTriedAgain() {
        world.register("a");
        world.submit(Samples.job("job", 1, 2));
        world.isSlow = true;
        world.pass(60);
        world.lose();
        world.pass(1); // the store was busy: not at once
        world.store();
        assertTrue(world.ledger().nodes().firstEntry().getValue().isAway());
    }

    @Test
    void aMachineThatBeginsToAnswerKnowsTheStragglersOfTheLedger() {
        world.register("a", "b");
        world.submit(Samples.job("job", 20, 2));
        world.ask(new Request.Report("a", new Progress("job", 10, 1), ""));
        world.fail(0);
        assertTrue(world.show("job", "b").isStraggler());
    }

    @Test
    void aMachineThatBeginsToAnswerGivesEverybodyTime() {
        world.register("a");
        world.submit(Samples.job("job", 1, 2));
        world.pass(50);
        world.fail(0);
        assertEquals(NodeStatus.UNKNOWN, world.show("job", "a").status());
        world.pass(59);
        assertEquals(NodeStatus.UNKNOWN, world.show("job", "a").status());
        assertEquals(NodeStatus.HEALTHY, world.beat("a", 0));
        world.pass(59);
        assertEquals(2, world.show("job", "a").openShards());
    }

    /** In the original one straggler stops the coordinator, and is on the list for ever. */
    @Test
    void stragglersAreFoundAndForgottenWhenTheyCatchUp() {
        world.register("a", "b", "c");
        world.submit(Samples.job("job", 20, 3));
        for (String node : List.of("a", "b")) {
            world.ask(new Request.Report(node, new Progress("job", 10, 10_000), ""));
        }
        var late = (Reply.Reported) world.ask(new Request.Report("c", new Progress("job", 5, 5_000), ""));
        assertTrue(late.isStraggler());
        assertTrue(world.show("job", "c").isStraggler());
        assertTrue(world.mail("a").contains("straggler_detection scheduler {\"epoch\":0,\"straggler_node\":\"c\"}"));
        world.beat("c", 0, new Progress("job", 9, 9_000)); // from a heartbeat
        assertTrue(world.show("job").nodes().stream().noneMatch(JobView.NodeView::isStraggler));
    }

    @Test
    void ratesAndTheTimeToGoComeFromProgress() {
        world.register("a", "b");
        world.submit(Samples.job("job", 10, 2)); // 10 * 1,000 samples
        assertEquals(OptionalDouble.empty(), world.show("job").etaSeconds());
        for (int i = 0; i <= 2; i++) {
            world.beat("a", 0, new Progress("job", 0, 100L * i));
            world.beat("b", 0, new Progress("job", 0, 300L * i));
            world.pass(10);
        }
        JobView job = world.show("job");
        assertEquals(40, job.samplesPerSecond());
        assertEquals(30, world.show("job", "b").samplesPerSecond());
        assertEquals(OptionalDouble.of((10_000 - 800) / 40.0), job.etaSeconds());
        world.pass(60);
        assertEquals(0, world.show("job").samplesPerSecond()); // both are silent
    }

    @Test
    void adviceForReading() {
        world.register("a", "b");
        world.ask(new Request.Register(new NodeSpec(
                "c", "host-c", NodeRole.WORKER, "", "", Capabilities.NONE, new TreeMap<>(Map.of("/x", 0.8)))));
        world.submit(Samples.job("job", 1, 3));
        DataAdvice advice = ((Reply.Data) world.ask(new Request.Data("a", "job", 2))).advice();
        assertEquals(131_072, advice.prefetchBytes());
        assertTrue(advice.isCached());
        assertEquals("host-c", advice.ownerAddress());
        assertEquals(List.of("c"), advice.optimalNodes());
        assertEquals("job_shard_2", advice.shard().orElseThrow().id());
        assertTrue(world.mail("c").contains("data_request a {\"shard_id\":\"job_shard_2\",\"node\":\"a\"}"));
        assertEquals(
                new DataAdvice(Optional.empty(), "", 65_536, false, List.of()),
                ((Reply.Data) world.ask(new Request.Data("a", "nothing", 2))).advice());
        assertEquals(
                Failure.Code.OUT_OF_RANGE,
                world.refused(new Request.Data("a", "job", 3)).code());
    }

    @Test
    void nobodyIsAnsweredBeforeTheCommandIsStored() {
        world.register("a");
        world.isSlow = true;
        long submit = world.call(new Request.Submit(Samples.job("job", 1, 1), List.of(), List.of()));
        assertTrue(world.reply(submit).isEmpty() && world.failure(submit).isEmpty());
        world.fail(1); // it was stored, but nobody heard
        assertEquals(
                Failure.Code.UNAVAILABLE, world.failure(submit).orElseThrow().code());
        world.isSlow = false;
        world.submit(Samples.job("job", 1, 1)); // repeated
        assertEquals(1, world.metrics().totalJobs());
    }

    @Test
    void aMachineThatDoesNotAnswerSaysSo() {
        var machine = new SchedulerMachine(SchedulerSettings.DEFAULT);
        var step = machine.step(SchedulerState.START, new SchedulerEvent.Called(1, new Request.ListJobs()), 0);
        assertEquals(
                List.of(Failure.Code.UNAVAILABLE),
                step.effects().stream()
                        .map(effect -> ((SchedulerEffect.Fail) effect).why().code())
                        .toList());
        assertEquals(Long.MAX_VALUE, machine.sleepNanos(step.state(), 0));
    }

    @Test
    void metricsAreLive() {
        world.register("a", "b");
        world.submit(Samples.job("job", 1, 5));
        world.submit(Samples.job("next", 1, 2));
        world.ask(new Request.Cancel("next"));
        SchedulerMetrics metrics = world.metrics();
        assertEquals(
                List.of(2L, 1L, 2L, 5L),
                List.of(metrics.totalJobs(), metrics.activeJobs(), metrics.activeNodes(), metrics.totalShards()));
        assertTrue(metrics.events() > 0);
        assertEquals(
                List.of("next", "job"),
                ((Reply.Jobs) world.ask(new Request.ListJobs()))
                        .jobs().stream().map(job -> job.spec().name()).toList());
    }

    @Test
    void boundsHold() {
        world.register("a");
        for (int i = 1; i < Bounds.NODES_MAX; i++) {
            world.register("n" + i);
        }
        assertEquals(
                Failure.Code.RESOURCE_EXHAUSTED,
                world.refused(new Request.Register(NodeSpec.worker("x", ""))).code());
        world.submit(Samples.job("job", 1, Bounds.SHARDS_MAX));
        assertEquals(16, world.show("job", "a").openShards());
    }

    @Test
    void callsThatWaitAreBounded() {
        world.register("a", "b");
        world.submit(Samples.job("job", 1, 2));
        for (int i = 0; i < 1_030; i++) {
            world.call(new Request.Messages("a", 1, Long.MAX_VALUE, SchedulerWorld.SECOND));
        }
        assertEquals(1_024, world.state().polls().size());
        world.pass(1);
        assertEquals(0, world.state().polls().size());
        for (int i = 0; i < 4_100; i++) {
            world.call(new Request.Barrier("a", "job", 1, 0));
        }
        assertEquals(4_096, world.state().waiters().size());
    }
}
