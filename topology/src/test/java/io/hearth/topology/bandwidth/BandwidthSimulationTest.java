package io.hearth.topology.bandwidth;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.topology.Nodes;
import io.hearth.topology.bandwidth.BandwidthMachine.Effect;
import io.hearth.topology.bandwidth.BandwidthMachine.Event;
import io.hearth.topology.bandwidth.BandwidthMachine.Limits;
import io.hearth.topology.bandwidth.BandwidthMachine.State;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A cluster of machines in virtual time: messages are late, lost when a link ends, and collectives come and go. */
final class BandwidthSimulationTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final long NOISY_NANOS = 1_800 * SECOND;
    private static final long QUIET_NANOS = 1_200 * SECOND;

    static LongStream seeds() {
        Long one = Long.getLong("hearth.seed");
        return one == null ? LongStream.range(0, 200) : LongStream.of(one);
    }

    private record Due(long atNanos, long order, Runnable action) {}

    /** One world. */
    private static final class World {
        final SplittableRandom random;
        final PriorityQueue<Due> queue =
                new PriorityQueue<>(Comparator.comparingLong(Due::atNanos).thenComparingLong(Due::order));
        final List<Node> nodes = new ArrayList<>();
        final Set<String> measured = new HashSet<>(); // pairs, in the quiet time
        long now;
        long order;

        World(long seed) {
            random = new SplittableRandom(seed);
            int count = random.nextInt(2, 9);
            for (int i = 0; i < count; i++) {
                nodes.add(new Node(this, Nodes.node(i + 1)));
            }
        }

        void in(long nanos, Runnable action) {
            queue.add(new Due(now + nanos, order++, action));
        }

        Node node(NodeId id) {
            return nodes.stream().filter(node -> node.id.equals(id)).findFirst().orElseThrow();
        }

        void run(long untilNanos) {
            while (!queue.isEmpty() && queue.element().atNanos <= untilNanos) {
                Due due = queue.remove();
                now = due.atNanos;
                due.action.run();
                nodes.forEach(Node::check);
            }
            now = untilNanos;
        }

        void link(Node one, Node other, boolean up) {
            one.step(up ? new Event.Linked(other.id, Long.MAX_VALUE) : new Event.Unlinked(other.id));
            other.step(up ? new Event.Linked(one.id, Long.MAX_VALUE) : new Event.Unlinked(one.id));
        }
    }

    /** A node whose shell runs measurements in virtual time. */
    private static final class Node {
        final World world;
        final NodeId id;
        final BandwidthMachine machine;
        State state;
        boolean busy;
        Optional<Effect.Run> runs = Optional.empty();
        long spentNanos;
        long runsSince;
        long waking;

        Node(World world, NodeId id) {
            this.world = world;
            this.id = id;
            this.machine = new BandwidthMachine(id, Limits.DEFAULTS);
            this.state = machine.start(0);
        }

        void step(Event event) {
            Step<State, Effect> step = machine.step(state, event, world.now);
            state = step.state();
            step.effects().forEach(this::carryOut);
            long wakes = ++waking;
            long sleep = machine.sleepNanos(state, world.now);
            if (sleep < Long.MAX_VALUE) {
                world.in(Math.max(1, sleep), () -> {
                    if (wakes == waking) {
                        step(new Event.Tick());
                    }
                });
            }
        }

        private void carryOut(Effect effect) {
            switch (effect) {
                case Effect.Say(NodeId peer, BandwidthMessage message) -> {
                    if (world.random.nextInt(100) < 95) {
                        long late = world.random.nextLong(50 * MILLI);
                        world.in(late, () -> world.node(peer).step(new Event.Heard(id, message)));
                    }
                }
                case Effect.Run run -> {
                    assertTrue(runs.isEmpty(), () -> id.shortText() + " runs two measurements");
                    assertFalse(busy, () -> id.shortText() + " measures during a collective");
                    runs = Optional.of(run);
                    runsSince = Long.MAX_VALUE;
                    world.in(world.random.nextLong(10 * MILLI), () -> begin(run));
                    boolean fails = world.random.nextInt(100) < 10;
                    long lasts = world.random.nextLong(20 * MILLI, fails ? 10 * SECOND : 400 * MILLI);
                    world.in(lasts, () -> end(run, fails));
                }
                case Effect.Stop(NodeId peer, long number) -> {
                    if (runs.filter(run -> run.peer().equals(peer) && run.number() == number)
                            .isPresent()) {
                        spend();
                    }
                }
                case Effect.Seen seen -> throw new AssertionError("no collective showed " + seen);
                case Effect.Measured(NodeId peer, Bandwidth _) -> {
                    String pair = id.compareTo(peer) < 0 ? id + " " + peer : peer + " " + id;
                    world.measured.add(pair);
                }
            }
        }

        private void begin(Effect.Run run) {
            if (runs.filter(run::equals).isPresent()) {
                runsSince = world.now;
                step(new Event.Began(run.peer(), run.number()));
            }
        }

        private void end(Effect.Run run, boolean fails) {
            if (runs.filter(run::equals).isPresent()) {
                spend();
                step(new Event.Ended(
                        run.peer(), run.number(), fails ? Optional.empty() : Optional.of(new Bandwidth(1, 1))));
            }
        }

        private void spend() {
            spentNanos += Math.min(Math.max(0, world.now - runsSince), Limits.DEFAULTS.trainsNanosMax());
            runs = Optional.empty();
        }

        void busy(boolean now) {
            busy = now;
            step(new Event.Busy(now));
        }

        void check() {
            assertTrue(!busy || runs.isEmpty(), () -> id.shortText() + " measures during a collective");
            double allowed = Limits.DEFAULTS.burstNanos() + world.now * Limits.DEFAULTS.share();
            long overdraft = Limits.DEFAULTS.trainsNanosMax(); // of the last measurement
            assertTrue(
                    spentNanos <= allowed + overdraft,
                    () -> id.shortText() + " measured for " + spentNanos + " ns of " + world.now);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void nodesMeasureAllLinksWithinTheirShareAndNeverDuringACollective(long seed) {
        var world = new World(seed);
        for (Node one : world.nodes) {
            for (Node other : world.nodes) {
                if (one.id.compareTo(other.id) < 0) {
                    world.in(world.random.nextLong(10 * SECOND), () -> world.link(one, other, true));
                }
            }
        }
        for (int i = world.random.nextInt(60); i > 0; i--) {
            Node one = world.nodes.get(world.random.nextInt(world.nodes.size()));
            Node other = world.nodes.get(world.random.nextInt(world.nodes.size()));
            long at = world.random.nextLong(10 * SECOND, NOISY_NANOS);
            if (world.random.nextBoolean() || one.equals(other)) {
                world.in(at, () -> one.busy(true));
                world.in(at + world.random.nextLong(5 * SECOND), () -> one.busy(false));
            } else {
                world.in(at, () -> world.link(one, other, false));
                world.in(at + world.random.nextLong(5 * SECOND), () -> world.link(one, other, true));
            }
        }
        world.run(NOISY_NANOS + 10 * SECOND);
        world.nodes.forEach(node -> node.busy(false));
        world.measured.clear();
        world.run(world.now + QUIET_NANOS);
        int pairs = world.nodes.size() * (world.nodes.size() - 1) / 2;
        assertTrue(
                world.measured.size() == pairs,
                () -> "seed " + seed + ": " + world.measured.size() + " of " + pairs + " pairs were measured");
    }
}
