package io.hearth.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TableTest {
    private static final List<List<String>> ROWS = List.of(
            List.of("NAME", "ADDRESS", "RTT"),
            List.of("a rather long name 𝄞", "192.168.178.23:52416", "0.3 ms"),
            List.of("b", "", ""));

    @Test
    void columnsAreAsWideAsTheirLongestCell() {
        assertEquals(
                List.of(
                        "NAME                  ADDRESS               RTT",
                        "a rather long name 𝄞  192.168.178.23:52416  0.3 ms",
                        "b"),
                Table.lines(ROWS));
        assertEquals(Table.lines(ROWS), Table.lines(ROWS, 50, List.of(1)));
    }

    @Test
    void aNarrowTableLosesItsSpareColumnsFirst() {
        assertEquals(
                List.of("NAME                  RTT", "a rather long name 𝄞  0.3 ms", "b"),
                Table.lines(ROWS, 49, List.of(1)));
        assertEquals(List.of("NAME    RTT", "a rat…  0.3 ms", "b"), Table.lines(ROWS, 14, List.of(1)));
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 20, 28, 40, 49})
    void noLineIsLongerThanTheTerminal(int width) {
        assertTrue(
                Table.lines(ROWS, width, List.of(1)).stream()
                        .allMatch(line -> line.codePointCount(0, line.length()) <= width),
                () -> Table.lines(ROWS, width, List.of(1)).toString());
    }
}
