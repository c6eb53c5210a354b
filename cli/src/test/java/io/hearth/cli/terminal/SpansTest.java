package io.hearth.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SpansTest {
    @ParameterizedTest
    @CsvSource({
        "-5, 0 s",
        "0, 0 s",
        "119, 119 s",
        "120, 2 min",
        "7199, 119 min",
        "7200, 2 h",
        "172799, 47 h",
        "172800, 2 days",
        "864000, 10 days"
    })
    void aSpanHasOneUnit(long seconds, String expected) {
        assertEquals(expected, Spans.text(seconds * 1_000));
    }
}
