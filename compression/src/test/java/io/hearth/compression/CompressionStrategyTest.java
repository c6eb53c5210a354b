package io.hearth.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
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
        "randomk,randomk:0.01,randomk,FP16",
        "randomk:0.5:dense,randomk:0.5:dense,randomk,FP16",
        "topk:0.25:dense,topk:0.25:dense,topk,FP16",
        "int8:64,int8:64,int8,INT8",
        "topk,topk:0.01,topk,FP16",
        "topk:0.25,topk:0.25,topk,FP16",
        "topk:1e-3,topk:0.001,topk,FP16",
        "topk:full,topk:0.01:full,topk,NONE",
        "topk:0.001:full:dense,topk:0.001:full:dense,topk,NONE",
        "randomk:full,randomk:0.01:full,randomk,NONE"
    })
    void textIsReadAndWrittenWithItsSettings(String read, String written, String codec, QuantizationType type) {
        CompressionStrategy.Coded strategy = coded(read);
        assertEquals(written, strategy.text());
        assertEquals(strategy, CompressionStrategy.parse(written));
        assertEquals(codec, strategy.codec().name());
        assertEquals(type, strategy.quantization());
        assertEquals(codec.equals("none"), strategy.codec().lossless());
        boolean carries = codec.equals("none") || codec.endsWith("16") || written.endsWith(":dense");
        assertEquals(carries, strategy.codec().carriesNonFinite());
    }

    @ParameterizedTest
    @CsvSource({
        "none,0.9",
        "fp16,0.9",
        "int4,0.9",
        "topk,0.9",
        "randomk,0.9",
        "powersgd,0.9",
        "dgc,0",
        "dgc:0.1:momentum=0.5,0"
    })
    void whatGivesMomentumItselfLeavesNoneToAnOptimiser(String text, float left) {
        assertEquals(left, CompressionStrategy.parse(text).momentumLeft(0.9f));
    }

    /** One line says what is wrong. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "auto:;choose none, fp16",
                "auto:gzip;unknown compression",
                "auto:dgc;is not for auto: choose among fp16",
                "auto:int8+auto;is not for auto",
                "auto:none;others of fp16, bf16",
                "auto:int8+int8:64;got int8:64+int8:64",
                "auto:int8:256:stochastic:dense+int4:64:stochastic:dense+topk:0.01;has 1 to 63 characters"
            })
    void whatAutoCannotChooseAmongIsSaid(String text, String told) {
        String message = assertThrows(IllegalArgumentException.class, () -> CompressionStrategy.parse(text))
                .toString();
        assertTrue(message.contains(told), message);
    }

    /** Ranks compare names in every sum; what is too long for that is said where it is written. */
    @Test
    void namesThatNoSumCanCarryAreRefusedAtOnce() {
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> CompressionStrategy.parse(
                                "dgc:0.0012345678901:momentum=0.123456789:warmup=1000000:clip=1.2345678:full"))
                .toString();
        assertTrue(message.contains("has 1 to 63 characters"), message);
        for (String name : new String[] {"", "x".repeat(64)}) {
            assertThrows(IllegalArgumentException.class, () -> new CompressionStrategy.Custom(new Named(name)));
        }
        assertEquals("x".repeat(63), new CompressionStrategy.Custom(new Named("x".repeat(63))).text());
    }

    /** Plain values under another name. */
    private record Named(String name) implements Codec {
        private static final Codec PLAIN = new NoneCodec();

        @Override
        public boolean lossless() {
            return true;
        }

        @Override
        public long encodedBytesMax(long count) {
            return PLAIN.encodedBytesMax(count);
        }

        @Override
        public long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
            return PLAIN.encode(values, count, encoded);
        }

        @Override
        public void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
            PLAIN.decode(encoded, values, count);
        }

        @Override
        public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count)
                throws MalformedMessageException {
            PLAIN.decodeAndAdd(encoded, values, count);
        }
    }

    @Test
    void withoutLeaveAutoAllowsNothingLossy() {
        assertEquals(List.of(), CompressionStrategy.AUTO.allowed());
    }

    @ParameterizedTest
    @CsvSource({
        "dgc,dgc:0.01:momentum=0.9",
        "dgc:0.001,dgc:0.001:momentum=0.9",
        "dgc:0.001:momentum=0.5:warmup=62:clip=1.5,dgc:0.001:momentum=0.5:warmup=62:clip=1.5",
        "dgc:warmup=3,dgc:0.01:momentum=0.9:warmup=3",
        "dgc:full,dgc:0.01:momentum=0.9:full",
        "dgc:reuse=8,dgc:0.01:momentum=0.9:reuse=8",
        "dgc:reuse=1,dgc:0.01:momentum=0.9",
        "dgc:0.001:clip=1:reuse=4:full,dgc:0.001:momentum=0.9:clip=1.0:reuse=4:full",
        "dgc:0.001:clip=2:full,dgc:0.001:momentum=0.9:clip=2.0:full",
        "powersgd,powersgd:2",
        "powersgd:4,powersgd:4",
        "auto,auto",
        "auto:lossy,auto:fp16:dense+int8:64:dense+topk:0.01:dense",
        "auto:int8+fp16,auto:int8:64+fp16"
    })
    void strategiesWithoutACodecAreReadAndWrittenToo(String read, String written) {
        CompressionStrategy strategy = CompressionStrategy.parse(read);
        assertEquals(written, strategy.text());
        assertEquals(strategy, CompressionStrategy.parse(written));
        assertThrows(IllegalArgumentException.class, () -> new GradientCompressor(strategy));
    }

    @ParameterizedTest
    @CsvSource({"0.001,0.25;0.0625;0.015625;0.004;0.001", "0.05,0.25;0.0625;0.05", "0.5,0.5"})
    void warmingUpComesDownToTheShareThatIsWanted(double fraction, String spans) {
        var options = new CompressionStrategy.Dgc(fraction, 0.9f, 7, 1).options();
        assertEquals(1, options.reuseSteps());
        assertEquals(
                5,
                new CompressionStrategy.Dgc(fraction, 0.9f, 7, 1, 5, false)
                        .options()
                        .reuseSteps());
        var wanted = Stream.of(spans.split(";")).map(Double::valueOf).toList();
        assertEquals(new SparsitySchedule(wanted, 7), options.schedule());
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
                "powersgd:",
                "powersgd:1.5",
                "powersgd:2:dense",
                "powersgd:2:stochastic",
                "dgc:",
                "dgc:x",
                "dgc:momentum",
                "dgc:momentum=",
                "dgc:clip=1:momentum=0.9",
                "dgc:warmup=1.5",
                "dgc:reuse=1.5",
                "dgc:reuse=4:clip=1",
                "topk:reuse=4",
                "dgc:dense",
                "dgc:full:clip=1",
                "topk:0.1:dense:full",
                "topk:0.1:full:full",
                "int8:full",
                "int4:64:full",
                "fp16:full",
                "none:full",
                "powersgd:2:full",
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
                "topk:NaN",
                "powersgd:0",
                "dgc:2",
                "dgc:momentum=1",
                "dgc:warmup=-1",
                "dgc:reuse=0",
                "dgc:reuse=-1",
                "dgc:clip=0"
            })
    void settingsOutOfRangeAreRefusedWithTheRangeAndAUsualChoice(String text) {
        String message = refusal(text);
        assertTrue(message.contains("usual choice"), message);
    }

    static CompressionStrategy.Coded coded(String text) {
        return (CompressionStrategy.Coded) CompressionStrategy.parse(text);
    }

    private static String refusal(String text) {
        return assertThrows(IllegalArgumentException.class, () -> CompressionStrategy.parse(text))
                .toString();
    }
}
