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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
            byte[] merged = merge(encoded(i % 2 == 0, left), encoded(i % 3 == 0, right), count);
            float[] sum = new float[count];
            for (int j = 0; j < count; j++) {
                sum[j] = left[j] + right[j];
            }
            assertBitsEqual(sum, decoded(merged, count), "merge " + i);
            int keptInEither = 0;
            for (int j = 0; j < count; j++) {
                keptInEither += left[j] != 0 || right[j] != 0 ? 1 : 0;
            }
            long bytes = Sparse.bytesMax(count, keptInEither, true);
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
        byte[] merged = merge(encoded(true, large), encoded(large), 100);
        assertEquals(Header.NONE, merged[0]);
        assertEquals(Float.POSITIVE_INFINITY, decoded(merged, 100)[7]);
    }

    /** 1 and 2^-20 and their sum: 16 bits would lose the small one. */
    @Test
    void aSumIsNotRoundedAgain() throws Exception {
        float[] one = new float[100];
        one[7] = 1;
        float[] small = new float[100];
        small[7] = 0x1p-20f;
        byte[] merged = merge(encoded(one), encoded(small), 100);
        assertEquals(Header.SPARSE, merged[0]);
        assertEquals(1 + 0x1p-20f, decoded(merged, 100)[7]);
    }

    @Test
    void emptyAndSingleTensorsMerge() throws Exception {
        assertEquals(0, decoded(merge(encoded(), encoded(), 0), 0).length);
        assertArrayEquals(new float[] {3}, decoded(merge(encoded(1), encoded(2), 1), 1));
    }

    /** Gaps are left-outs since the one before: what can go wrong is their end, their length, their form and their count. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatNoEncoderWritesIsRefused(boolean full) throws Exception {
        byte[] good = encoded(full, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0);
        assertEquals(2, good[Header.BYTES], "values kept");
        byte[] beyond = good.clone();
        beyond[beyond.length - 1] = (byte) 0x80;
        assertRefused(beyond, 10, "has no end");
        byte[] tooMany = good.clone();
        tooMany[Header.BYTES] = 11;
        assertRefused(tooMany, 10, "11 of 10 values");
        byte[] fewer = good.clone();
        fewer[Header.BYTES] = 1;
        assertRefused(fewer, 10, "have the parameter");
        byte[] negative = good.clone();
        negative[Header.BYTES + 7] = -1;
        assertRefused(negative, 10, "does not fit");
        byte[] left = good.clone();
        left[left.length - 1] |= (byte) 0x80;
        assertRefused(left, 10, "after the last gap");
        assertRefused(Arrays.copyOf(good, good.length + 1), 10, "after the last gap");
        byte[] otherBits = good.clone();
        otherBits[Header.BYTES - Long.BYTES - Integer.BYTES] = 17;
        assertRefused(otherBits, 10, "have the parameter");
        byte[] otherCode = good.clone();
        otherCode[Header.BYTES - Long.BYTES - Integer.BYTES + 1]++;
        assertRefused(otherCode, 10, "have the parameter");
        assertRefused(Arrays.copyOf(good, Header.BYTES + 3), 10, "ends before");
        byte[] nan = good.clone();
        int first = Header.BYTES + Long.BYTES + (full ? 0 : Short.BYTES);
        Arrays.fill(nan, first, first + (full ? 4 : 2), (byte) 0x7f);
        nan[first + 2] |= (byte) (full ? 0x80 : 0);
        assertRefused(nan, 10, "kept value 0 is NaN");
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
                byte[] left = encoded(random.nextBoolean(), sparse(random, count));
                byte[] right = mutated(encoded(random.nextBoolean(), sparse(random, count)), random);
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

    private static byte[] encoded(float... values) {
        return encoded(false, values);
    }

    /** All values that are not 0. */
    private static byte[] encoded(boolean full, float... values) {
        int kept = 0;
        int largest = 0;
        for (float value : values) {
            kept += value != 0 ? 1 : 0;
            largest = Math.max(largest, Float.floatToRawIntBits(Math.abs(value)));
        }
        try (var arena = Arena.ofConfined()) {
            MemorySegment room = arena.allocate(Sparse.bytesMax(values.length, kept, full));
            var writer = new Sparse.Writer(room, values.length, kept, full, largest);
            for (int i = 0; i < values.length; i++) {
                if (values[i] != 0) {
                    writer.add(i, values[i]);
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
