package io.hearth.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.Schedule.Transfer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plays all ranks of a schedule at once, in any interleaving that the schedule allows. */
final class ScheduleTest {
    private static final int[] WORLDS = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16};
    private static final int[] COUNTS = {0, 1, 2, 3, 7, 64, 1000, 10_007};

    /** Segments on their way from each rank to its next. */
    private static final class World {
        final List<Schedule> schedules = new ArrayList<>();
        final List<float[]> buffers = new ArrayList<>();
        final List<Deque<float[]>> wires = new ArrayList<>();
        final long[] sent;
        final long[] received;
        int most;

        World(int world, int count, IntFunction<Schedule> schedule, SplittableRandom random) {
            sent = new long[world];
            received = new long[world];
            for (int rank = 0; rank < world; rank++) {
                schedules.add(schedule.apply(rank));
                wires.add(new ArrayDeque<>());
                float[] buffer = new float[count];
                for (int i = 0; i < count; i++) {
                    buffer[i] = (random.nextInt(2_000_001) - 1_000_000) / 997f;
                }
                buffers.add(buffer);
            }
        }

        boolean isOver() {
            for (int rank = 0; rank < sent.length; rank++) {
                if (sent[rank] < schedules.get(rank).sends()
                        || received[rank] < schedules.get(rank).receives()) {
                    return false;
                }
            }
            return true;
        }

        boolean trySend(int rank) {
            Schedule schedule = schedules.get(rank);
            if (sent[rank] == schedule.sends()) {
                return false;
            }
            Transfer out = schedule.send(sent[rank]);
            if (out.after() > received[rank]) {
                return false;
            }
            int next = (rank + 1) % sent.length;
            Transfer expected = schedules.get(next).receive(sent[rank]);
            assertEquals(
                    List.of(expected.chunk(), expected.offset(), expected.length()),
                    List.of(out.chunk(), out.offset(), out.length()),
                    () -> "rank " + rank + " to " + next);
            float[] copy = new float[out.length() / 4];
            System.arraycopy(buffers.get(rank), (int) (out.offset() / 4), copy, 0, copy.length);
            wires.get(rank).add(copy);
            most = Math.max(most, wires.get(rank).size());
            sent[rank]++;
            return true;
        }

        boolean tryReceive(int rank) {
            Deque<float[]> wire = wires.get(Math.floorMod(rank - 1, sent.length));
            if (wire.isEmpty()) {
                return false;
            }
            Transfer in = schedules.get(rank).receive(received[rank]);
            float[] segment = wire.remove();
            int start = (int) (in.offset() / 4);
            for (int i = 0; i < segment.length; i++) {
                float[] mine = buffers.get(rank);
                mine[start + i] = in.action() == Schedule.Action.COPY ? segment[i] : mine[start + i] + segment[i];
            }
            received[rank]++;
            return true;
        }

        void play(SplittableRandom random) {
            while (!isOver()) {
                boolean moved = false;
                int first = random.nextInt(2 * sent.length);
                for (int i = 0; i < 2 * sent.length && !moved; i++) {
                    int move = (first + i) % (2 * sent.length);
                    moved = move % 2 == 0 ? trySend(move / 2) : tryReceive(move / 2);
                }
                assertTrue(moved, "nobody can move");
            }
        }
    }

    /** Chunk c is added in the order c, c + 1, …, each rank adding its own to what came. */
    private static float[] ringSum(List<float[]> inputs) {
        int world = inputs.size();
        int count = inputs.getFirst().length;
        float[] sum = new float[count];
        for (int chunk = 0; chunk < world; chunk++) {
            int start = chunk * (count / world) + Math.min(chunk, count % world);
            int length = count / world + (chunk < count % world ? 1 : 0);
            for (int i = start; i < start + length; i++) {
                sum[i] = inputs.get(chunk)[i];
                for (int step = 1; step < world; step++) {
                    sum[i] = inputs.get((chunk + step) % world)[i] + sum[i];
                }
            }
        }
        return sum;
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 64, 4096})
    void aRingGivesAllRanksTheSameSumInOneFixedOrder(int segmentBytes) {
        for (int world : WORLDS) {
            for (int count : COUNTS) {
                if (count / world * 4 / segmentBytes > 400) {
                    continue;
                }
                var random = new SplittableRandom(world * 31L + count);
                var played =
                        new World(world, count, rank -> new RingSchedule(rank, world, count, 4, segmentBytes), random);
                float[] expected =
                        ringSum(played.buffers.stream().map(float[]::clone).toList());
                played.play(random);
                for (float[] buffer : played.buffers) {
                    assertArrayEquals(expected, buffer, "world " + world + " count " + count);
                }
            }
        }
    }

    @Test
    void whoFinishesARingKnowsThatAllCalledEvenWithoutElements() {
        for (int world = 2; world <= 16; world++) {
            for (int late = 0; late < world; late++) {
                int size = world;
                var played =
                        new World(world, 0, rank -> new RingSchedule(rank, size, 0, 1, 8), new SplittableRandom(1));
                boolean moved = true;
                while (moved) {
                    moved = false;
                    for (int rank = 0; rank < world; rank++) {
                        moved |= rank != late && (played.trySend(rank) || played.tryReceive(rank));
                    }
                }
                for (int rank = 0; rank < world; rank++) {
                    assertTrue(
                            played.received[rank] < played.schedules.get(rank).receives(),
                            "rank " + rank + " of " + world + " is through without " + late);
                }
            }
        }
    }

    @Test
    void aRingSplitsBuffersBeyondTheReachOfAnInt() {
        long count = 3L * Integer.MAX_VALUE + 1;
        long[] covered = new long[2];
        for (int rank = 0; rank < 2; rank++) {
            var schedule = new RingSchedule(rank, 3, count, 4, 128 * 1024);
            Transfer last = schedule.send(schedule.sends() - 1);
            assertTrue(last.offset() >= 0 && last.offset() + last.length() <= count * 4);
            covered[rank] = schedule.bytesSent();
        }
        assertEquals(4 * count / 3.0, covered[0] / 4.0 * 1.0, 16, "two of three thirds, twice");
    }

    @Test
    void aGatherGivesAllRanksAllBlocks() {
        for (int world : WORLDS) {
            var random = new SplittableRandom(world);
            long stride = 400;
            List<Long> lengths = new ArrayList<>();
            for (int rank = 0; rank < world; rank++) {
                lengths.add(4L * random.nextInt(101));
            }
            var played = new World(
                    world, (int) stride / 4 * world, rank -> new GatherSchedule(rank, lengths, stride, 64), random);
            List<float[]> before = played.buffers.stream().map(float[]::clone).toList();
            played.play(random);
            for (float[] buffer : played.buffers) {
                for (int block = 0; block < world; block++) {
                    int start = block * (int) stride / 4;
                    int end = start + (int) (lengths.get(block) / 4);
                    assertArrayEquals(
                            Arrays.copyOfRange(before.get(block), start, end), Arrays.copyOfRange(buffer, start, end));
                }
            }
        }
    }

    @Test
    void aBroadcastGivesAllTheRootsBytesAndNobodyIsThroughBeforeAllHold() {
        for (int world : WORLDS) {
            for (int root = 0; root < world; root += Math.max(1, world / 3)) {
                int from = root;
                int size = world;
                var random = new SplittableRandom(world * 17L + root);
                var played = new World(world, 50, rank -> new BroadcastSchedule(rank, size, from, 200, 64), random);
                float[] expected = played.buffers.get(root).clone();
                while (!played.isOver()) {
                    int rank = random.nextInt(world);
                    played.tryReceive(rank);
                    played.trySend(rank);
                    boolean through =
                            played.received[rank] == played.schedules.get(rank).receives()
                                    && (rank != from || played.received[rank] > 0);
                    if (through) {
                        played.buffers.forEach(buffer -> assertArrayEquals(expected, buffer));
                    }
                }
                played.buffers.forEach(buffer -> assertArrayEquals(expected, buffer));
            }
        }
    }

    @Test
    void oneThreadCanPlaySmallRingsInTurn() {
        for (int world : WORLDS) {
            for (int count : COUNTS) {
                var played = new World(
                        world,
                        count,
                        rank -> new RingSchedule(rank, world, count, 4, 128 * 1024),
                        new SplittableRandom(count));
                if (!played.schedules.getFirst().inTurn(32 * 1024)) {
                    continue;
                }
                while (!played.isOver()) {
                    for (int rank = 0; rank < world; rank++) {
                        assertTrue(
                                played.sent[rank] == played.schedules.get(rank).sends() || played.trySend(rank));
                    }
                    for (int rank = 0; rank < world; rank++) {
                        assertTrue(world == 1 || played.tryReceive(rank));
                    }
                }
                assertTrue(played.most <= 1, "one record at a time is unread");
            }
        }
    }

    @Test
    void whatNoScheduleAllowsIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new RingSchedule(2, 2, 1, 4, 64));
        assertThrows(IllegalArgumentException.class, () -> new RingSchedule(0, 2, -1, 4, 64));
        assertThrows(IllegalArgumentException.class, () -> new RingSchedule(0, 2, Long.MAX_VALUE / 2, 4, 64));
        assertThrows(IllegalArgumentException.class, () -> new RingSchedule(0, 2, 1, 4, 12));
        assertThrows(IllegalArgumentException.class, () -> new GatherSchedule(0, List.of(8L, 9L), 8, 64));
        assertThrows(IllegalArgumentException.class, () -> new BroadcastSchedule(0, 2, 2, 8, 64));
    }
}
