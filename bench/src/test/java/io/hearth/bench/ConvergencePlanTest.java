package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.compression.CompressionStrategy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ConvergencePlanTest {
    @Test
    void seedsAreNumbersAndRanges() {
        assertEquals(List.of(3L), ConvergencePlan.seeds("3"));
        assertEquals(List.of(7L, 1L, 2L, 3L, -5L), ConvergencePlan.seeds("7, 1..3 ,-5"));
        assertEquals(1_000, ConvergencePlan.seeds("1..1000").size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "one",
                "1.5",
                "1,,2",
                "1..",
                "..3",
                "3..1",
                "1..1001",
                "1,1",
                "1..3,2",
                "1..2..3",
                "1..999,2000..2005",
                "99999999999"
            })
    void whatIsNoListOfSeedsIsRefusedInOneLine(String text) {
        oneLine(assertThrows(IllegalArgumentException.class, () -> ConvergencePlan.seeds(text)));
    }

    @Test
    void aListOfCodecsHasCommasBetween() {
        List<ConvergenceCodec> codecs = ConvergenceCodec.parseList(
                "none, topk:0.02,topk:0.02,residual=none,dgc:0.001,warmup=5,clip=1,powersgd");
        assertEquals(
                List.of("none", "topk:0.02", "topk:0.02,residual=none", "dgc:0.001,warmup=5,clip=1", "powersgd:2"),
                codecs.stream().map(ConvergenceCodec::text).toList());
        assertEquals(
                CompressionStrategy.parse("topk:0.02,residual=none"),
                codecs.get(2).strategy());
        assertEquals(0.9f, codecs.get(1).momentum(0.9f));
        assertEquals(0, codecs.get(3).momentum(0.9f));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "gzip",
                "none,,int8",
                "int8,int8",
                "int8,int8:64",
                "none!",
                "dgc:0.001,residual=none",
                "auto",
                "topk:2"
            })
    void whatIsNoListOfCodecsIsRefusedInOneLine(String text) {
        oneLine(assertThrows(IllegalArgumentException.class, () -> ConvergenceCodec.parseList(text)));
    }

    @Test
    void whatCannotBeRunIsRefused() {
        List<ConvergenceCodec> codecs = ConvergenceCodec.parseList("none,int8");
        List<Long> seeds = List.of(1L, 2L, 3L);
        assertEquals(6, new ConvergencePlan(codecs, seeds, 1, 1).runs());
        oneLine(assertThrows(IllegalArgumentException.class, () -> new ConvergencePlan(List.of(), seeds, 1, 1)));
        oneLine(assertThrows(IllegalArgumentException.class, () -> new ConvergencePlan(codecs, List.of(), 1, 1)));
        oneLine(assertThrows(IllegalArgumentException.class, () -> new ConvergencePlan(codecs, seeds, 0, 1)));
        oneLine(assertThrows(IllegalArgumentException.class, () -> new ConvergencePlan(codecs, seeds, 1_001, 1)));
        oneLine(assertThrows(IllegalArgumentException.class, () -> new ConvergencePlan(codecs, seeds, 1, 0)));
        oneLine(assertThrows(IllegalArgumentException.class, () -> new ConvergencePlan(codecs, seeds, 1, 65)));
    }

    private static void oneLine(IllegalArgumentException refused) {
        assertEquals(1, String.valueOf(refused.getMessage()).lines().count());
    }
}
