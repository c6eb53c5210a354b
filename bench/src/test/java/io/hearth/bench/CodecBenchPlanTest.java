package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.CompressionStrategy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CodecBenchPlanTest {
    @Test
    void listsAreReadInTheirOrder() {
        CodecBenchPlan plan = CodecBenchPlan.parse("topk:0.1, int8", "16,2", 7);
        assertEquals(
                List.of("topk:0.1", "int8:64"),
                plan.codecs().stream().map(CompressionStrategy::text).toList());
        assertEquals(List.of(16, 2), plan.nodes());
        assertEquals(7, plan.values());
        assertEquals(16, plan.nodesMax());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "gzip;2;9;unknown compression 'gzip'",
                "int8,;2;9;unknown compression ''",
                "int8,fp16,int8:64;2;9;int8:64 occurs twice",
                "dgc:0.001;2;9;depends on earlier steps",
                "powersgd;2;9;depends on earlier steps",
                "auto;2;9;or on links",
                "int8;x;9;must be a whole number such as 4, got 'x'",
                "int8;2,;9;must be a whole number such as 4, got ''",
                "int8;1;9;must be 2 to 64, got 1",
                "int8;65;9;must be 2 to 64, got 65",
                "int8;4,4;9;number 4 occurs twice",
                "int8;2;0;have 1 to 134217728 values",
                "int8;2,16;16777217;with 16 nodes, each gradient must have 1 to 16777216 values"
            })
    void whatIsWrongIsSaid(String codecs, String nodes, int values, String told) {
        String message = assertThrows(IllegalArgumentException.class, () -> CodecBenchPlan.parse(codecs, nodes, values))
                .toString();
        assertTrue(message.contains(told), message);
    }
}
