package io.hearth.scheduler.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.Samples;
import io.hearth.scheduler.Shard;
import io.hearth.scheduler.ShardStrategy;
import io.hearth.scheduler.ledger.Job;
import io.hearth.scheduler.ledger.Member;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Nodes come, go, fall silent and complete shards, answers are lost, and the machine of the scheduler dies, all by seeds. Each shard is completed
 * once in each epoch, and what was answered stays.
 */
final class ShardsBySeedTest {
    private static final int SEEDS = 300;
    private static final int STEPS = 120;
    private static final List<ShardStrategy> STRATEGIES = List.of(
            ShardStrategy.ROUND_ROBIN, ShardStrategy.LOCALITY_AWARE, ShardStrategy.HASH_BASED, ShardStrategy.RANDOM);

    private static final class Run {
        private final Random random;
        private final SchedulerWorld world = new SchedulerWorld();
        private final JobSpec spec;
        private final Set<String> alive = new TreeSet<>();
        private final Map<String, Map<Integer, Shard>> held = new HashMap<>();
        private final Map<Integer, Set<Long>> counted = new HashMap<>(); // terms of completions that were accepted

        private Run(long seed) {
            random = new Random(seed);
            for (int i = 0; i < 2 + random.nextInt(4); i++) {
                alive.add("n" + i);
            }
            world.register(alive.toArray(String[]::new));
            spec = Samples.job(
                    "job",
                    1 + random.nextInt(3),
                    1 + random.nextInt(30),
                    STRATEGIES.get(random.nextInt(STRATEGIES.size())));
            world.submit(spec);
            balanced();
        }

        private Job job() {
            return Objects.requireNonNull(world.ledger().jobs().get("job"));
        }

        /** No node has more than its share, rounded up. */
        private void balanced() {
            int present = job().present().size();
            int most = Arrays.stream(job().shards().open(job().members().size()))
                    .max()
                    .orElse(0);
            assertTrue(most <= Math.ceilDiv(spec.shards(), present), () -> most + " for one of " + present);
        }

        private void step() {
            String node = "n" + random.nextInt(7);
            switch (random.nextInt(12)) {
                case 0 -> {
                    alive.add(node);
                    world.register(node);
                }
                case 1 -> alive.remove(node); // silent from now on
                case 2 -> {
                    if (alive.size() > 1 && alive.remove(node)) {
                        world.ask(new Request.Leave(node));
                    }
                }
                case 3 -> {
                    world.isSlow = true;
                    world.call(new Request.Next(node, "job", 3));
                    anyHeld(node)
                            .ifPresent(shard ->
                                    world.call(new Request.Complete(node, "job", shard.index(), shard.term())));
                    world.fail(random.nextInt(3));
                    world.isSlow = false;
                }
                case 4, 5 -> {
                    for (int i = 0; i < 1 + random.nextInt(7); i++) {
                        beats();
                        world.pass(10);
                    }
                }
                case 6, 7, 8 -> take(node);
                default -> complete(node);
            }
            check();
        }

        private void beats() {
            for (String node : List.copyOf(alive)) {
                if (world.ledger().nodes().containsKey(node)) {
                    world.beat(node, random.nextInt(3));
                } else {
                    world.register(node);
                }
            }
        }

        private Optional<Shard> anyHeld(String node) {
            return held.getOrDefault(node, Map.of()).values().stream().findAny();
        }

        private void take(String node) {
            if (alive.contains(node)) {
                long call = world.call(new Request.Next(node, "job", 1 + random.nextInt(4)));
                world.reply(call).ifPresent(reply -> {
                    var mine = new HashMap<Integer, Shard>();
                    ((Reply.Shards) reply).shards().forEach(shard -> mine.put(shard.index(), shard));
                    mine.values().forEach(shard -> givenOnce(node, shard));
                    held.put(node, mine);
                });
            }
        }

        /** No other node holds the shard under the same term. */
        private void givenOnce(String node, Shard shard) {
            held.forEach((other, shards) -> {
                Shard theirs = shards.get(shard.index());
                assertTrue(other.equals(node) || theirs == null || theirs.term() < shard.term());
            });
        }

        private void complete(String node) {
            anyHeld(node).ifPresent(shard -> {
                var request = new Request.Complete(node, "job", shard.index(), shard.term());
                long call = world.call(request);
                if (world.reply(call).isPresent()) {
                    counted.computeIfAbsent(shard.index(), _ -> new HashSet<>()).add(shard.term());
                    if (random.nextBoolean() && !job().state().isOver()) {
                        world.call(request); // once more
                    }
                }
                held.getOrDefault(node, new HashMap<>()).remove(shard.index());
            });
        }

        /** Each open shard has one owner, who is here as long as anybody is. */
        private void check() {
            Job job = job();
            if (job.state().isOver()) {
                return;
            }
            List<Member> here = job.present();
            for (int i = 0; i < job.shards().count(); i++) {
                String owner = job.shard(i).owner();
                boolean isOwned = here.stream().anyMatch(member -> member.id().equals(owner));
                assertTrue(job.shards().isDone(i) || here.isEmpty() || isOwned, "a shard is lost");
            }
            assertEquals(here.isEmpty() ? JobState.QUEUED : JobState.RUNNING, job.state());
        }

        /** Peace: all nodes that are left work until the job is done. */
        private void finish() {
            alive.add("n0");
            for (int round = 0; round < 1_000 && !job().state().isOver(); round++) {
                beats();
                for (String node : alive) {
                    take(node);
                    for (Shard _ : List.copyOf(held.getOrDefault(node, Map.of()).values())) {
                        complete(node);
                    }
                }
                world.pass(10);
            }
            assertEquals(JobState.DONE, job().state());
            assertEquals(spec.epochs(), job().pass());
            assertEquals(spec.shards(), job().shards().done());
            counted.values()
                    .forEach(terms -> assertTrue(terms.size() <= spec.epochs(), "a shard was completed too often"));
        }
    }

    @Test
    void eachShardIsCompletedOnceWhateverHappens() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                var run = new Run(seed);
                for (int i = 0; i < STEPS; i++) {
                    run.step();
                }
                run.finish();
            } catch (AssertionError | RuntimeException wrong) {
                throw new AssertionError("seed " + seed, wrong);
            }
        }
    }
}
