package io.hearth.compression.sparse;

import static io.hearth.compression.TestKernels.KERNELS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;
import io.hearth.compression.format.Float32;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class RandomKCodecTest extends CodecContractTest {
    private static final double FRACTION = 0.1;

    @Override
    protected Codec codec() {
        return new RandomKCodec(FRACTION, KERNELS);
    }

    /** A tensor of ones shows which indices are kept; the test then checks the values at these indices. */
    @Override
    protected float[] oracle(float[] values) {
        Codec codec = codec();
        float[] ones = new float[values.length];
        Arrays.fill(ones, 1);
        try (var arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Float32.FLOAT, values.length);
            codec.decode(MemorySegment.ofArray(encoded(codec, 0, ones)), memory, values.length);
            float[] decoded = memory.toArray(Float32.FLOAT);
            int kept = 0;
            for (int i = 0; i < values.length; i++) {
                kept += decoded[i] == 1 ? 1 : 0;
                decoded[i] *= values[i];
                decoded[i] += 0f;
            }
            assertEquals(values.length == 0 ? 0 : Math.max(1, Math.round(values.length * FRACTION)), kept);
            return decoded;
        } catch (Exception unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    @Test
    void everyValueHasItsTurn() throws Exception {
        float[] ones = new float[103];
        Arrays.fill(ones, 1);
        int[] turns = new int[103];
        int rounds = 20_000;
        for (int seed = 0; seed < rounds; seed++) {
            float[] decoded = decoded(encoded(codec(), seed, ones), 103);
            for (int i = 0; i < 103; i++) {
                turns[i] += (int) decoded[i];
            }
        }
        for (int i = 0; i < 103; i++) {
            // Ten runs of ten or eleven values: five standard deviations around the probability of either.
            double chance = i < 33 ? 1 / 11.0 : 1 / 10.0;
            double deviation = Math.sqrt(rounds * chance * (1 - chance));
            assertEquals(rounds * chance, turns[i], 5 * deviation, "value " + i);
        }
    }

    @Test
    void theSameSeedKeepsTheSameIndicesAndAnotherOneOthers() throws Exception {
        float[] ones = new float[1000];
        Arrays.fill(ones, 1);
        float[] others = new float[1000];
        Arrays.fill(others, -7);
        float[] first = decoded(encoded(codec(), 5, ones), 1000);
        float[] second = decoded(encoded(codec(), 5, others), 1000);
        for (int i = 0; i < 1000; i++) {
            assertEquals(first[i] != 0, second[i] != 0);
        }
        assertTrue(!Arrays.equals(first, decoded(encoded(codec(), 6, ones), 1000)));
    }
}
