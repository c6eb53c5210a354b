package io.hearth.compression.sparse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GapsTest {
    private static final int AT = 3;

    @Test
    void anyGapsAreReadAsTheyWereWrittenWithinTheBound() throws Exception {
        var random = new SplittableRandom(1);
        for (int i = 0; i < 20_000; i++) {
            long count = 1 + random.nextLong(1L << random.nextInt(1, 45));
            int kept = (int) Math.min(count, random.nextInt(1, 200));
            long[] gaps = gaps(random, count, kept);
            byte[] bytes = written(gaps, count);
            assertTrue(bytes.length - AT <= Gaps.bytesMax(count, kept), kept + " of " + count);
            Gaps.check(MemorySegment.ofArray(bytes), AT, kept, count);
            var reader = new Gaps.Reader(MemorySegment.ofArray(bytes), AT, Gaps.parameter(count, kept));
            for (long gap : gaps) {
                assertEquals(gap, reader.next());
            }
        }
    }

    /** Gaps that are spread at random, or all values left out in one gap. */
    private static long[] gaps(SplittableRandom random, long count, int kept) {
        long left = count - kept;
        long[] gaps = new long[kept];
        if (random.nextInt(4) == 0) {
            gaps[random.nextInt(kept)] = left;
            return gaps;
        }
        long[] cuts = LongStream.generate(() -> random.nextLong(left + 1))
                .limit(kept)
                .sorted()
                .toArray();
        for (int i = 0; i < kept; i++) {
            gaps[i] = cuts[i] - (i == 0 ? 0 : cuts[i - 1]);
        }
        return gaps;
    }

    private static byte[] written(long[] gaps, long count) {
        byte[] room = new byte[Math.toIntExact(AT + Gaps.bytesMax(count, gaps.length))];
        var writer = new Gaps.Writer(MemorySegment.ofArray(room), AT, Gaps.parameter(count, gaps.length));
        for (long gap : gaps) {
            writer.add(gap);
        }
        return Arrays.copyOf(room, Math.toIntExact(writer.finish()));
    }

    @ParameterizedTest
    @CsvSource({"100,100,0", "100,50,0", "100,0,7", "101770,1018,6", "101770,102,9", "1000000000000000,1,48"})
    void theParameterMakesTheBoundSmallest(long count, long kept, int parameter) {
        assertEquals(parameter, Gaps.parameter(count, kept));
        for (int other = 0; other < 48 && kept > 0; other++) {
            assertTrue(Gaps.bytesMax(count, kept) <= Math.ceilDiv(kept * (other + 1) + ((count - kept) >> other), 8));
        }
    }

    @Test
    void moreValuesNeedNoLessRoom() {
        for (long count : new long[] {1, 7, 100, 4096, 101_770}) {
            for (long kept = 1; kept <= count; kept++) {
                assertTrue(Gaps.bytesMax(count, kept - 1) <= Gaps.bytesMax(count, kept) || kept == 1);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        // 2 of 8 values, so one lower bit: 3 is 0 1 1, then 0 is 1 0, least significant first
        "0e, ''",
        "2e, bits after the last gap",
        "0e00, bits after the last gap",
        "'', gap 0 of 2 has no end",
        "00, gap 0 of 2 has no end",
        "06, gap 1 of 2 has no end",
        "80, gap 0 of 2 has no end",
        "0c, gap 1 of 2 has no end",
        "1c, ''",
        "3c, ''",
        "5c, bits after the last gap",
        "2c, gap 1 of 2 leads beyond",
        "10, gap 0 of 2 leads beyond"
    })
    void onlyWhatAnEncoderWritesIsRead(String hex, String refusal) throws Exception {
        byte[] bytes = HexFormat.of().parseHex("000000" + hex);
        if (refusal.isEmpty()) {
            Gaps.check(MemorySegment.ofArray(bytes), AT, 2, 8);
        } else {
            String message = assertThrows(
                            MalformedMessageException.class, () -> Gaps.check(MemorySegment.ofArray(bytes), AT, 2, 8))
                    .toString();
            assertTrue(message.contains(refusal), message);
        }
    }
}
