package io.hearth.compression;

import static io.hearth.compression.CodecContractTest.assertBitsEqual;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class SparseSumTest {
    private static final int FUZZED = 30_000;
    private static final MemorySegment CANARIES =
            MemorySegment.ofArray(new byte[1024]).fill((byte) 0x3c);

    @Test
    void aMergeHoldsTheSumAndTheFewerBytes() throws Exception {
        var random = new SplittableRandom(3);
        int dense = 0;
        for (int i = 0; i < 3000; i++) {
            int count = random.nextInt(1, 400);
            float[] left = sparse(random, count);
            float[] right = sparse(random, count);
            byte[] merged = merge(encoded(left), encoded(right), count);
            float[] sum = new float[count];
            for (int j = 0; j < count; j++) {
                sum[j] = left[j] + right[j];
            }
            assertBitsEqual(sum, decoded(merged, count), "merge " + i);
            int keptInEither = 0;
            for (int j = 0; j < count; j++) {
                keptInEither += left[j] != 0 || right[j] != 0 ? 1 : 0;
            }
            long bytes = Sparse.bytesMax(count, keptInEither);
            assertTrue(merged.length <= SparseSum.encodedBytesMax(count));
            if (merged[0] == Header.NONE) {
                dense++;
                assertTrue(bytes >= SparseSum.encodedBytesMax(count), "dense although sparse is smaller");
            } else {
                assertTrue(merged.length <= bytes, "sparse, but longer than its kept values need");
            }
        }
        assertTrue(dense > 300 && dense < 2700, dense + " of 3000 merges became dense");
    }

    @Test
    void mergingIsAssociativeEnoughToAddManyAndDenseStaysDense() throws Exception {
        var random = new SplittableRandom(4);
        int count = 300;
        float[] sum = new float[count];
        byte[] merged = encoded(sum);
        for (int i = 0; i < 40; i++) {
            float[] next = sparse(random, count);
            for (int j = 0; j < count; j++) {
                sum[j] += next[j];
            }
            merged = i % 2 == 0 ? merge(merged, encoded(next), count) : merge(encoded(next), merged, count);
        }
        assertEquals(Header.NONE, merged[0]);
        assertBitsEqual(sum, decoded(merged, count), "forty");
    }

    @Test
    void aSumThatOverflowsArrivesAsInfinity() throws Exception {
        float[] large = new float[100];
        large[7] = Float.MAX_VALUE;
        byte[] merged = merge(encoded(large), encoded(large), 100);
        assertEquals(Header.NONE, merged[0]);
        assertEquals(Float.POSITIVE_INFINITY, decoded(merged, 100)[7]);
    }

    @Test
    void emptyAndSingleTensorsMerge() throws Exception {
        assertEquals(0, decoded(merge(encoded(), encoded(), 0), 0).length);
        assertArrayEquals(new float[] {3}, decoded(merge(encoded(1), encoded(2), 1), 1));
    }

    @Test
    void unsortedRepeatedOrDistantIndicesCannotBeWritten() throws Exception {
        // Gaps are left-outs since the one before: what can go wrong is their end, their length and their count.
        byte[] good = encoded(0, 1, 0, 2);
        byte[] beyond = good.clone();
        beyond[beyond.length - 1] = 2;
        assertRefused(beyond, 4, "beyond value 4");
        byte[] tooMany = good.clone();
        tooMany[Header.BYTES] = 5;
        assertRefused(tooMany, 4, "5 of 4 values");
        byte[] negative = good.clone();
        negative[Header.BYTES + 7] = -1;
        assertRefused(negative, 4, "does not fit");
        assertRefused(Arrays.copyOf(good, Header.BYTES + 3), 4, "ends before");
        byte[] nan = good.clone();
        nan[Header.BYTES + 10] = (byte) 0xc0;
        nan[Header.BYTES + 11] = 0x7f;
        assertRefused(nan, 4, "kept value 0 is NaN");
    }

    private static void assertRefused(byte[] bad, int count, String about) throws Exception {
        String message = assertThrows(MalformedMessageException.class, () -> decoded(bad, count))
                .toString();
        assertTrue(message.contains(about), message);
        byte[] good = encoded(new float[count]);
        assertThrows(MalformedMessageException.class, () -> merge(good, bad, count));
        assertThrows(MalformedMessageException.class, () -> merge(bad, good, count));
    }

    @Test
    void mutatedInputsNeverEscape() throws Exception {
        var random = new SplittableRandom(8);
        int refused = 0;
        try (var arena = Arena.ofConfined()) {
            MemorySegment ample = arena.allocate(1024);
            for (int i = 0; i < FUZZED; i++) {
                int count = random.nextInt(1, 60);
                byte[] left = encoded(sparse(random, count));
                byte[] right = mutated(encoded(sparse(random, count)), random);
                long room = SparseSum.encodedBytesMax(count);
                ample.fill((byte) 0x3c);
                try {
                    MemorySegment merged = ample.asSlice(64, room);
                    long bytes =
                            SparseSum.merge(MemorySegment.ofArray(left), MemorySegment.ofArray(right), count, merged);
                    decoded(merged.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE), count);
                } catch (MalformedMessageException expected) {
                    refused++;
                    assertUntouched(ample, 64, room);
                }
                assertUntouched(ample, 0, 64);
                assertUntouched(ample, 64 + room, 64);
            }
        }
        assertTrue(refused > FUZZED / 10 && refused < FUZZED * 9 / 10, refused + " refused");
    }

    private static void assertUntouched(MemorySegment memory, long from, long bytes) {
        long touched = MemorySegment.mismatch(memory, from, from + bytes, CANARIES, 0, bytes);
        if (touched >= 0) {
            fail("byte " + (from + touched) + " was written");
        }
    }

    private static byte[] mutated(byte[] good, SplittableRandom random) {
        byte[] bytes = Arrays.copyOf(good, random.nextInt(6) == 0 ? random.nextInt(good.length + 4) : good.length);
        for (int flips = random.nextInt(4); flips > 0 && bytes.length > 0; flips--) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return bytes;
    }

    /** Few or many values, some of them equal in both. */
    private static float[] sparse(SplittableRandom random, int count) {
        float[] values = new float[count];
        int kept = random.nextInt(4) == 0 ? 3 * count : random.nextInt(1 + count / 4);
        for (int i = 0; i < kept; i++) {
            values[random.nextInt(count)] = random.nextInt(1, 9) * (random.nextBoolean() ? 0.5f : -0.5f);
        }
        return values;
    }

    /** All values that are not 0. */
    private static byte[] encoded(float... values) {
        try (var arena = Arena.ofConfined()) {
            MemorySegment room = arena.allocate(Sparse.bytesMax(values.length, values.length));
            var writer = new Sparse.Writer(room, values.length, values.length);
            for (int i = 0; i < values.length; i++) {
                if (values[i] != 0) {
                    writer.add(i, Float.floatToRawIntBits(values[i]));
                }
            }
            return room.asSlice(0, writer.finish()).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static byte[] merge(byte[] left, byte[] right, int count) throws MalformedMessageException {
        try (var arena = Arena.ofConfined()) {
            MemorySegment merged = arena.allocate(SparseSum.encodedBytesMax(count));
            long bytes = SparseSum.merge(MemorySegment.ofArray(left), MemorySegment.ofArray(right), count, merged);
            return merged.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static float[] decoded(byte[] encoded, int count) throws MalformedMessageException {
        try (var arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate(Float32.FLOAT, count);
            SparseSum.decode(MemorySegment.ofArray(encoded), values, count);
            MemorySegment added = arena.allocate(Float32.FLOAT, count);
            SparseSum.decodeAndAdd(MemorySegment.ofArray(encoded), added, count);
            for (int i = 0; i < count; i++) {
                float value = values.getAtIndex(Float32.FLOAT, i);
                assertEquals(value + 0f, added.getAtIndex(Float32.FLOAT, i));
            }
            return values.toArray(Float32.FLOAT);
        }
    }
}
