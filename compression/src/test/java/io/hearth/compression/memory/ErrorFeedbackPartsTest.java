package io.hearth.compression.memory;

import static io.hearth.compression.CodecContractTest.assertBitsEqual;
import static io.hearth.compression.TestKernels.KERNELS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.CodecKernels;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.Residual;
import io.hearth.compression.Workers;
import io.hearth.compression.block.LevelCodec;
import io.hearth.compression.codecs.Codecs;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.compression.sparse.RandomKCodec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ErrorFeedbackPartsTest {
    private static final int HEADER = Header.BYTES;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment room = arena.allocate(1 << 16);

    @AfterEach
    void free() {
        arena.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "int8:64,rounding=nearest",
                "int8:8",
                "int8:11,rounding=nearest",
                "int4",
                "int4:64,rounding=stochastic",
                "fp16",
                "bf16",
                "none",
                "int4,residual=bfloat16",
                "int8:11,rounding=nearest,residual=bfloat16",
                "fp16,residual=bfloat16"
            })
    void partsInAnyOrderByAnotherThreadAreTheWholeStepByStep(String strategy) throws Exception {
        CompressionStrategy.Coded coded = (CompressionStrategy.Coded) CompressionStrategy.parse(strategy);
        var codec = (BlockCodec) Codecs.of(coded);
        Residual residual = coded.residual() == Residual.BFLOAT16 ? Residual.BFLOAT16 : Residual.FLOAT32;
        CodecKernels kernels = KERNELS;
        try (var whole = new ErrorFeedback(codec, residual, 1, 0, kernels, Workers.NONE);
                var inParts = new ErrorFeedback(codec, residual, 1, 0, kernels, Workers.NONE);
                var other = Executors.newSingleThreadExecutor()) {
            var random = new Random(strategy.hashCode());
            for (int step = 0; step < 40; step++) {
                int count = step < 20 ? 1000 : 1 + random.nextInt(3000);
                MemorySegment gradient = normal(count, random);
                Pending pending = whole.prepare("w", gradient, count, step, room);
                byte[] body = bytes(HEADER, pending.encodedBytes());
                pending.commit();
                PendingParts parts = inParts.begin("w", gradient, count, step);
                byte[] bodies = other.submit(() -> encodeShuffled(codec, parts, count, random))
                        .get();
                parts.commit();
                assertArrayEquals(body, bodies, "step " + step);
                assertBitsEqual(whole.remembered("w"), inParts.remembered("w"), "step " + step);
            }
        }
    }

    /** Encodes all parts in some order and returns their bodies in the order of the tensor. */
    private byte[] encodeShuffled(BlockCodec codec, PendingParts parts, int count, Random random) throws Exception {
        var starts = new ArrayList<Integer>(List.of(0));
        while (starts.getLast() < count) {
            starts.add(starts.getLast() + codec.block() * (1 + random.nextInt(Math.ceilDiv(count, codec.block()))));
        }
        var order = new ArrayList<Integer>(starts.subList(0, starts.size() - 1));
        Collections.shuffle(order, random);
        var bodies = new byte[Math.toIntExact(codec.encodedBytesMax(count) - HEADER)];
        long bytes = 0;
        for (int first : order) {
            int n = Math.min(count, starts.get(starts.indexOf(first) + 1)) - first;
            long written = parts.encode(first, n, room);
            assertEquals(codec.encodedBytesMax(n), written);
            byte[] part = bytes(HEADER, written);
            int at = Math.toIntExact(codec.encodedBytesMax(first) - HEADER);
            System.arraycopy(part, 0, bodies, at, part.length);
            bytes += written;
            assertEquals(bytes, parts.encodedBytes());
        }
        return bodies;
    }

    @Test
    void allOfItHasToBeEncodedOnceAndOnlyOnce() throws Exception {
        try (var feedback = Memories.errorFeedback(new LevelCodec(8, 8, false, KERNELS), 1)) {
            PendingParts parts = feedback.begin("w", normal(45, new Random(1)), 45, 0);
            assertThrows(IllegalStateException.class, parts::commit);
            parts.encode(16, 8, room);
            parts.encode(40, 5, room);
            parts.encode(0, 8, room);
            for (long[] again : new long[][] {{16, 8}, {8, 16}, {0, 45}, {40, 5}, {0, 8}, {32, 13}}) {
                String message = assertThrows(
                                IllegalArgumentException.class, () -> parts.encode(again[0], again[1], room))
                        .toString();
                assertTrue(message.contains("were encoded before"), message);
            }
            for (long[] none : new long[][] {{24, 9}, {8, 7}, {9, 8}, {-8, 8}, {40, 6}, {48, 0}, {24, -1}}) {
                assertThrows(IllegalArgumentException.class, () -> parts.encode(none[0], none[1], room));
            }
            String message =
                    assertThrows(IllegalStateException.class, parts::commit).toString();
            assertTrue(message.contains("value 8 of 45 was not encoded"), message);
            parts.encode(24, 16, room);
            parts.encode(8, 0, room);
            assertThrows(IllegalStateException.class, parts::commit);
            parts.encode(8, 8, room);
            parts.commit();
            assertThrows(IllegalStateException.class, parts::commit);
            assertThrows(IllegalStateException.class, parts::rollback);
            assertThrows(IllegalStateException.class, () -> parts.encode(0, 8, room));
        }
    }

    @Test
    void whatIsGivenUpHalfWayLeavesTheMemoryAndRepeats() throws Exception {
        try (var feedback = Memories.errorFeedback(new LevelCodec(4, 8, false, KERNELS), 1)) {
            MemorySegment gradient = normal(64, new Random(2));
            feedback.prepare("w", gradient, 64, 5, room).commit();
            float[] before = feedback.remembered("w");
            PendingParts given = feedback.begin("w", gradient, 64, 6);
            byte[] first = bytes(0, given.encode(8, 16, room));
            assertThrows(IllegalStateException.class, () -> feedback.begin("w", gradient, 64, 6));
            assertThrows(IllegalStateException.class, () -> feedback.prepare("w", gradient, 64, room));
            assertThrows(IllegalStateException.class, feedback::savedBytes);
            given.rollback();
            assertBitsEqual(before, feedback.remembered("w"), "after rollback");
            PendingParts again = feedback.begin("w", gradient, 64, 6);
            assertArrayEquals(first, bytes(0, again.encode(8, 16, room)));
            again.rollback();
        }
    }

    @Test
    void aPartThatIsNotFiniteNamesItsPlaceInTheTensor() throws Exception {
        try (var feedback = Memories.errorFeedback(new LevelCodec(8, 8, false, KERNELS), 1)) {
            MemorySegment gradient = normal(64, new Random(3));
            gradient.setAtIndex(Float32.FLOAT, 21, Float.NaN);
            PendingParts parts = feedback.begin("w", gradient, 64, 0);
            parts.encode(0, 16, room);
            assertEquals(
                    21,
                    assertThrows(NonFiniteException.class, () -> parts.encode(16, 48, room))
                            .index());
            assertThrows(IllegalStateException.class, parts::commit);
            parts.rollback();
            assertArrayEquals(new float[64], feedback.remembered("w"));
        }
    }

    @Test
    void nothingHasNoParts() {
        try (var feedback = Memories.errorFeedback(new LevelCodec(8, 8, false, KERNELS), 1)) {
            feedback.begin("w", MemorySegment.NULL, 0, 0).commit();
            assertEquals(0, feedback.remembered("w").length);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"topk", "randomk", "topk:0.1,nonfinite=dense"})
    void aCodecWithoutBlocksHasNoParts(String strategy) {
        try (var feedback =
                Memories.errorFeedback(Codecs.of((CompressionStrategy.Coded) CompressionStrategy.parse(strategy)), 1)) {
            String message = assertThrows(
                            IllegalArgumentException.class, () -> feedback.begin("w", MemorySegment.NULL, 0, 0))
                    .toString();
            assertTrue(message.contains("not in parts: call prepare"), message);
        }
    }

    @Test
    void whoCameLaterDrawsAlikeByAnAgreedNumber() throws Exception {
        try (var early = Memories.errorFeedback(new RandomKCodec(0.125, KERNELS), 1, 4);
                var late = Memories.errorFeedback(new RandomKCodec(0.125, KERNELS), 1)) {
            MemorySegment ones = arena.allocate(Float32.FLOAT, 64);
            early.prepare("w", ones, 64, room).commit();
            byte[] first = drawn(early, "w", ones, 7);
            assertArrayEquals(first, drawn(late, "other", ones, 7));
            assertFalse(Arrays.equals(first, drawn(late, "other", ones, 8)));
        }
    }

    private byte[] drawn(ErrorFeedback feedback, String key, MemorySegment gradient, long draw) throws Exception {
        Pending pending = feedback.prepare(key, gradient, 64, draw, room);
        pending.commit();
        return bytes(0, pending.encodedBytes());
    }

    private byte[] bytes(long from, long to) {
        return room.asSlice(from, to - from).toArray(ValueLayout.JAVA_BYTE);
    }

    private MemorySegment normal(int count, Random random) {
        MemorySegment values = arena.allocate(Float32.FLOAT, count);
        for (int i = 0; i < count; i++) {
            values.setAtIndex(Float32.FLOAT, i, (float) random.nextGaussian());
        }
        return values;
    }
}
