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
        "fp16,fp16,fp16,FP16",
        "fp16:dense,fp16:dense,fp16,FP16",
        "bf16,bf16,bf16,BF16",
        "int8,int8:64,int8,INT8",
        "int8:stochastic,int8:64:stochastic,int8,INT8",
        "int8:256:stochastic:dense,int8:256:stochastic:dense,int8,INT8",
        "int4,int4:64,int4,INT4",
        "int4:32:dense,int4:32:dense,int4,INT4",
        "randomk,randomk:0.01,randomk,NONE",
        "randomk:0.5:dense,randomk:0.5:dense,randomk,NONE",
        "topk:0.25:dense,topk:0.25:dense,topk,NONE",
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
        boolean carries = codec.equals("none") || codec.endsWith("16") || written.endsWith(":dense");
        assertEquals(carries, strategy.codec().carriesNonFinite());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "None",
                "none:",
                "none:1",
                "none:dense",
                "none:stochastic",
                "int8:",
                "int8:x",
                "int8:1.5",
                "int8::dense",
                "int8:64:dense:stochastic",
                "topk:",
                "topk:x",
                "topk:stochastic",
                "topk:0.1:stochastic",
                "fp16:",
                "fp16:1",
                "bf16:stochastic",
                "powersgd",
                ":",
                ":dense"
            })
    void anythingElseIsRefusedWithTheChoices(String text) {
        String message = refusal(text);
        assertTrue(message.contains("'" + text + "'") && message.contains("none, fp16, bf16, int8"), message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "int8:7",
                "int8:-1",
                "int8:65537",
                "int4:7",
                "int8:7:dense",
                "randomk:2",
                "topk:0",
                "topk:-0.1",
                "topk:1.01",
                "topk:NaN"
            })
    void settingsOutOfRangeAreRefusedWithTheRangeAndAUsualChoice(String text) {
        String message = refusal(text);
        assertTrue(message.contains("usual choice"), message);
    }

    private static String refusal(String text) {
        return assertThrows(IllegalArgumentException.class, () -> CompressionStrategy.parse(text))
                .toString();
    }
}
