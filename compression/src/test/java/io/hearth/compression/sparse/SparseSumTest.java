package io.hearth.compression.sparse;

import static io.hearth.compression.CodecContractTest.assertBitsEqual;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hearth.compression.CodecContractTest;
import io.hearth.compression.Workers;
import io.hearth.compression.block.NoneCodec;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SparseSumTest {
    private static final int FUZZED = 30_000;
    private static final MemorySegment CANARIES =
            MemorySegment.ofArray(new byte[1024]).fill((byte) 0x3c);

    @Test
    void allAddedAreTheSumInTheirOrder() throws Exception {
        var random = new SplittableRandom(3);
        for (int i = 0; i < 1000; i++) {
            int count = random.nextInt(1, 400);
            var encodings = new ArrayList<byte[]>();
            float[] sum = new float[count];
            for (int contributor = 0; contributor < 1 + i % 5; contributor++) {
                float[] next = sparse(random, count);
                encodings.add(
                        contributor == 2
                                ? CodecContractTest.encoded(new NoneCodec(), 0, next)
                                : encoded(i % 2 == 0, next));
                for (int j = 0; j < count; j++) {
                    sum[j] += next[j] / 4;
                }
            }
            assertBitsEqual(sum, all(4, count, encodings.toArray(byte[][]::new)), "sum " + i);
        }
    }

    @Test
    void aSumThatOverflowsArrivesAsInfinity() throws Exception {
        float[] large = new float[100];
        large[7] = Float.MAX_VALUE;
        assertEquals(Float.POSITIVE_INFINITY, all(1, 100, encoded(true, large), encoded(true, large))[7]);
    }

    /** 1, 2^-20 and their sum: 16 bits would lose the small value. */
    @Test
    void aSumIsNotRoundedAgain() throws Exception {
        float[] one = new float[100];
        one[7] = 1;
        float[] small = new float[100];
        small[7] = 0x1p-20f;
        assertEquals(1 + 0x1p-20f, all(1, 100, encoded(one), encoded(small))[7]);
    }

    @Test
    void emptyAndSingleTensorsAdd() throws Exception {
        assertEquals(0, all(1, 0, encoded(), encoded()).length);
        assertArrayEquals(new float[] {3}, all(1, 1, encoded(1), encoded(2)));
    }

    /** Gaps may be malformed in their end, their length, their form and their number. */
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
        assertThrows(MalformedMessageException.class, () -> all(1, count, good, bad));
        assertThrows(MalformedMessageException.class, () -> all(1, count, bad, good));
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
                long room = (long) count * Float.BYTES;
                ample.fill((byte) 0x3c);
                try {
                    SparseSum.decodeAll(
                            Workers.NONE,
                            List.of(MemorySegment.ofArray(left), MemorySegment.ofArray(right)),
                            2,
                            ample.asSlice(64, room),
                            count);
                    decoded(right, count);
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

    /** Few or many values, some with the same indices in both. */
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

    private static float[] all(int divisor, int count, byte[]... encodings) throws MalformedMessageException {
        try (var arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate(Float32.FLOAT, count);
            SparseSum.decodeAll(
                    Workers.NONE,
                    Stream.of(encodings).map(MemorySegment::ofArray).toList(),
                    divisor,
                    values,
                    count);
            return values.toArray(Float32.FLOAT);
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
