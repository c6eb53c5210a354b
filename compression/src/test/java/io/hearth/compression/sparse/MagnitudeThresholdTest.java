package io.hearth.compression.sparse;

import static io.hearth.compression.TestKernels.KERNELS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.NonFiniteException;
import io.hearth.compression.format.Float32;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

final class MagnitudeThresholdTest {
    private static final int COUNT = 40_000;
    private static final int[] KEPT = {1, 2, 40, 399, 4000, 20_000, COUNT - 1, COUNT};

    @Test
    void exactlySoManyAreKeptHoweverValuesAreSpread() throws Exception {
        var random = new SplittableRandom(7);
        judge("normal", i -> random.nextGaussian());
        judge("few levels", i -> random.nextInt(-3, 4));
        judge("any bits", i -> {
            float value = Float.intBitsToFloat(random.nextInt());
            return Float.isFinite(value) ? value : 0;
        });
        judge("all equal", i -> -2.5);
        judge("zero", i -> 0);
        judge("rising", i -> i);
        judge("falling", i -> COUNT - i);
        judge("subnormal", i -> Float.intBitsToFloat(random.nextInt(5000)));
        judge("largest", i -> Float.MAX_VALUE);
        judge("one large, else small", i -> i == 123 ? 1e30 : random.nextGaussian() * 1e-30);
    }

    /**
     * The sample contains about one value in thirty. These values are placed so that it contains none of the large ones, or only large
     * ones.
     */
    @Test
    void aMisleadingSampleCostsTimeOnly() throws Exception {
        int samples = COUNT / 32;
        int stride = COUNT / samples;
        var seen = new boolean[COUNT];
        for (int i = 0; i < samples; i++) {
            seen[(int) MagnitudeThreshold.sampled(i, stride)] = true;
        }
        judge("seen are large", i -> seen[i] ? 1000 + i : 1.0 / (i + 1));
        judge("seen are small", i -> seen[i] ? 1.0 / (i + 1) : 1000 + i);
        judge("seen are zero", i -> seen[i] ? 0 : i);
        judge("unseen are beyond four octaves", i -> seen[i] ? 1 : 1e6 + i);
    }

    /** If the sample took few columns of a matrix, the bound would leave too few values in about a quarter of these cases. */
    @Test
    void theBoundHoldsForValuesThatRepeat() {
        int count = 1 << 22;
        long kept = count / 100;
        var random = new SplittableRandom(5);
        try (var arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate(Float32.FLOAT, count);
            for (int period = 1 << 14; period <= 1 << 18; period *= 2) {
                for (int round = 0; round < 8; round++) {
                    float[] repeated = new float[period];
                    for (int i = 0; i < period; i++) {
                        repeated[i] = (float) random.nextGaussian();
                    }
                    for (int at = 0; at < count; at += period) {
                        MemorySegment.copy(repeated, 0, values, Float32.FLOAT, (long) at * Float.BYTES, period);
                    }
                    int bound = MagnitudeThreshold.lowerBound(Source.of(values), count, kept);
                    long reached = 0;
                    for (float value : repeated) {
                        reached += (Float.floatToRawIntBits(value) & Float32.MAGNITUDE_MASK) >= bound ? 1 : 0;
                    }
                    reached *= count / period;
                    assertTrue(reached >= kept && reached < 2 * kept, reached + " of " + kept + ", period " + period);
                }
            }
        }
    }

    @Test
    void aPlaceIsFoundAsBySorting() {
        var random = new SplittableRandom(9);
        for (int length = 1; length < 200; length++) {
            int range = 1 + random.nextInt(300);
            int[] sample = random.ints(length, 0, range).toArray();
            int[] sorted = sample.clone();
            Arrays.sort(sorted);
            int place = random.nextInt(length);
            assertEquals(sorted[place], MagnitudeThreshold.select(sample, length, place), place + " of " + length);
        }
    }

    @Test
    void theFirstValueThatIsNotFiniteIsNamed() throws Exception {
        for (int bad : new int[] {0, 5, 20_001, COUNT - 1}) {
            float[] values = new float[COUNT];
            values[bad] = Float.NEGATIVE_INFINITY;
            values[COUNT - 1] = Float.NaN;
            try (var arena = Arena.ofConfined()) {
                MemorySegment memory = arena.allocateFrom(Float32.FLOAT, values);
                var refusal = assertThrows(
                        NonFiniteException.class, () -> MagnitudeThreshold.of(KERNELS, Source.of(memory), COUNT, 40));
                assertEquals(bad, refusal.index());
            }
        }
    }

    private static void judge(String what, IntToDoubleFunction spread) throws NonFiniteException {
        float[] values = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            values[i] = (float) spread.applyAsDouble(i);
        }
        float[] magnitudes = values.clone();
        for (int i = 0; i < COUNT; i++) {
            magnitudes[i] = Math.abs(magnitudes[i]);
        }
        Arrays.sort(magnitudes);
        try (var arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(Float32.FLOAT, values);
            for (int kept : KEPT) {
                MagnitudeThreshold threshold = MagnitudeThreshold.of(KERNELS, Source.of(memory), COUNT, kept);
                long above = 0;
                long equal = 0;
                for (float value : values) {
                    int bits = Float.floatToRawIntBits(value) & Float32.MAGNITUDE_MASK;
                    above += bits > threshold.bits() ? 1 : 0;
                    equal += bits == threshold.bits() ? 1 : 0;
                }
                assertEquals(kept, above + threshold.ties(), what + ", keep " + kept);
                assertTrue(threshold.ties() <= equal, what + ": ties that are there, keep " + kept);
                assertEquals(kept, threshold.kept());
                assertEquals(Float.floatToRawIntBits(magnitudes[COUNT - 1]), threshold.largest(), what);
                var from = MagnitudeThreshold.from(KERNELS, Source.of(memory), COUNT, threshold.leastBits());
                assertEquals(threshold.ties() > 0 ? above + equal : above, from.kept(), what + " from, " + kept);
                assertEquals(threshold.largest(), from.largest());
                float least = magnitudes[COUNT - kept];
                assertTrue(Float.floatToRawIntBits(least) >= threshold.leastBits(), what + ", keep " + kept);
            }
        }
    }
}
