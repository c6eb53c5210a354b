package io.hearth.compression.memory;

import static io.hearth.compression.CodecContractTest.assertBitsEqual;
import static io.hearth.compression.TestKernels.KERNELS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pattern;
import io.hearth.compression.Pending;
import io.hearth.compression.Residual;
import io.hearth.compression.Workers;
import io.hearth.compression.block.LevelCodec;
import io.hearth.compression.block.NoneCodec;
import io.hearth.compression.codecs.Codecs;
import io.hearth.compression.codecs.GradientCompressor;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.compression.sparse.ChunkedTopKCodec;
import io.hearth.compression.sparse.GradualEncoding;
import io.hearth.compression.sparse.RandomKCodec;
import io.hearth.compression.sparse.TopKCodec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ErrorFeedbackTest {
    /** One large value that keeps three small ones from being sent: without feedback they never arrive. */
    private static final float[] UNEVEN = {1f, .003f, .003f, -.003f};

    private static final int STEPS = 1000;
    private static final CompressionStrategy.Coded DENSE =
            (CompressionStrategy.Coded) CompressionStrategy.parse("topk:0.25,nonfinite=dense");

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment encoded = arena.allocate(4096);

    @AfterEach
    void free() {
        arena.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "int4",
                "int4,nonfinite=dense",
                "topk:0.25",
                "int4,residual=bfloat16",
                "topk:0.25,residual=bfloat16"
            })
    void whatGoesAsItIsTakesAllThatIsOwedAlong(String strategy) throws Exception {
        try (var feedback = feedback(strategy)) {
            feedback.prepare("layer", memory(UNEVEN), UNEVEN.length, encoded).commit();
            float[] residual = feedback.remembered("layer");
            assertNotEquals(0, maxMagnitude(residual));
            assertEquals(1 + maxMagnitude(residual), feedback.maxMagnitude("layer", memory(UNEVEN), UNEVEN.length));

            feedback.prepareDense("layer", memory(UNEVEN), UNEVEN.length, encoded)
                    .rollback();
            assertArrayEquals(residual, feedback.remembered("layer"));
            feedback.prepareDense("layer", memory(UNEVEN), UNEVEN.length, encoded)
                    .commit();
            assertArrayEquals(new float[UNEVEN.length], feedback.remembered("layer"));
            for (int i = 0; i < UNEVEN.length; i++) {
                assertEquals(UNEVEN[i] + residual[i], encoded.getAtIndex(Float32.FLOAT, i));
            }
        }
    }

    private static ErrorFeedback feedback(String strategy) {
        CompressionStrategy.Coded coded = (CompressionStrategy.Coded) CompressionStrategy.parse(strategy);
        return new ErrorFeedback(Codecs.of(coded), coded.residual(), 1, 0, KERNELS, Workers.NONE);
    }

    /** Rounding up or down at random is right in the mean; with rounding to nearest, the small values here would never be sent. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "int4,residual=bfloat16",
                "int4,residual=bfloat16,nonfinite=dense",
                "topk:0.25,residual=bfloat16",
                "topk:0.25,chunk=64,residual=bfloat16"
            })
    void halfAsMuchMemoryLosesNothingInTheMean(String strategy) throws Exception {
        int steps = 20_000;
        float[] gradient = {1, 1e-3f, -1.1e-3f, 0.7e-3f};
        Codec codec = Codecs.of((CompressionStrategy.Coded) CompressionStrategy.parse(strategy));
        double[] sums = new double[4];
        try (var feedback = feedback(strategy)) {
            for (int step = 0; step < steps; step++) {
                Pending pending = feedback.prepare("layer", memory(gradient), 4, encoded);
                float[] sent = decoded(codec, pending, 4);
                pending.commit();
                for (int i = 0; i < 4; i++) {
                    sums[i] += sent[i];
                }
            }
            float[] residual = feedback.remembered("layer");
            for (int i = 0; i < 4; i++) {
                sums[i] += residual[i];
            }
        }
        for (int i = 0; i < 4; i++) {
            assertEquals(gradient[i], sums[i] / steps, 0.05 * Math.abs(gradient[i]), strategy + ", value " + i);
        }
    }

    @Test
    void aMemoryThatKeepsNothingIsRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new ErrorFeedback(
                        new LevelCodec(8, 8, false, KERNELS), Residual.NONE, 1, 0, KERNELS, Workers.NONE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "int8:64,rounding=nearest",
                "int8:8",
                "int4",
                "topk:0.25",
                "topk:0.5",
                "topk:0.25,bits=32",
                "randomk:0.25",
                "randomk:0.25",
                "fp16",
                "bf16",
                "none"
            })
    void aThousandStepsEndWithinOneResidualOfTheTrueSum(String strategy) throws Exception {
        Codec codec = Codecs.of((CompressionStrategy.Coded) CompressionStrategy.parse(strategy));
        double[] arrived = new double[UNEVEN.length];
        try (var feedback = Memories.errorFeedback(codec, 1)) {
            for (int step = 0; step < STEPS; step++) {
                Pending pending = feedback.prepare("layer", memory(UNEVEN), UNEVEN.length, encoded);
                float[] decoded = decoded(codec, pending, UNEVEN.length);
                pending.commit();
                for (int i = 0; i < decoded.length; i++) {
                    arrived[i] += decoded[i];
                }
            }
            float[] residual = feedback.remembered("layer");
            for (int i = 0; i < UNEVEN.length; i++) {
                double trueSum = (double) UNEVEN[i] * STEPS;
                assertEquals(trueSum, arrived[i] + residual[i], 0.002, strategy + ": nothing is lost at " + i);
                // A draw of one in four leaves a value out for 40 steps in a row once in 100,000.
                double residualMax = strategy.startsWith("randomk") ? 40 : 1.01;
                assertTrue(Math.abs(residual[i]) <= residualMax, strategy + ": residual " + residual[i] + " at " + i);
            }
            if (strategy.equals("int8:64,rounding=nearest")) {
                assertEquals(0, maxMagnitude(residual), 0.6 / 127, "the residual is at most about half a step");
            }
        }
    }

    @Test
    void withNeitherFeedbackNorChanceInt8WouldLoseTheSmallValuesForEver() throws Exception {
        var compressor = new GradientCompressor(CompressionStrategy.parse("int8,rounding=nearest"));
        assertArrayEquals(
                new float[] {0, 0, 0}, Arrays.copyOfRange(compressor.decompress(compressor.compress(UNEVEN), 4), 1, 4));
    }

    @Test
    void whatIsOwedIsTheGradientLessWhatWasDecoded() throws Exception {
        Codec codec = new TopKCodec(0.25, false, KERNELS);
        try (var feedback = Memories.errorFeedback(codec, 1)) {
            feedback.prepare("layer", memory(3, 1, -2, 0.5f), 4, encoded).commit();
            assertArrayEquals(new float[] {0, 1, -2, 0.5f}, feedback.remembered("layer"));
            Pending second = feedback.prepare("layer", memory(0, 1, -2, 0), 4, encoded);
            assertArrayEquals(new float[] {0, 0, -4, 0}, decoded(codec, second, 4));
            second.commit();
            assertArrayEquals(new float[] {0, 2, 0, 0.5f}, feedback.remembered("layer"));
        }
    }

    /** In units of the largest kept value, 16 bits hold 11: 2 + 2^-10 becomes 2, and 3e-12 beside 3e-12 stays what it is. */
    @Test
    void whatSixteenBitsDoNotHoldStaysOwed() throws Exception {
        try (var feedback = Memories.errorFeedback(new TopKCodec(0.5, false, KERNELS), 1)) {
            feedback.prepare("layer", memory(2 + 0x1p-10f, 1), 2, encoded).commit();
            assertEquals(0x1p-10f, feedback.remembered("layer")[0]);
        }
        try (var feedback = Memories.errorFeedback(new TopKCodec(0.5, false, KERNELS), 1)) {
            feedback.prepare("layer", memory(3e-12f, 1e-12f), 2, encoded).commit();
            float residual = Math.abs(feedback.remembered("layer")[0]);
            assertTrue(residual > 0 && residual <= 3e-12 / 2048, "tiny gradients are as exact: " + residual);
        }
        try (var feedback = Memories.errorFeedback(new TopKCodec(0.5, true, KERNELS), 1)) {
            feedback.prepare("layer", memory(2 + 0x1p-10f, 1), 2, encoded).commit();
            assertEquals(0, feedback.remembered("layer")[0]);
        }
    }

    @Test
    void aRolledBackEncodingLeavesTheMemoryAndRepeatsBitForBit() throws Exception {
        try (var feedback = Memories.errorFeedback(new LevelCodec(8, 8, false, KERNELS), 1)) {
            feedback.prepare("layer", memory(UNEVEN), 4, encoded).commit();
            float[] before = feedback.remembered("layer");
            Pending given = feedback.prepare("layer", memory(UNEVEN), 4, encoded);
            byte[] first = bytes(given);
            given.rollback();
            assertBitsEqual(before, feedback.remembered("layer"), "after rollback");
            Pending again = feedback.prepare("layer", memory(UNEVEN), 4, encoded);
            assertArrayEquals(first, bytes(again));
            assertBitsEqual(before, feedback.remembered("layer"), "before commit");
            again.commit();
            assertNotEquals(before[1], feedback.remembered("layer")[1]);
        }
    }

    @Test
    void drawsDifferByStepNameAndSeedAndRepeatOtherwise() throws Exception {
        float[] ones = new float[64];
        Arrays.fill(ones, 1);
        try (var feedback = Memories.errorFeedback(new RandomKCodec(0.125, KERNELS), 2);
                var alike = Memories.errorFeedback(new RandomKCodec(0.125, KERNELS), 2);
                var other = Memories.errorFeedback(new RandomKCodec(0.125, KERNELS), 2, 1)) {
            byte[] first = send(feedback, "a", ones);
            assertArrayEquals(first, send(alike, "a", ones));
            assertFalse(Arrays.equals(first, send(other, "a", ones)), "seed");
            assertFalse(Arrays.equals(first, send(feedback, "b", ones)), "name");
            assertFalse(Arrays.equals(seedOf(first), seedOf(send(feedback, "a", ones))), "step");
        }
    }

    private byte[] send(ErrorFeedback feedback, String key, float... gradient) throws Exception {
        Pending pending = feedback.prepare(key, memory(gradient), gradient.length, encoded);
        byte[] sent = bytes(pending);
        pending.commit();
        return sent;
    }

    private static byte[] seedOf(byte[] encoding) {
        return Arrays.copyOfRange(encoding, Header.BYTES, Header.BYTES + Long.BYTES);
    }

    @Test
    void whatPassedDenseOwesNothingAndFeedbackGoesOn() throws Exception {
        try (var feedback = Memories.errorFeedback(Codecs.of(DENSE), 1)) {
            feedback.prepare("layer", memory(4, 1, 1, 1), 4, encoded).commit();
            Pending dense = feedback.prepare("layer", memory(0, Float.NaN, 5, Float.POSITIVE_INFINITY), 4, encoded);
            assertArrayEquals(
                    new float[] {0, Float.NaN, 6, Float.POSITIVE_INFINITY}, decoded(Codecs.of(DENSE), dense, 4));
            dense.commit();
            assertArrayEquals(new float[4], feedback.remembered("layer"));
            feedback.prepare("layer", memory(4, 1, 1, 1), 4, encoded).commit();
            assertArrayEquals(new float[] {0, 1, 1, 1}, feedback.remembered("layer"));
        }
    }

    @Test
    void theGradientIsOnlyBorrowed() throws Exception {
        try (var feedback = Memories.errorFeedback(new TopKCodec(0.25, false, KERNELS), 1)) {
            MemorySegment gradient = memory(UNEVEN);
            feedback.prepare("layer", gradient, 4, encoded).commit();
            feedback.prepare("layer", gradient, 4, encoded).commit();
            assertArrayEquals(UNEVEN, gradient.toArray(Float32.FLOAT));
        }
    }

    @Test
    void tensorsAreKeptApart() throws Exception {
        try (var feedback = Memories.errorFeedback(new TopKCodec(0.25, false, KERNELS), 2)) {
            feedback.prepare("a", memory(4, 1, 1, 1), 4, encoded).commit();
            feedback.prepare("b", memory(0, 0, 0, 9), 4, encoded).commit();
            assertArrayEquals(new float[] {0, 1, 1, 1}, feedback.remembered("a"));
            assertArrayEquals(new float[] {0, 0, 0, 0}, feedback.remembered("b"));
        }
    }

    @Test
    void anotherSizeStartsWithNothingOwed() throws Exception {
        try (var feedback = Memories.errorFeedback(new TopKCodec(0.25, false, KERNELS), 1)) {
            feedback.prepare("layer", memory(4, 1, 1, 1), 4, encoded).commit();
            feedback.prepare("layer", memory(4, 1), 2, encoded).rollback();
            assertArrayEquals(new float[] {0, 0}, feedback.remembered("layer"));
        }
    }

    @Test
    void aGradientThatIsNotFiniteLeavesTheMemoryUsable() throws Exception {
        try (var feedback = Memories.errorFeedback(new TopKCodec(0.25, false, KERNELS), 1)) {
            feedback.prepare("layer", memory(4, 1, 1, 1), 4, encoded).commit();
            var refusal = assertThrows(
                    NonFiniteException.class,
                    () -> feedback.prepare("layer", memory(0, 0, Float.NEGATIVE_INFINITY, 0), 4, encoded));
            assertEquals(2, refusal.index());
            assertArrayEquals(new float[] {0, 1, 1, 1}, feedback.remembered("layer"));
            feedback.prepare("layer", memory(0, 0, 0, 0), 4, encoded).commit();
            assertArrayEquals(new float[] {0, 0, 1, 1}, feedback.remembered("layer"));
        }
    }

    @Test
    void onlyOneEncodingOfATensorIsPendingAndItEndsOnce() throws Exception {
        try (var feedback = Memories.errorFeedback(new TopKCodec(0.25, false, KERNELS), 1)) {
            Pending first = feedback.prepare("layer", memory(UNEVEN), 4, encoded);
            assertThrows(IllegalStateException.class, () -> feedback.prepare("layer", memory(UNEVEN), 4, encoded));
            assertThrows(IllegalStateException.class, () -> feedback.prepare("layer", memory(1, 2), 2, encoded));
            assertThrows(IllegalStateException.class, () -> feedback.forget("layer"));
            first.rollback();
            assertThrows(IllegalStateException.class, first::commit);
            Pending second = feedback.prepare("layer", memory(UNEVEN), 4, encoded);
            assertThrows(IllegalStateException.class, first::rollback);
            second.commit();
            assertThrows(IllegalStateException.class, second::rollback);
        }
    }

    @Test
    void theNumberOfTensorsIsBounded() throws Exception {
        try (var feedback = Memories.errorFeedback(new NoneCodec(), 2)) {
            feedback.prepare("a", memory(1), 1, encoded).commit();
            feedback.prepare("b", memory(1), 1, encoded).commit();
            String message = assertThrows(
                            IllegalStateException.class, () -> feedback.prepare("c", memory(1), 1, encoded))
                    .toString();
            assertTrue(message.contains("at most 2 tensors"), message);
            feedback.prepare("a", memory(1, 2), 2, encoded).commit();
            feedback.forget("b");
            feedback.prepare("c", memory(1), 1, encoded).commit();
        }
    }

    private MemorySegment memory(float... values) {
        return arena.allocateFrom(Float32.FLOAT, values);
    }

    private byte[] bytes(Pending pending) {
        return encoded.asSlice(0, pending.encodedBytes()).toArray(ValueLayout.JAVA_BYTE);
    }

    private float[] decoded(Codec codec, Pending pending, int count) throws Exception {
        MemorySegment values = arena.allocate(Float32.FLOAT, count);
        codec.decode(encoded.asSlice(0, pending.encodedBytes()), values, count);
        return values.toArray(Float32.FLOAT);
    }

    private static float maxMagnitude(float[] values) {
        float largest = 0;
        for (float value : values) {
            largest = Math.max(largest, Math.abs(value));
        }
        return largest;
    }

    /** The encoding includes the residual. If a value cannot be carried, the chunks before it are made all the same. */
    @Test
    void whatIsOwedGoesIntoAnEncodingThatIsMadeFromItsBeginningOn() throws Exception {
        float[] values = Pattern.NORMAL.values(64 * 20);
        var codec = new ChunkedTopKCodec(0.05, 64, 16, KERNELS);
        int bytes = (int) codec.encodedBytesMax(values.length);
        try (var arena = Arena.ofConfined();
                var atOnce = Memories.errorFeedback(codec, 1);
                var gradual = Memories.errorFeedback(codec, 1)) {
            MemorySegment memory = arena.allocateFrom(Float32.FLOAT, values);
            MemorySegment expected = arena.allocate(bytes);
            MemorySegment made = arena.allocate(bytes);
            for (int step = 0; step < 4; step++) {
                Pending known = atOnce.prepare("t", memory, values.length, expected);
                GradualEncoding encoding = gradual.beginInOrder("t", memory, values.length, made);
                for (int end = 0; end < bytes; end += 50) {
                    encoding.make(end);
                }
                encoding.make(bytes);
                assertEquals(-1, expected.mismatch(made), "step " + step);
                known.commit();
                encoding.pending().orElseThrow().commit();
                assertArrayEquals(atOnce.remembered("t"), gradual.remembered("t"));
            }
            float[] residual = gradual.remembered("t");
            memory.setAtIndex(Float32.FLOAT, 700, Float.NaN);
            GradualEncoding broken = gradual.beginInOrder("t", memory, values.length, made);
            broken.make(60);
            var refused = assertThrows(NonFiniteException.class, () -> broken.make(bytes));
            assertEquals(700, refused.index());
            broken.pending().orElseThrow().rollback();
            assertArrayEquals(residual, gradual.remembered("t"), "the residual is kept");
            var whole = Memories.errorFeedback(new TopKCodec(0.1, false, KERNELS), 1);
            assertThrows(IllegalArgumentException.class, () -> whole.beginInOrder("t", memory, values.length, made));
            whole.close();
        }
    }
}
