package io.hearth.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalInt;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TcpCountersTest {
    private static final TcpCounters BEFORE = new TcpCounters(1_000, 10);

    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {
                "2000, 10, 0",
                "2000, 11, 1",
                "1200, 12, 10",
                "1100, 110, 1000",
                "1099, 10, none", // too few
                "0, 0, none", // the machine started again
                "2000, 9, none",
                "1100, 200, none"
            })
    void theShareOfRepeatedSegmentsIsTheLoss(long sent, long repeated, Integer permille) {
        OptionalInt expected = permille == null ? OptionalInt.empty() : OptionalInt.of(permille);
        assertEquals(expected, new TcpCounters(sent, repeated).lossPermilleSince(BEFORE));
    }
}
