package io.hearth.collective.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.hearth.collective.schedule.Patterns.Size;
import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Properties of schedules that need no playing. */
final class ScheduleShapesTest {
    private static final int WORLDS_MAX = 16;

    /** The k-th sends of all positions go to different receivers, each of which expects it as its k-th receive. */
    @Test
    void exchangesAmongAllPairsMeetAtNobodysPort() {
        for (int world = 2; world <= WORLDS_MAX; world++) {
            var size = new Size(world, world, 8, 64);
            assertSpread(size, IntStream.range(0, world).mapToObj(p -> new CompletionBarrier(p, size.world())), 0);
            Blocks blocks = Blocks.strided(Collections.nCopies(world, 128L), 128);
            assertSpread(size, IntStream.range(0, world).mapToObj(p -> new DirectAllGather(p, blocks, 64)), 0);
            assertSpread(
                    size,
                    IntStream.range(0, world)
                            .mapToObj(Patterns.DIRECT_ALL_REDUCE.of(size, 0).schedule()),
                    world - 1);
            assertSpread(
                    size,
                    IntStream.range(0, world)
                            .mapToObj(Patterns.WHOLE_EXCHANGE.of(size, 0).schedule()),
                    Long.MAX_VALUE);
        }
    }

    /** Receives of contributions follow the order of additions instead; {@code from} is the first send after the contributions. */
    private static void assertSpread(Size size, Stream<? extends Schedule> world, long from) {
        List<? extends Schedule> schedules = world.toList();
        Transfer transfer = new Transfer();
        for (long index = 0; index < schedules.getFirst().sends(); index++) {
            Set<Integer> receivers = new TreeSet<>();
            for (int position = 0; position < size.world(); position++) {
                schedules.get(position).send(index, transfer);
                receivers.add(transfer.peer());
                if (index >= from) {
                    schedules.get(transfer.peer()).receive(index, transfer);
                    assertEquals(position, transfer.peer(), "who is heard as number " + index);
                }
            }
            assertEquals(size.world(), receivers.size(), "receivers of number " + index);
        }
    }

    @ParameterizedTest
    @EnumSource
    void describingASegmentAllocatesNothing(Patterns kind) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Schedule schedule = kind.of(new Size(5, 1001, 8, 64), 2).schedule().apply(3);
        Transfer transfer = new Transfer();
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 200 && allocated > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (long index = 0; index < schedule.sends(); index++) {
                schedule.send(index, transfer);
            }
            for (long index = 0; index < schedule.receives(); index++) {
                schedule.receive(index, transfer);
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertEquals(0, allocated, "bytes allocated");
    }

    @Test
    void buffersBeyondTheReachOfAnIntAreCut() {
        long count = 3L * Integer.MAX_VALUE + 1;
        var equal = Shares.equal(count, 3);
        var blocks = Blocks.strided(List.of(count * 4, count * 4, count * 4), count * 4);
        for (Schedule schedule : List.of(
                new RingAllReduce(2, 3, count, 4, 1 << 17),
                new DirectAllReduce(2, equal, 4, 1 << 17),
                new WholeExchange(2, 3, count, 4, 1 << 17),
                new TreeAllReduce(2, 3, count, 4, 1 << 17),
                new IslandAllReduce(0, new Islands(List.of(0, 0, 2)), Shares.equal(count, 2), 4, 1 << 17),
                new IslandAllReduce(1, new Islands(List.of(0, 0, 2)), Shares.equal(count, 2), 4, 1 << 17),
                new RingReduceScatter(2, equal, 4, 1 << 17),
                new RingBroadcast(2, 3, 0, count * 4, 1 << 17))) {
            assertEnds(schedule, count * 4);
        }
        assertEnds(new RingAllGather(2, blocks, 1 << 17), count * 12);
        assertEnds(new StarGather(2, 2, blocks, 1 << 17), count * 12);
    }

    private static void assertEnds(Schedule schedule, long bytes) {
        Transfer transfer = new Transfer();
        for (long back = 1; back <= 10; back++) {
            schedule.receive(schedule.receives() - back, transfer);
            assertTrue(transfer.offset() >= 0 && transfer.length() >= 0, schedule::toString);
            assertTrue(transfer.offset() + transfer.length() <= bytes, schedule::toString);
        }
        assertTrue(schedule.bytesToOneMax() >= 0 && schedule.bytesSent() >= 0, schedule::toString);
    }

    @Test
    void whatNoScheduleAllowsIsRefused() {
        assertRefused("got position 2 of 2", () -> new RingAllReduce(2, 2, 1, 4, 64));
        assertRefused("elements, got -1", () -> new RingAllReduce(0, 2, -1, 4, 64));
        assertRefused("count must be 0 to", () -> new RingAllReduce(0, 2, Long.MAX_VALUE / 8, 4, 64));
        assertRefused("segmentBytes must be a positive multiple of 8, got 12", () -> new WholeExchange(0, 2, 1, 4, 12));
        assertRefused("multiple of elementBytes, got 8 and 16", () -> new WholeExchange(0, 2, 1, 16, 8));
        assertRefused("need a root of 0 to 1, got 2", () -> new RingBroadcast(0, 2, 2, 8, 64));
        assertRefused("need a centre of 0 to 1, got -1", () -> new StarAllReduce(0, 2, -1, 1, 8, 64));
        assertRefused("got leader 2 of position 0", () -> new Islands(List.of(2, 1)));
        assertRefused("got leader 1 of position 0", () -> new Islands(List.of(1, 0)));
        assertRefused("got position 0 of 0", () -> new Islands(List.of()));
        assertRefused(
                "a share for each of 2 leaders, got 3",
                () -> new IslandAllReduce(0, Islands.alone(2), Shares.equal(1, 3), 4, 64));
        assertRefused("does not fit behind", () -> Blocks.at(List.of(0L, 4L), List.of(8L, 8L)));
        assertRefused("does not fit behind", () -> Blocks.strided(List.of(8L, 9L, 8L), 8));
        assertRefused("2 offsets and 1 lengths", () -> Blocks.at(List.of(0L, 4L), List.of(4L)));
        assertRefused("got NaN", () -> Shares.weighted(1, List.of(1.0, Double.NaN)));
        assertRefused("must be positive and finite, got 0.0", () -> Shares.weighted(1, List.of(0.0, 0.0)));
        assertRefused(
                "a share must have 0 or more elements without overflow, got -1", () -> Shares.of(List.of(1L, -1L)));
        assertRefused("need a share for at least one position", () -> Shares.of(List.of()));
    }

    private static void assertRefused(String why, Executable what) {
        String message = String.valueOf(
                assertThrows(IllegalArgumentException.class, what).getMessage());
        assertTrue(message.contains(why), message);
    }

    @Test
    void weightsDealOutAllElementsInProportion() {
        for (int world = 1; world <= WORLDS_MAX; world++) {
            for (int seed = 0; seed < world; seed++) {
                for (long count : new long[] {0, 1, 17, 1_000_003, 1L << 50}) {
                    List<Double> weights = Patterns.weights(world, seed);
                    double sum =
                            weights.stream().mapToDouble(Double::doubleValue).sum();
                    Shares shares = Shares.weighted(count, weights);
                    assertEquals(count, shares.total());
                    for (int position = 0; position < world; position++) {
                        double weight = weights.get(position);
                        assertTrue(weight > 0 || shares.count(position) == 0, "weight 0 owns nothing");
                        assertEquals(count * weight / sum, (double) shares.count(position), 1 + count * 1e-14);
                    }
                }
            }
        }
    }
}
