package io.hearth.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CompressionStrategyTest {
    @ParameterizedTest
    @CsvSource({
        "none,none,none,NONE",
        "int8,int8:256,int8,INT8",
        "int8:64,int8:64,int8,INT8",
        "topk,topk:0.01,topk,NONE",
        "topk:0.25,topk:0.25,topk,NONE",
        "topk:1e-3,topk:0.001,topk,NONE"
    })
    void textIsReadAndWrittenWithItsSettings(String read, String written, String codec, QuantizationType type) {
        CompressionStrategy strategy = CompressionStrategy.parse(read);
        assertEquals(written, strategy.text());
        assertEquals(strategy, CompressionStrategy.parse(written));
        assertEquals(codec, strategy.codec().name());
        assertEquals(type, strategy.quantization());
        assertEquals(codec.equals("none"), strategy.codec().lossless());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "None", "none:", "none:1", "int8:", "int8:x", "int8:1.5", "topk:", "topk:x", "fp16", ":"})
    void anythingElseIsRefusedWithTheChoices(String text) {
        String message = refusal(text);
        assertTrue(message.contains("'" + text + "'") && message.contains("none, int8"), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"int8:7", "int8:-1", "int8:65537", "topk:0", "topk:-0.1", "topk:1.01", "topk:NaN"})
    void settingsOutOfRangeAreRefusedWithTheRangeAndAUsualChoice(String text) {
        String message = refusal(text);
        assertTrue(message.contains("usual choice"), message);
    }

    private static String refusal(String text) {
        return assertThrows(IllegalArgumentException.class, () -> CompressionStrategy.parse(text))
                .toString();
    }
}
