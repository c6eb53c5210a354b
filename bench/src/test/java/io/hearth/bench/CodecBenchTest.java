package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.codecs.GradientCompressor;
import io.hearth.core.HearthException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CodecBenchTest {
    private static final int VALUES = 1 << 16;

    /** Each call of this clock returns a time 10 ns later. So a run takes 10 ns, and a span of 50 ns has five runs. */
    private final AtomicLong now = new AtomicLong();

    private final CodecSpeed speed = new CodecSpeed(() -> now.addAndGet(10), 50, 30);

    private List<CodecLine> lines(String codecs, String nodes) throws HearthException {
        var lines = new ArrayList<CodecLine>();
        new CodecBench(speed).run(CodecBenchPlan.parse(codecs, nodes, VALUES), lines::add);
        return lines;
    }

    @Test
    void aLineForEachDistributionCodecAndNumberOfNodesAlwaysTheSame() throws Exception {
        List<CodecLine> lines = lines("none,topk:0.01", "2,3");
        assertEquals(8, lines.size());
        assertEquals(lines, lines("none,topk:0.01", "2,3"));
        assertEquals(
                List.of("none 2 NORMAL", "none 3 NORMAL", "topk:0.01 2 NORMAL", "topk:0.01 3 NORMAL"),
                lines.stream()
                        .limit(4)
                        .map(line -> line.codec() + " " + line.nodes() + " " + line.distribution())
                        .toList());
        for (CodecLine line : lines) {
            assertEquals(VALUES * 4 / 10.0, line.encodeGbPerSecond());
            assertEquals(VALUES * 4 / 10.0, line.decodeGbPerSecond());
            boolean exact = line.codec().equals("none");
            assertEquals(exact ? 1 : 130, line.ratio(), exact ? 1e-3 : 5);
            assertTrue(exact ? line.relativeL2() < 1e-7 : line.relativeL2() > 0.3, line.toString());
        }
    }

    /**
     * The promised bounds of int8 hold for sums of 16 nodes. Sums of heavy-tailed values over fewer nodes have larger errors. The mean squared error of
     * a value is a twelfth of the squared distance of two levels if it is rounded to the nearest, and a sixth if it is rounded at random:
     * so the error is larger by the root of two. Random rounding has no bias; the bound is four standard deviations of the mean of all
     * values here.
     */
    @ParameterizedTest
    @CsvSource({"'int8,rounding=nearest', 1, 1e-4", "int8, 1.42, 5e-4"})
    void int8ErrsLittleFlatlyAndWithoutADirection(String codec, double times, double biasMax) throws Exception {
        List<CodecLine> lines = lines(codec, "2,16");
        for (int i = 0; i < lines.size(); i += 2) {
            CodecLine two = lines.get(i);
            CodecLine sixteen = lines.get(i + 1);
            double most = times * (sixteen.distribution() == Distribution.NORMAL ? 0.010 : 0.015);
            assertTrue(sixteen.relativeL2() <= most && sixteen.relativeL2() > most / 4, sixteen.toString());
            assertTrue(sixteen.relativeL2() < 1.05 * two.relativeL2(), two + ", " + sixteen);
            assertTrue(Math.abs(two.bias()) < biasMax && Math.abs(sixteen.bias()) < biasMax, two + ", " + sixteen);
            assertEquals(64 * 4 / 68.0, sixteen.ratio(), 0.01);
        }
    }

    /** Two roundings, of the parts and of the sum, have an error larger by the root of two than one rounding has, also for codecs that may pass plain values. */
    @Test
    void theOwnerOfABlockEncodesTheSumOnceMore() throws Exception {
        double twice = lines("int4", "2").getFirst().relativeL2();
        double once = ofPartsAlone(new GradientCompressor(CompressionStrategy.parse("int4")));
        assertTrue(twice > 1.2 * once, twice + " with the owner's rounding, " + once + " without");
        assertEquals(twice, lines("int4:64,nonfinite=dense", "2").getFirst().relativeL2());
    }

    private static double ofPartsAlone(GradientCompressor codec) throws Exception {
        try (var arena = Arena.ofConfined()) {
            double[] exact = new double[VALUES];
            MemorySegment sum = arena.allocate(Distribution.FLOAT, VALUES);
            MemorySegment drawn = arena.allocate(Distribution.FLOAT, VALUES);
            for (int node = 0; node < 2; node++) {
                Distribution.NORMAL.fill(drawn, 41 + node);
                float[] values = drawn.toArray(Distribution.FLOAT);
                float[] sent = codec.decompress(codec.compress(values), VALUES);
                for (int i = 0; i < VALUES; i++) {
                    exact[i] += values[i];
                    sum.setAtIndex(Distribution.FLOAT, i, sum.getAtIndex(Distribution.FLOAT, i) + sent[i]);
                }
            }
            return SumError.of(sum, exact).relativeL2();
        }
    }

    @Test
    void errorsAreMeasuredAgainstTheExactSum() {
        try (var arena = Arena.ofConfined()) {
            MemorySegment sum = arena.allocateFrom(Distribution.FLOAT, 3, -4.5f);
            SumError error = SumError.of(sum, new double[] {3, -4});
            assertEquals(0.1, error.relativeL2(), 1e-12);
            assertEquals(-0.5 / 7, error.bias(), 1e-12);
        }
    }

    @Test
    void theFastestRunCounts() throws Exception {
        var runs = new AtomicLong();
        var clock = new AtomicLong();
        // Runs take 100, 90, 80, … ns: 4 of them warm up, the next 5 are timed, and the last takes 20 ns.
        var falling = new CodecSpeed(clock::get, 300, 200);
        double speed = falling.gbPerSecond(1000, () -> clock.addAndGet(100 - 10 * runs.getAndIncrement()));
        assertEquals(9, runs.get());
        assertEquals(1000.0 / 20, speed);
    }

    @Test
    void aLineOfJsonHasTheAgreedKeys() {
        var line = new CodecLine("int8:64", 4, Distribution.STUDENT_T3, 0.0125, -1e-6, 3.75, 10.256, 9.999);
        assertEquals(
                "{\"codec\":\"int8:64\",\"nodes\":4,\"distribution\":\"student-t3\",\"relative_l2\":0.0125,"
                        + "\"bias\":-1.0E-6,\"ratio\":3.75,\"encode_GBps\":10.26,\"decode_GBps\":10.0}",
                line.toJson().toString());
    }
}
