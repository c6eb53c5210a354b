package io.hearth.compression.block;

import static io.hearth.compression.TestKernels.KERNELS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.codecs.Codecs;
import io.hearth.compression.format.Float32;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The error of a quantised sum relative to the exact sum. Each contributor, the owner too, quantises once, and the owner quantises the sum
 * once more. The error does not grow with the number of contributors, and it has no bias.
 */
final class QuantisedSumTest {
    private static final int COUNT = 1 << 18;
    private static final double BIAS_MAX = 1e-4;

    /** Distributions of gradients. */
    enum Spread {
        NORMAL(0.010) {
            @Override
            double draw(SplittableRandom random) {
                return random.nextGaussian();
            }
        },
        STUDENT_T3(0.015) {
            @Override
            double draw(SplittableRandom random) {
                double a = random.nextGaussian();
                double b = random.nextGaussian();
                double c = random.nextGaussian();
                return random.nextGaussian() / Math.sqrt((a * a + b * b + c * c) / 3);
            }
        };

        private final double errorMax;

        Spread(double errorMax) {
            this.errorMax = errorMax;
        }

        abstract double draw(SplittableRandom random);
    }

    private record Outcome(double error, double bias) {}

    @ParameterizedTest
    @EnumSource
    void errorAndBiasAreSmallAndFlatInTheNumberOfContributors(Spread spread) throws Exception {
        double least = Double.MAX_VALUE;
        double largest = 0;
        for (int contributors : new int[] {2, 4, 8, 16}) {
            Outcome outcome = outcome(
                    new LevelCodec(8, CompressionStrategy.Int8.BLOCK_DEFAULT, false, KERNELS), contributors, spread);
            String what = spread + " of " + contributors + ": " + outcome;
            assertTrue(
                    contributors < 16 || outcome.error() <= spread.errorMax,
                    what); // the tails of few nodes are heavier
            assertTrue(Math.abs(outcome.bias()) < BIAS_MAX, what);
            least = Math.min(least, outcome.error());
            largest = Math.max(largest, outcome.error());
        }
        assertTrue(largest < 1.2 * least, spread + " from " + least + " to " + largest);
    }

    @ParameterizedTest
    @CsvSource({
        "'int8:64,rounding=stochastic',0.02",
        "'int8:256,rounding=stochastic',0.02",
        "'int4:64,rounding=stochastic',0.3",
        "int4:64,0.2"
    })
    void otherRoundingsHaveNoDirectionEither(String strategy, double errorMax) throws Exception {
        Outcome outcome =
                outcome(Codecs.of((CompressionStrategy.Coded) CompressionStrategy.parse(strategy)), 4, Spread.NORMAL);
        assertTrue(outcome.error() <= errorMax, outcome.toString());
        // 15 levels have 18 times the error of 255, and so has the mean of finitely many errors.
        assertTrue(Math.abs(outcome.bias()) < (strategy.startsWith("int4") ? 18 : 1) * BIAS_MAX, outcome.toString());
    }

    @Test
    void stochasticRoundingMeetsEachValueInTheMean() throws Exception {
        for (Codec codec : new Codec[] {new LevelCodec(8, 64, true, KERNELS), new LevelCodec(4, 64, true, KERNELS)}) {
            float[] values = new float[200];
            var random = new SplittableRandom(1);
            for (int i = 0; i < values.length; i++) {
                values[i] = (float) random.nextGaussian();
            }
            int rounds = 5_000;
            double[] sums = new double[values.length];
            try (var arena = Arena.ofConfined()) {
                MemorySegment memory = arena.allocateFrom(Float32.FLOAT, values);
                MemorySegment encoded = arena.allocate(codec.encodedBytesMax(values.length));
                MemorySegment decoded = arena.allocate(Float32.FLOAT, values.length);
                for (int seed = 0; seed < rounds; seed++) {
                    codec.encode(memory, values.length, seed, encoded);
                    codec.decode(encoded, decoded, values.length);
                    float[] rounded = decoded.toArray(Float32.FLOAT);
                    for (int i = 0; i < values.length; i++) {
                        sums[i] += rounded[i];
                    }
                }
            }
            // Between two levels the deviation of one rounding is at most half a scale; a scale is at most 4 / levels
            // here.
            double scale = 4.0 / (codec.name().equals("int8") ? 127 : 7);
            double tolerance = 5 * scale / 2 / Math.sqrt(rounds);
            for (int i = 0; i < values.length; i++) {
                assertEquals(values[i], sums[i] / rounds, tolerance, codec.name() + " value " + i);
            }
        }
    }

    private static Outcome outcome(Codec codec, int contributors, Spread spread) throws Exception {
        var random = new SplittableRandom(contributors);
        double[] exact = new double[COUNT];
        try (var arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate(Float32.FLOAT, COUNT);
            MemorySegment sum = arena.allocate(Float32.FLOAT, COUNT);
            MemorySegment encoded = arena.allocate(codec.encodedBytesMax(COUNT));
            for (int contributor = 0; contributor < contributors; contributor++) {
                float[] drawn = new float[COUNT];
                for (int i = 0; i < COUNT; i++) {
                    drawn[i] = (float) spread.draw(random);
                    exact[i] += drawn[i];
                }
                MemorySegment.copy(drawn, 0, values, Float32.FLOAT, 0, COUNT);
                codec.encode(values, COUNT, contributor, encoded);
                codec.decodeAndAdd(encoded, sum, COUNT);
            }
            codec.encode(sum, COUNT, contributors, encoded);
            codec.decode(encoded, sum, COUNT);
            return compare(sum.toArray(Float32.FLOAT), exact);
        }
    }

    private static Outcome compare(float[] result, double[] exact) {
        double squares = 0;
        double norm = 0;
        double sum = 0;
        double magnitudes = 0;
        for (int i = 0; i < exact.length; i++) {
            double error = result[i] - exact[i];
            squares += error * error;
            norm += exact[i] * exact[i];
            sum += error;
            magnitudes += Math.abs(exact[i]);
        }
        return new Outcome(Math.sqrt(squares / norm), sum / magnitudes);
    }
}
