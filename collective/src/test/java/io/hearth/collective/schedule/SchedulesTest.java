package io.hearth.collective.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hearth.collective.schedule.Patterns.Pattern;
import io.hearth.collective.schedule.Patterns.Size;
import io.hearth.collective.schedule.PlayedWorld.Play;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        play(kind + " root " + root, kind.of(size, root), kind.isScratch(), size, numbers, seed, random);
    }

    private static void play(
            String kind,
            Pattern pattern,
            boolean isScratch,
            Size size,
            Numbers numbers,
            int seed,
            SplittableRandom random) {
        String what = kind + " " + size + " seed " + seed;
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
            long[] before = isScratch ? buffer : world.rubbish.get(position);
            var oracle = new Oracle(position, before, inputs, numbers.op(), numbers.average(), size.element());
            pattern.outcome().expect(position, oracle);
            assertArrayEquals(oracle.expected, buffer, what + ": position " + position);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aResultMayReplaceTheInput(Patterns kind) {
        for (int world = 1; world <= WORLDS_MAX && kind.mayBeInPlace(); world++) {
            for (int count : counts(world)) {
                for (int root = 0; root < world; root++) {
                    var random = new SplittableRandom(count);
                    var size = new Size(world, count, ORDER.bytes(), 16);
                    Pattern pattern = kind.of(size, root);
                    var played = new PlayedWorld(
                            world, count, 8, pattern.schedule(), ORDER.op(), ORDER.average(), 1, random);
                    List<long[]> inputs =
                            played.inputs.stream().map(long[]::clone).toList();
                    Collections.copy(played.buffers, played.inputs);
                    String what = kind + " " + size + " root " + root;
                    played.play(what);
                    for (int position = 0; position < world; position++) {
                        var oracle = new Oracle(
                                position, inputs.get(position), inputs, ORDER.op(), ORDER.average(), size.element());
                        pattern.outcome().expect(position, oracle);
                        assertArrayEquals(oracle.expected, played.buffers.get(position), what + " at " + position);
                    }
                }
            }
        }
    }

    /** Sizes of islands, whose positions are neighbours or dealt out in turn, whose leaders are first, last or between. */
    @ParameterizedTest
    @ValueSource(strings = {"2+2", "3+1", "1+3", "1+1+1", "4+4", "2+3+4", "7", "1+7", "2+1+5", "3+3+3"})
    void islandsOfAnyShapeEndInWhatSequentialArithmeticSays(String shape) {
        int[] sizes =
                Arrays.stream(shape.split("\\+")).mapToInt(Integer::parseInt).toArray();
        int world = IntStream.of(sizes).sum();
        for (int count : counts(world)) {
            for (int seed = 0; seed < 4 * SEEDS; seed++) {
                var random = new SplittableRandom(((long) count << 8) + seed);
                Islands islands = shaped(sizes, random);
                List<Double> weights = IntStream.range(0, sizes.length)
                        .mapToObj(leader -> random.nextInt(3) == 0 ? 0 : random.nextDouble())
                        .toList();
                boolean isEqual = weights.stream().allMatch(weight -> weight == 0) || random.nextBoolean();
                Shares shares = isEqual ? Shares.equal(count, sizes.length) : Shares.weighted(count, weights);
                Numbers numbers = NUMBERS.get(random.nextInt(NUMBERS.size()));
                var size = new Size(world, count, numbers.bytes(), SEGMENTS[random.nextInt(SEGMENTS.length)]);
                Pattern pattern = Patterns.islands(size, islands, shares);
                play(islands + " " + weights, pattern, false, size, numbers, seed % SEEDS, random);
            }
        }
    }

    private static Islands shaped(int[] sizes, SplittableRandom random) {
        List<Integer> places = new ArrayList<>();
        for (int island = 0; island < sizes.length; island++) {
            places.addAll(Collections.nCopies(sizes[island], island));
        }
        if (random.nextBoolean()) {
            Collections.shuffle(places, new Random(random.nextLong()));
        }
        int[] leaders = new int[sizes.length];
        int[] seen = new int[sizes.length];
        for (int position = 0; position < places.size(); position++) {
            int island = places.get(position);
            if (random.nextInt(++seen[island]) == 0) {
                leaders[island] = position;
            }
        }
        return new Islands(places.stream().map(island -> leaders[island]).toList());
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
