package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ConvergenceSummaryTest {
    private static ConvergenceLine line(String codec, long seed, double accuracy, double ratio) {
        return new ConvergenceLine(codec, seed, accuracy, ratio);
    }

    @Test
    void differencesArePairedBySeed() {
        List<ConvergenceSummary> summaries = ConvergenceSummary.of(List.of(
                line("int8", 1, 91, 4),
                line("int8", 2, 94, 6),
                line("int8", 3, 99, 8),
                line("none", 3, 97, 1),
                line("none", 1, 90, 1),
                line("none", 2, 94, 1)));
        assertEquals(
                List.of("int8", "none"),
                summaries.stream().map(ConvergenceSummary::codec).toList());
        ConvergenceSummary quantised = summaries.getFirst();
        assertEquals(Interval.of(List.of(91.0, 94.0, 99.0)), quantised.accuracy());
        assertEquals(Optional.of(Interval.of(List.of(1.0, 0.0, 2.0))), quantised.difference());
        assertEquals(6, quantised.sentRatio());
        assertEquals(Optional.of(new Interval(0, 0)), summaries.getLast().difference());
    }

    @Test
    void theJsonHasAllKeysAlways() {
        ConvergenceSummary alone =
                ConvergenceSummary.of(List.of(line("int8", 7, 91.23456, 4))).getFirst();
        assertEquals(
                "{\"codec\":\"int8\",\"seeds\":1,\"accuracy_mean\":91.2346,\"accuracy_ci95\":null,\"difference_mean\":null,"
                        + "\"difference_ci95\":null,\"sent_ratio\":4.0}",
                alone.toJson().toString().replace("\n", ""));
        assertTrue(line("none", 7, 91.23456, 1)
                .toJson()
                .toString()
                .startsWith("{\"codec\":\"none\",\"seed\":7,\"accuracy\":91.2346,\"sent_ratio\":1.0}"));
    }
}
