package io.hearth.transport.machine;

import static io.hearth.transport.machine.LaneWorld.MILLI;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.transport.machine.LaneWorld.Wire;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both halves of a stream of several lanes, in virtual time, with lanes that stall, break and come back. */
final class LaneSimulationTest {
    private static final int RECORD = 256 * 1024;
    private static final double GIGABIT = 125e6; // bytes per second
    private static final long SHORT = MILLI / 5;

    private static LaneWorld world(double... bytesPerSecond) {
        return new LaneWorld(
                bytesPerSecond,
                LongStream.generate(() -> SHORT).limit(bytesPerSecond.length).toArray());
    }

    private static void givesMostOfTheSum(double... bytesPerSecond) {
        LaneWorld world = world(bytesPerSecond);
        world.send(400, RECORD); // until rates are known
        long sinceNanos = world.now;
        world.send(2_000, RECORD);
        double sum = 0;
        for (double rate : bytesPerSecond) {
            sum += rate;
        }
        double rate = 2_000.0 * RECORD / (world.now - sinceNanos) * 1e9;
        assertTrue(rate >= 0.9 * sum, () -> "only " + rate / 1e6 + " of " + world.wires.size() + " lanes");
    }

    @Test
    void lanesGiveTheSumOfTheirRates() {
        givesMostOfTheSum(GIGABIT);
        givesMostOfTheSum(GIGABIT, GIGABIT);
        givesMostOfTheSum(GIGABIT, GIGABIT / 2);
        givesMostOfTheSum(GIGABIT / 10, GIGABIT);
        givesMostOfTheSum(10 * GIGABIT, GIGABIT);
        givesMostOfTheSum(GIGABIT, GIGABIT / 4, GIGABIT / 2, GIGABIT);
    }

    @Test
    void aCutLaneIsMasked() {
        for (int lane = 0; lane < 2; lane++) {
            LaneWorld world = world(GIGABIT, GIGABIT);
            Wire victim = world.wires.get(lane);
            world.at(100 * MILLI, () -> victim.cut(true));
            world.send(2_000, RECORD);
            assertTrue(world.longestGapNanos < 200 * MILLI, "gap of " + world.longestGapNanos / MILLI + " ms");
            assertTrue(world.longestGapNanos >= LaneLimits.SUSPECT_NANOS, "the cut was not felt");
        }
    }

    @Test
    void aLaneThatWasCutServesAgain() {
        LaneWorld world = world(GIGABIT, GIGABIT);
        Wire victim = world.wires.get(1);
        world.at(100 * MILLI, () -> victim.cut(true));
        world.at(900 * MILLI, () -> victim.cut(false));
        world.send(2_000, RECORD);
        long before = victim.delivered;
        long sinceNanos = world.now;
        world.send(1_000, RECORD);
        double rate = 1_000.0 * RECORD / (world.now - sinceNanos) * 1e9;
        assertTrue(victim.delivered - before > 400L * RECORD, "it carries its part again");
        assertTrue(rate >= 0.9 * 2 * GIGABIT, "rate " + rate);
    }

    @Test
    void aBrokenLaneCostsNoWait() {
        LaneWorld world = world(GIGABIT, GIGABIT);
        Wire victim = world.wires.get(0);
        world.at(100 * MILLI, victim::breakDown);
        world.at(500 * MILLI, victim::open);
        world.send(2_000, RECORD);
        assertTrue(world.longestGapNanos < 60 * MILLI, "gap of " + world.longestGapNanos / MILLI + " ms");
    }

    @Test
    void smallRecordsTakeTheQuickLane() {
        var world = new LaneWorld(new double[] {GIGABIT, GIGABIT}, new long[] {5 * MILLI, MILLI / 5});
        for (int i = 0; i < 100; i++) {
            world.send(1, 1_000);
        }
        assertTrue(world.wires.get(0).delivered <= 5_000, "bytes on the slow lane: " + world.wires.get(0).delivered);
    }

    @Test
    void aPauseOfTheReceiverIsNoFaultOfALane() {
        LaneWorld world = world(GIGABIT, GIGABIT);
        world.at(50 * MILLI, () -> world.paused = true);
        world.at(1_050 * MILLI, () -> {
            world.paused = false;
            world.consume();
        });
        world.send(500, RECORD);
        assertEquals(500L * RECORD, world.wires.get(0).delivered + world.wires.get(1).delivered, "nothing goes twice");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void everyRecordArrivesOnceAndInOrderWhateverHappensToLanes(int count) {
        int seeds = Boolean.getBoolean("hearth.full") ? 120 : 60;
        long only = Long.getLong("hearth.seed", -1);
        for (long seed = Math.max(0, only); seed < (only < 0 ? seeds : only + 1); seed++) {
            play(count, seed);
        }
    }

    /** Faults of all kinds, half a second apart, while at least one lane works. */
    private static void play(int count, long seed) {
        var random = new SplittableRandom(seed);
        double[] rates = random.doubles(count, GIGABIT / 10, 2 * GIGABIT).toArray();
        LaneWorld world = world(rates);
        for (int fault = 1; fault <= 12; fault++) {
            int lane = random.nextInt(count);
            int kind = random.nextInt(3);
            long lastsNanos = random.nextLong(30, 1_500) * MILLI;
            world.at(fault * 500L * MILLI, () -> harm(world, lane, kind, lastsNanos));
        }
        try {
            while (world.now < 8_000 * MILLI) {
                world.send(1 + random.nextInt(200), random.nextInt(3) == 0 ? 1 + random.nextInt(4_096) : RECORD);
            }
        } catch (AssertionError | IllegalArgumentException failed) {
            throw new AssertionError("seed " + seed + ", " + count + " lanes: " + failed.getMessage(), failed);
        }
        assertTrue(
                world.longestGapNanos < 200 * MILLI,
                "gap of " + world.longestGapNanos / MILLI + " ms, seed " + seed + ", " + count + " lanes");
    }

    private static void harm(LaneWorld world, int lane, int kind, long lastsNanos) {
        Wire victim = world.wires.get(lane);
        long others = world.wires.stream()
                .filter(wire -> wire != victim && wire.works())
                .count();
        if (others == 0 || !victim.works()) {
            return;
        }
        if (kind == 0) {
            victim.breakDown();
            world.at(world.now + lastsNanos, victim::open);
        } else {
            victim.cut(true);
            world.at(world.now + lastsNanos, () -> victim.cut(false));
        }
    }
}
