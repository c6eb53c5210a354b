package io.hearth.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.block.NoneCodec;
import io.hearth.compression.codecs.Codecs;
import io.hearth.compression.codecs.GradientCompressor;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CompressionStrategyTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "none;none;none",
                "fp16;fp16;fp16",
                "fp16,nonfinite=dense;fp16,nonfinite=dense;fp16",
                "fp16,nonfinite=error;fp16;fp16",
                "fp16,residual=float32;fp16,residual=float32;fp16",
                "bf16;bf16;bf16",
                "bf16,residual=float32;bf16,residual=float32;bf16",
                "int8;int8:64;int8",
                "int8:64;int8:64;int8",
                "int8,block=32;int8:32;int8",
                "int8,rounding=stochastic;int8:64;int8",
                "int8,rounding=nearest;int8:64,rounding=nearest;int8",
                "int8:256,nonfinite=dense,rounding=nearest;int8:256,rounding=nearest,nonfinite=dense;int8",
                "int8,residual=float32,block=8;int8:8,residual=float32;int8",
                "topk:0.1,residual=bfloat16;topk:0.1,residual=bfloat16;topk",
                "int4;int4:64;int4",
                "int4,residual=none;int4:64,residual=none;int4",
                "int4:32,nonfinite=dense;int4:32,nonfinite=dense;int4",
                "randomk;randomk:0.01;randomk",
                "randomk:0.5,nonfinite=dense;randomk:0.5,nonfinite=dense;randomk",
                "randomk,residual=none;randomk:0.01,residual=none;randomk",
                "topk;topk:0.01;topk",
                "topk:0.25;topk:0.25;topk",
                "topk:1;topk:1;topk",
                "topk:.5;topk:0.5;topk",
                "topk:1e-3;topk:0.001;topk",
                "topk,fraction=0.5;topk:0.5;topk",
                "topk,bits=32;topk:0.01,bits=32;topk",
                "topk,bits=16;topk:0.01;topk",
                "topk,chunk=0;topk:0.01;topk",
                "topk:0.01,bits=2,chunk=4096;topk:0.01,chunk=4096,bits=2;topk",
                "topk:0.001,nonfinite=dense,residual=none,bits=32;topk:0.001,bits=32,residual=none,nonfinite=dense;topk"
            })
    void textIsReadAndWrittenWithItsSettings(String read, String written, String codec) {
        CompressionStrategy.Coded strategy = coded(read);
        assertEquals(written, strategy.text());
        assertEquals(strategy, CompressionStrategy.parse(written));
        assertEquals(codec, Codecs.of(strategy).name());
        assertEquals(codec.equals("none"), Codecs.of(strategy).lossless());
        boolean carries = codec.equals("none") || codec.endsWith("16") || written.endsWith("nonfinite=dense");
        assertEquals(carries, Codecs.of(strategy).carriesNonFinite());
    }

    /** The residual of each codec if the text does not name one. */
    @ParameterizedTest
    @CsvSource({"none,NONE", "fp16,NONE", "bf16,NONE", "int8,NONE", "int4,FLOAT32", "topk,FLOAT32", "randomk,FLOAT32"})
    void whatIsLeftOutOfMuchIsRemembered(String text, Residual residual) {
        assertEquals(residual, coded(text).residual());
        assertEquals(residual != Residual.NONE, coded(text).keepsResidual());
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
        "'dgc:0.1,momentum=0.5',0"
    })
    void whatGivesMomentumItselfLeavesNoneToAnOptimiser(String text, float left) {
        assertEquals(left, CompressionStrategy.parse(text).momentumLeft(0.9f));
    }

    /** The message names the mistake in one line. */
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
                "auto,nonfinite=dense;write auto:CODEC,nonfinite=dense",
                "auto:int8:33+int4:4096;no common multiple up to 65536"
            })
    void whatAutoCannotChooseAmongIsSaid(String text, String expected) {
        String message = assertThrows(IllegalArgumentException.class, () -> CompressionStrategy.parse(text))
                .toString();
        assertTrue(message.contains(expected), message);
    }

    /** Ranks compare names in every sum; a name that is too long is rejected where it is made. */
    @Test
    void aNarrowMemoryOfACodecThatHasNoneIsRefused() {
        var randomK = assertThrows(
                IllegalArgumentException.class,
                () -> new CompressionStrategy.RandomK(0.1, Residual.BFLOAT16, OnNonFinite.ERROR));
        assertTrue(randomK.toString().contains("residual of randomk must be none or float32"), randomK.toString());
        var powerSgd = assertThrows(
                IllegalArgumentException.class, () -> new CompressionStrategy.PowerSgd(2, Residual.BFLOAT16));
        assertTrue(powerSgd.toString().contains("residual of powersgd must be none or float32"), powerSgd.toString());
    }

    @Test
    void namesThatNoSumCanCarryAreRefusedAtOnce() {
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> CompressionStrategy.parse(IntStream.range(10, 15)
                                .mapToObj(i -> "topk:0.01234567" + i + ",bits=32,residual=none,nonfinite=dense")
                                .collect(Collectors.joining("+", "auto:", ""))))
                .toString();
        assertTrue(message.contains("must have 1 to 255 characters"), message);
        for (String name : new String[] {"", "x".repeat(256)}) {
            assertThrows(IllegalArgumentException.class, () -> new CompressionStrategy.Custom(new Named(name)));
        }
        assertEquals("x".repeat(255), new CompressionStrategy.Custom(new Named("x".repeat(255))).text());
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
    @CsvSource(
            delimiter = ';',
            value = {
                "dgc;dgc:0.001",
                "dgc:0.01;dgc:0.01",
                "dgc:0.001,clip=1.5,momentum=0.5,warmup=62;dgc:0.001,momentum=0.5,warmup=62,clip=1.5",
                "dgc,warmup=3;dgc:0.001,warmup=3",
                "dgc,bits=32;dgc:0.001,bits=32",
                "dgc,reuse=8;dgc:0.001,reuse=8",
                "dgc,reuse=1,momentum=0.9,clip=infinite;dgc:0.001",
                "dgc:0.001,bits=32,reuse=4,clip=1.0;dgc:0.001,clip=1,reuse=4,bits=32",
                "powersgd;powersgd:2",
                "powersgd:4;powersgd:4",
                "powersgd,rank=4;powersgd:4",
                "powersgd,residual=none;powersgd:2,residual=none",
                "auto;auto",
                "auto:lossless;auto",
                "auto:int8;auto:int8",
                "auto:lossy;auto:lossy",
                "auto:fp16,nonfinite=dense+int8:64,nonfinite=dense;auto:int8",
                "auto:fp16,nonfinite=dense+int8:64,nonfinite=dense+topk:0.01,nonfinite=dense;auto:lossy",
                "auto:int8+fp16;auto:int8:64+fp16",
                "auto:int8,block=32+topk:0.001,bits=32;auto:int8:32+topk:0.001,bits=32"
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
                new CompressionStrategy.Dgc(fraction, 0.9f, 7, 1, 5, 16)
                        .options()
                        .reuseSteps());
        var wanted = Stream.of(spans.split(";")).map(Double::valueOf).toList();
        assertEquals(new SparsitySchedule(wanted, 7), options.schedule());
    }

    /** The message names the mistake and the possible values in one line. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "``;unknown compression '': choose none, fp16, bf16, int8[:BLOCK], int4[:BLOCK], topk[:FRACTION], randomk[:FRACTION], dgc[:FRACTION], powersgd[:RANK], auto[:lossless|int8|lossy|CODEC+CODEC] or rules:CODEC@CONDITION",
                "None;unknown compression 'None': choose none, fp16",
                "INT8;unknown compression",
                "` int8`;unknown compression",
                "gzip,level=9;unknown compression 'gzip,level=9'",
                ":;unknown compression ':'",
                ",nonfinite=dense;unknown compression",
                "none:;none takes no value after a colon; it has none",
                "none:1;none takes no value after a colon; it has none",
                "none,bits=32;none has no option 'bits'; it has none",
                "fp16:1;fp16 takes no value after a colon; it has residual, nonfinite",
                "int8:;block of int8 must be 8 to 65536 values per scale, got ''; a usual choice is 64",
                "int8:x;block of int8 must be 8 to 65536 values per scale, got 'x'",
                "int8:1.5;block of int8 must be 8 to 65536 values per scale, got '1.5'",
                "int8:+64;block of int8 must be 8 to 65536 values per scale, got '+64'",
                "int8,;int8 has no option ''; it has block, rounding, residual, nonfinite",
                "int8,stochastic;int8 has no option 'stochastic'",
                "int8,rounding;rounding of int8 needs a value: rounding=stochastic (nearest or stochastic)",
                "int8,rounding=up;rounding of int8 must be nearest or stochastic, got 'up'; a usual choice is stochastic",
                "int8,bits=32;int8 has no option 'bits'",
                "int8:64,block=32;block of int8 is given twice; leave one out",
                "int8,residual=none,residual=none;residual of int8 is given twice",
                "powersgd,residual=bfloat16;residual of powersgd must be none or float32, got 'bfloat16'",
                "randomk,residual=bfloat16;residual of randomk must be none or float32, got 'bfloat16'",
                "int8,residual=FLOAT32;residual of int8 must be none or float32 or bfloat16, got 'FLOAT32'; a usual choice is none",
                "topk:;fraction of topk must be above 0, at most 1: the share of the values that is sent, got ''",
                "topk:1%;fraction of topk must be above 0, at most 1: the share of the values that is sent, got '1%'",
                "topk:0.01f;fraction of topk must be above 0, at most 1: the share of the values that is sent, got '0.01f'",
                "topk:0x1p-7;fraction of topk must be above 0, at most 1: the share of the values that is sent, got '0x1p-7'",
                "topk:NaN;fraction of topk must be above 0, at most 1: the share of the values that is sent, got 'NaN'",
                "topk,momentum=0.9;topk has no option 'momentum'; it has fraction, chunk, bits, residual, nonfinite",
                "dgc,momentum;momentum of dgc needs a value",
                "dgc,momentum=;momentum of dgc must be 0 to below 1, taken over from the optimiser, which then applies none, got ''",
                "dgc,warmup=1.5;warmup of dgc must be 0 or more steps with each of the larger shares that come first, got '1.5'",
                "dgc,warmup=-1;need 0 or more warm-up steps",
                "dgc,nonfinite=dense;dgc has no option 'nonfinite'; it has fraction, momentum, warmup, clip, reuse, bits",
                "powersgd:1.5;rank of powersgd must be 1 or more columns of both factors, got '1.5'",
                "powersgd:99999999999;rank of powersgd must be 1 or more columns of both factors, got '99999999999'",
                "powersgd:2,nonfinite=dense;powersgd has no option 'nonfinite'; it has rank, residual"
            })
    void whatIsWrongIsSaidWithWhatThereIs(String text, String expected) {
        String message = refusal(text);
        assertTrue(message.contains(expected), message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "int8:64:stochastic:dense;int8:64,nonfinite=dense",
                "int8:stochastic;int8:64",
                "int4:dense;int4:64,nonfinite=dense",
                "fp16:dense;fp16,nonfinite=dense",
                "topk:full;topk:0.01,bits=32",
                "topk:0.001:full:dense;topk:0.001,bits=32,nonfinite=dense",
                "randomk:0.1:full;randomk:0.1",
                "dgc:0.01:momentum=0.5:warmup=62:clip=1.5:full;dgc:0.01,momentum=0.5,warmup=62,clip=1.5,bits=32",
                "dgc:warmup=3;dgc:0.001,warmup=3",
                "powersgd:rank=3;powersgd:3",
                "auto:fp16:dense+int8:64:stochastic;auto:fp16,nonfinite=dense+int8:64"
            })
    void theSpellingOfBeforeIsRefusedWithTodays(String before, String today) {
        String message = refusal(before);
        assertTrue(message.endsWith("'" + before + "' is the former spelling: write " + today), message);
    }

    @Test
    void commasStandBetweenCodecsAndBetweenSettings() {
        assertEquals(
                List.of("none", "int8:32,nonfinite=dense", "topk:0.01", "topk:0.01,residual=none", "auto:int8:64+fp16"),
                CompressionStrategy.parseList(
                                "none, int8,block=32,nonfinite=dense,topk,topk:0.01,residual=none , auto:int8:64+fp16")
                        .stream()
                        .map(CompressionStrategy::text)
                        .toList());
        for (String wrong : List.of("", "none,,int8", "block=32,int8", "int8,")) {
            assertThrows(IllegalArgumentException.class, () -> CompressionStrategy.parseList(wrong), wrong);
        }
    }

    /** Every setting in the help is valid as it is written there. */
    @Test
    void helpListsEachCodecWithItsUsualSettings() {
        String name = "";
        int codecs = 0;
        for (String line : CompressionStrategy.help()) {
            if (!line.startsWith(" ")) {
                name = line.split("\\[", 2)[0];
                codecs++;
            } else if (line.matches("  [a-z]+=.*")) {
                String setting = line.strip().split(" ", 2)[0];
                String usual = CompressionStrategy.parse(name).text();
                assertEquals(
                        usual, CompressionStrategy.parse(name + "," + setting).text(), line);
            }
        }
        assertEquals(11, codecs);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "int8:7",
                "int8:-1",
                "int8:65537",
                "int4:7",
                "int8:7,nonfinite=dense",
                "randomk:2",
                "topk:0",
                "topk:-0.1",
                "topk:1.01",
                "topk:infinite",
                "topk,bits=8",
                "topk,bits=4",
                "topk,chunk=4096,bits=32",
                "topk,chunk=32",
                "topk,chunk=1000",
                "topk,chunk=131072",
                "powersgd:0",
                "dgc:2",
                "dgc,bits=0",
                "dgc,momentum=1",
                "dgc,warmup=-1",
                "dgc,reuse=0",
                "dgc,reuse=-1",
                "dgc,clip=0"
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
