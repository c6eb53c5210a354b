package io.hearth.collective.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hearth.collective.schedule.Patterns.Pattern;
import io.hearth.collective.schedule.Patterns.Size;
import io.hearth.collective.schedule.PlayedWorld.Play;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Plays all positions of every schedule at once, in any interleaving, and compares with sequential arithmetic. */
final class SchedulesTest {
    private static final int WORLDS_MAX = Boolean.getBoolean("hearth.full") ? 16 : 8;
    private static final int SEEDS = 6;
    private static final int[] SEGMENTS = {8, 16, 64};

    /** How elements combine, and which values they have. */
    private record Numbers(int bytes, LongBinaryOperator op, LongUnaryOperator average, LongUnaryOperator ofRandom) {}

    /** Rounds: another order of additions gives other bits. */
    private static final Numbers FLOAT32 = new Numbers(
            4,
            (a, b) -> Float.floatToRawIntBits(Float.intBitsToFloat((int) a) + Float.intBitsToFloat((int) b)),
            sum -> Float.floatToRawIntBits(Float.intBitsToFloat((int) sum) / 2),
            bits -> Float.floatToRawIntBits((bits >> 40) / 997f));

    /** Exact. */
    private static final Numbers INT64 = new Numbers(8, Long::sum, sum -> sum - 1, bits -> bits);

    /** Neither associative nor commutative: another order or another bracket gives another value. */
    private static final Numbers ORDER =
            new Numbers(8, (a, b) -> ((a * 0x9E3779B97F4A7C15L) >>> 7) ^ b, sum -> 3 * sum + 1, bits -> bits);

    private static final List<Numbers> NUMBERS = List.of(FLOAT32, INT64, ORDER);

    private static int[] counts(int world) {
        return new int[] {0, 1, 2, 31, 101, world - 1, world, world + 1};
    }

    @ParameterizedTest
    @EnumSource
    void everyInterleavingEndsInWhatSequentialArithmeticSays(Patterns kind) {
        for (int world = 1; world <= WORLDS_MAX; world++) {
            for (int count : counts(world)) {
                for (int seed = 0; seed < SEEDS; seed++) {
                    var random = new SplittableRandom(((long) world << 40) + ((long) count << 8) + seed);
                    Numbers numbers = NUMBERS.get(random.nextInt(NUMBERS.size()));
                    var size = new Size(world, count, numbers.bytes(), SEGMENTS[random.nextInt(SEGMENTS.length)]);
                    play(kind, size, numbers, seed, random);
                }
            }
        }
    }

    /**
     * Seeds 0 and 1: overlapped, streams that take one segment or three; 2: in turn; 3: a random mixture of both; 4: rings on one thread;
     * 5: a random mixture of rings on one thread and overlapped, with streams that take three.
     */
    private static void play(Patterns kind, Size size, Numbers numbers, int seed, SplittableRandom random) {
        int root = random.nextInt(size.world());
        Pattern pattern = kind.of(size, root);
        String what = kind + " " + size + " root " + root + " seed " + seed;
        var world = new PlayedWorld(
                size.world(),
                size.count(),
                size.element(),
                pattern.schedule(),
                numbers.op(),
                numbers.average(),
                seed == 0 ? 1 : 3,
                random);
        world.inputs(numbers.ofRandom());
        List<long[]> inputs = world.inputs.stream().map(long[]::clone).toList();
        for (int position = 0; position < size.world() && seed >= 2; position++) {
            Play alone = seed < 4 ? Play.IN_TURN : world.isEvenRing(position) ? Play.AHEAD : Play.OVERLAPPED;
            world.play(position, seed % 2 == 0 || random.nextBoolean() ? alone : Play.OVERLAPPED);
        }
        world.play(what);
        for (int position = 0; position < size.world(); position++) {
            long[] buffer = world.buffers.get(position);
            assertArrayEquals(inputs.get(position), world.inputs.get(position), what + ": the input is not written");
            long[] before = kind.isScratch() ? buffer : world.rubbish.get(position);
            var oracle = new Oracle(position, before, inputs, numbers.op(), numbers.average(), size.element());
            pattern.outcome().expect(position, oracle);
            assertArrayEquals(oracle.expected, buffer, what + ": position " + position);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoIsThroughKnowsThatAllBegan(Patterns kind) {
        for (int world = 2; world <= 9 && kind.isBarrier(); world++) {
            for (int count : new int[] {0, 1, 2, 3 * world}) {
                for (int absent = 0; absent < world; absent++) {
                    for (int root = 0; root < world; root++) {
                        var random = new SplittableRandom(absent);
                        Pattern pattern = kind.of(new Size(world, count, 8, 16), root);
                        var played =
                                new PlayedWorld(world, count, 8, pattern.schedule(), Long::sum, sum -> sum, 1, random);
                        played.playWithout(absent);
                        int missing = absent;
                        IntStream.range(0, world)
                                .filter(position -> position != missing)
                                .forEach(position -> assertFalse(
                                        played.isThrough(position),
                                        () -> position + " is through " + kind + " without " + missing));
                    }
                }
            }
        }
    }
}
