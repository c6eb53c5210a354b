package io.hearth.collective.exchange;

import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.engine.LiedTo;
import io.hearth.collective.engine.LyingStreams;
import io.hearth.collective.engine.LyingStreams.Said;
import io.hearth.collective.pair.PairRecords;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Records of a real exchange whose headers are changed at random; {@code -Dhearth.seed=17} repeats one world. */
public final class ExchangeFuzzTest {
    private static final int SEEDS = Boolean.getBoolean("hearth.full") ? 300 : 40;

    static LongStream seeds() {
        Long one = Long.getLong("hearth.seed");
        return one == null ? LongStream.range(0, SEEDS) : LongStream.of(one);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everySumIsRightOrATypedError(long seed) throws Exception {
        var random = new SplittableRandom(seed);
        List<LiedTo.Way> ways = List.of(LiedTo.Way.values());
        LiedTo.Way way = ways.get(random.nextInt(ways.size()));
        int world = random.nextInt(2, 5);
        int count = random.nextInt(1, 900);
        int inTurn = random.nextBoolean() ? 0 : CollectiveConfig.IN_TURN_BYTES_MAX;
        int first = random.nextInt(12);
        int last = first + random.nextInt(1, 3);
        long mutations = random.nextLong();
        var seen = new AtomicInteger();
        LyingStreams.Lie lie = record -> {
            int at = seen.getAndIncrement();
            return at < first || at >= last ? List.of(record) : mutated(record, new SplittableRandom(mutations + at));
        };
        LiedTo.play(world, way.options(inTurn), count, lie, "seed " + seed + ": " + way + " of " + count);
    }

    /** The records that a lying member sends instead of a record. */
    public static List<Said> mutated(Said record, SplittableRandom random) {
        int most = 256 * 1024;
        int length = record.bytes().length;
        return switch (random.nextInt(9)) {
            case 0 -> List.of(record.of(random.nextInt(16, 256)));
            case 1 ->
                List.of(record.of(
                        record.kind() < PairRecords.GREET
                                ? Wire.CALL + random.nextInt(3)
                                : PairRecords.GREET + random.nextInt(6)));
            case 2 -> List.of(record.ofChunk(random.nextInt(0x10000)));
            case 3 -> List.of(record.ofChunk((record.chunk() + random.nextInt(1, 4)) & 0xFFFF));
            case 4 -> List.of(record.at(random.nextLong()));
            case 5 -> List.of(record.at(record.offset() + 4L * random.nextInt(-300, 300)));
            case 6 -> List.of(record.ofNumber(record.number() + random.nextInt(-2, 3)));
            case 7 ->
                List.of(record.with(
                        Arrays.copyOf(record.bytes(), random.nextInt(random.nextBoolean() ? most : length + 9))));
            default -> List.of(record, record);
        };
    }
}
