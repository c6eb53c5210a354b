package io.hearth.collective.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tensors that share a bucket. */
final class BucketsTest {
    @ParameterizedTest(name = "{0} in buckets of {1}")
    @CsvSource({
        "'',          10, ''",
        "0,           10, 0-1:0",
        "0 0 0,       10, 0-3:0",
        "10,          10, 0-1:10",
        "11,          10, 0-1:11",
        "4 6,         10, 0-2:10",
        "4 7,         10, 0-1:4 1-2:7",
        "4 6 1,       10, 0-2:10 2-3:1",
        "4 6 0,       10, 0-3:10",
        "99 1 2,      10, 0-1:99 1-3:3",
        "1 99 2,      10, 0-1:1 1-2:99 2-3:2",
        "99 0 0 3,    10, 0-1:99 1-4:3",
        "9 9 9,       10, 0-1:9 1-2:9 2-3:9",
        "1 1 1,        1, 0-1:1 1-2:1 2-3:1",
        "9223372036854775807 9223372036854775807, 10, 0-1:9223372036854775807 1-2:9223372036854775807",
        "3 9223372036854775804 1, 9223372036854775807, 0-2:9223372036854775807 2-3:1"
    })
    void tensorsAreCutInOrder(String sizes, long bytesMax, String expected) {
        assertEquals(expected, text(Buckets.of(parse(sizes), bytesMax)));
    }

    private static List<Long> parse(String sizes) {
        return Arrays.stream(sizes.split(" "))
                .filter(size -> !size.isEmpty())
                .map(Long::valueOf)
                .toList();
    }

    private static String text(List<Buckets.Bucket> buckets) {
        return buckets.stream()
                .map(bucket -> bucket.first() + "-" + bucket.end() + ":" + bucket.bytes())
                .collect(Collectors.joining(" "));
    }

    @Test
    void eachTensorIsInOneBucketAndNoTwoNeighboursWouldFitIntoOne() {
        for (long seed = 0; seed < 500; seed++) {
            String what = "seed " + seed;
            var random = new SplittableRandom(seed);
            List<Long> sizes = random.longs(random.nextInt(20), 0, 40).boxed().toList();
            long most = random.nextLong(1, 60);
            List<Buckets.Bucket> buckets = Buckets.of(sizes, most);
            int next = 0;
            for (Buckets.Bucket bucket : buckets) {
                assertEquals(next, bucket.first(), what);
                next = bucket.end();
                long bytes = sizes.subList(bucket.first(), next).stream()
                        .mapToLong(Long::longValue)
                        .sum();
                assertEquals(bytes, bucket.bytes(), what);
                assertTrue(bytes <= most || next - bucket.first() == 1, what);
                boolean hadRoom = next < sizes.size() && bytes + sizes.get(next) <= most;
                assertFalse(hadRoom, what);
            }
            assertEquals(sizes.size(), next, what);
        }
    }
}
