package io.hearth.compression.memory;

import static io.hearth.compression.TestKernels.KERNELS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.DgcOptions;
import io.hearth.compression.Pending;
import io.hearth.compression.Residual;
import io.hearth.compression.SparsitySchedule;
import io.hearth.compression.Workers;
import io.hearth.compression.block.LevelCodec;
import io.hearth.compression.block.NoneCodec;
import io.hearth.compression.format.Float32;
import io.hearth.compression.sparse.RandomKCodec;
import io.hearth.compression.sparse.TopKCodec;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Saving and restoring gradient memories. */
final class SavedMemoryTest {
    private static final int DAMAGED = Boolean.getBoolean("hearth.full") ? 10_000 : 5_000; // damaged memories
    private static final int COUNT = 37;

    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void free() {
        arena.close();
    }

    /** Memories of each kind, for a given number of tensors. */
    static Stream<IntFunction<GradientMemory>> kinds() {
        var options = DgcOptions.of(SparsitySchedule.dgc(3), 0.9f).reusing(4);
        return Stream.of(
                tensors -> Memories.errorFeedback(new LevelCodec(8, 8, true, KERNELS), tensors, 3),
                tensors -> Memories.errorFeedback(new RandomKCodec(0.1, KERNELS), tensors),
                tensors -> Memories.dgc(options, tensors),
                tensors -> new ErrorFeedback(
                        new LevelCodec(4, 8, false, KERNELS), Residual.BFLOAT16, tensors, 0, KERNELS, Workers.NONE),
                tensors -> new ErrorFeedback(
                        new TopKCodec(0.1, false, KERNELS), Residual.BFLOAT16, tensors, 0, KERNELS, Workers.NONE));
    }

    /** Memories that keep every float32 exactly. */
    static Stream<IntFunction<GradientMemory>> wideKinds() {
        return kinds().limit(3);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRestoredMemoryGoesOnBitForBit(IntFunction<GradientMemory> kind) throws Exception {
        try (var original = kind.apply(3);
                var restored = kind.apply(2)) {
            train(original, 5);
            original.forget("c");
            step(restored, "other", 1);
            restored.restore(save(original));
            assertArrayEquals(bytes(save(original)), bytes(save(restored)));
            assertArrayEquals(step(original, "a", 9), step(restored, "a", 9));
            assertArrayEquals(step(original, "b", 10), step(restored, "b", 10));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void anEmptyMemoryAndOneOfEmptyTensorsAreSavedToo(IntFunction<GradientMemory> kind) throws Exception {
        try (var original = kind.apply(1);
                var restored = kind.apply(1)) {
            step(restored, "a", 1);
            restored.restore(save(original));
            assertArrayEquals(bytes(save(original)), bytes(save(restored)));
            original.prepare("empty", arena.allocate(0), 0, arena.allocate(100)).commit();
            restored.restore(save(original));
            assertArrayEquals(bytes(save(original)), bytes(save(restored)));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void cutOrDamagedBytesAreRefusedAndChangeNothing(IntFunction<GradientMemory> kind) throws Exception {
        try (var memory = kind.apply(3)) {
            train(memory, 2);
            byte[] good = bytes(save(memory));
            for (int length = 0; length < good.length; length++) {
                assertRefused(memory, Arrays.copyOf(good, length));
            }
            assertRefused(memory, Arrays.copyOf(good, good.length + 1));
            for (int at = 0; at < good.length; at++) {
                byte[] bad = good.clone();
                bad[at] ^= (byte) (1 << (at % 8));
                assertRefused(memory, bad);
            }
            assertArrayEquals(good, bytes(save(memory)));
        }
    }

    /** An attacker can compute a right checksum, so the fields are checked too. */
    @ParameterizedTest
    @MethodSource("wideKinds")
    void soundChecksumsOverNonsenseAreRefusedOrWholeMemories(IntFunction<GradientMemory> kind) throws Exception {
        var random = new SplittableRandom(31);
        int refused = 0;
        try (var memory = kind.apply(3)) {
            train(memory, 2);
            byte[] good = bytes(save(memory));
            for (int i = 0; i < DAMAGED; i++) {
                int length = random.nextInt(4) == 0 ? random.nextInt(4, good.length + 9) : good.length;
                byte[] bad = Arrays.copyOf(good, length);
                for (int flips = random.nextInt(4); flips > 0; flips--) {
                    bad[random.nextInt(random.nextBoolean() ? bad.length : Math.min(60, bad.length))] =
                            (byte) random.nextInt();
                }
                seal(bad);
                try (var fresh = kind.apply(3)) {
                    fresh.restore(MemorySegment.ofArray(bad));
                    assertArrayEquals(bad, bytes(save(fresh)));
                } catch (MalformedMessageException expected) {
                    refused++;
                }
            }
        }
        assertTrue(refused > DAMAGED / 10, "only " + refused + " refused");
    }

    @Test
    void anotherKindOrMoreTensorsThanAllowedAreRefused() throws Exception {
        try (var feedback = Memories.errorFeedback(new NoneCodec(), 3);
                var small = Memories.errorFeedback(new NoneCodec(), 1);
                var dgc = Memories.dgc(DgcOptions.of(SparsitySchedule.constant(0.1), 0), 3)) {
            train(feedback, 1);
            byte[] saved = bytes(save(feedback));
            assertRefused(small, saved);
            assertRefused(dgc, saved);
        }
    }

    @Test
    void aNegativeNumberOfStepsIsRefused() throws Exception {
        try (var feedback = Memories.errorFeedback(new NoneCodec(), 1)) {
            step(feedback, "a", 1);
            byte[] bad = bytes(save(feedback));
            bad[12 + 4 + 1 + 16 + 7] =
                    Byte.MIN_VALUE; // head, length, name, floats and shape, and the last byte of the steps
            seal(bad);
            String message = assertThrows(
                            MalformedMessageException.class, () -> feedback.restore(MemorySegment.ofArray(bad)))
                    .toString();
            assertTrue(message.contains("steps: out of range"), message);
        }
    }

    @Test
    void aPendingEncodingHasToBeEndedFirst() throws Exception {
        try (var feedback = Memories.errorFeedback(new NoneCodec(), 1)) {
            MemorySegment saved = save(feedback);
            var pending = feedback.prepare("a", arena.allocate(4), 1, arena.allocate(100));
            assertThrows(IllegalStateException.class, feedback::savedBytes);
            assertThrows(IllegalStateException.class, () -> feedback.save(arena.allocate(100)));
            assertThrows(IllegalStateException.class, () -> feedback.restore(saved));
            pending.commit();
            assertThrows(
                    IllegalArgumentException.class, () -> feedback.save(arena.allocate(feedback.savedBytes() - 1)));
            feedback.restore(saved);
        }
    }

    private static void assertRefused(GradientMemory memory, byte[] bad) {
        assertThrows(MalformedMessageException.class, () -> memory.restore(MemorySegment.ofArray(bad)));
    }

    private static void seal(byte[] file) {
        var checksum = new CRC32C();
        checksum.update(file, 0, file.length - 4);
        MemorySegment.ofArray(file).set(Float32.BITS, file.length - 4, (int) checksum.getValue());
    }

    private void train(GradientMemory memory, int steps) throws Exception {
        for (int i = 0; i < steps; i++) {
            for (String key : new String[] {"a", "b", "c"}) {
                step(memory, key, i);
            }
        }
    }

    private byte[] step(GradientMemory memory, String key, int seed) throws Exception {
        var random = new SplittableRandom(seed);
        MemorySegment gradient = arena.allocate(Float32.FLOAT, COUNT);
        for (int i = 0; i < COUNT; i++) {
            gradient.setAtIndex(Float32.FLOAT, i, (float) random.nextGaussian());
        }
        MemorySegment encoded = arena.allocate(memory.encodedBytesMax(COUNT));
        Pending pending = memory.prepare(key, gradient, COUNT, encoded);
        pending.commit();
        return bytes(encoded.asSlice(0, pending.encodedBytes()));
    }

    private MemorySegment save(GradientMemory memory) {
        MemorySegment saved = arena.allocate(memory.savedBytes());
        memory.save(saved);
        return saved;
    }

    private static byte[] bytes(MemorySegment memory) {
        return memory.toArray(ValueLayout.JAVA_BYTE);
    }
}
