package io.hearth.compression;

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
import org.junit.jupiter.params.provider.EnumSource;

/** What every codec must do. */
abstract class CodecContractTest {
    private static final int[] LENGTHS = {0, 1, 2, 3, 7, 8, 9, 255, 256, 257, 1021, 2048, 2049, 10_007};
    private static final int FUZZED = 200_000;
    private static final float[] NOT_FINITE = {
        Float.NaN, Float.intBitsToFloat(0xff80_0001), Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY
    };

    /** Fillings that codecs go wrong on. */
    enum Pattern {
        ZERO {
            @Override
            float value(SplittableRandom random, int i) {
                return i % 2 == 0 ? 0f : -0f;
            }
        },
        ALL_EQUAL {
            @Override
            float value(SplittableRandom random, int i) {
                return -3.7f;
            }
        },
        NORMAL {
            @Override
            float value(SplittableRandom random, int i) {
                return (float) random.nextGaussian();
            }
        },
        SUBNORMAL {
            @Override
            float value(SplittableRandom random, int i) {
                return Float.intBitsToFloat(random.nextInt(400) | random.nextInt(2) << 31);
            }
        },
        LARGEST {
            @Override
            float value(SplittableRandom random, int i) {
                return random.nextInt(5) == 0 ? -Float.MAX_VALUE : Float.MAX_VALUE;
            }
        },
        FEW_LEVELS {
            @Override
            float value(SplittableRandom random, int i) {
                return random.nextInt(-2, 3) * 0.5f;
            }
        },
        ANY_FINITE_BITS {
            @Override
            float value(SplittableRandom random, int i) {
                float value = Float.intBitsToFloat(random.nextInt());
                return Float.isFinite(value) ? value : 1f;
            }
        };

        abstract float value(SplittableRandom random, int i);

        final float[] values(int length) {
            var random = new SplittableRandom(length);
            float[] values = new float[length];
            for (int i = 0; i < length; i++) {
                values[i] = value(random, i);
            }
            return values;
        }
    }

    abstract Codec codec();

    /** What decoding must give back for finite {@code values}, by the plainest way to say it. */
    abstract float[] oracle(float[] values);

    @ParameterizedTest
    @EnumSource
    void decodingGivesWhatTheOracleSays(Pattern pattern) throws Exception {
        for (int length : LENGTHS) {
            float[] values = pattern.values(length);
            float[] decoded = decoded(encoded(values), length);
            assertBitsEqual(oracle(values), decoded, pattern + " of " + length);
            for (float value : decoded) {
                assertTrue(Float.isFinite(value), () -> pattern + " of " + length + " became " + value);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void decodeAndAddIsDecodeThenAdd(Pattern pattern) throws Exception {
        for (int length : LENGTHS) {
            byte[] encoded = encoded(pattern.values(length));
            float[] added = decoded(encoded, length);
            for (Pattern held : Pattern.values()) {
                float[] sum = held.values(length);
                for (int i = 0; i < length; i++) {
                    sum[i] += added[i];
                }
                assertBitsEqual(sum, addedTo(held.values(length), encoded), pattern + " to " + held + " of " + length);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void encodingIsPureAndFitsItsBound(Pattern pattern) throws Exception {
        for (int length : LENGTHS) {
            float[] values = pattern.values(length);
            byte[] once = encoded(values);
            assertArrayEquals(once, encoded(values));
            assertTrue(once.length <= codec().encodedBytesMax(length));
        }
    }

    @Test
    void whatIsNotFiniteIsCarriedOrNamed() throws Exception {
        for (int length : new int[] {1, 7, 300, 5000}) {
            for (float bad : NOT_FINITE) {
                float[] values = Pattern.NORMAL.values(length);
                int index = length * 2 / 3;
                values[index] = bad;
                values[length - 1] = bad;
                if (codec().lossless()) {
                    assertBitsEqual(values, decoded(encoded(values), length), "length " + length);
                } else {
                    var refusal = assertThrows(NonFiniteException.class, () -> encoded(values));
                    assertEquals(index, refusal.index());
                    assertEquals(Float.floatToRawIntBits(bad), Float.floatToRawIntBits(refusal.value()));
                    assertTrue(refusal.toString().contains("value " + index + " is " + bad), refusal.toString());
                }
            }
        }
    }

    @Test
    void anotherCodecsBytesAreRefused() throws Exception {
        Codec[] others = {
            new NoneCodec(), new Int8Codec(256), new Int8Codec(64), new TopKCodec(0.01), new TopKCodec(0.5)
        };
        float[] values = Pattern.NORMAL.values(700);
        byte[] own = encoded(values);
        int refused = 0;
        for (Codec other : others) {
            byte[] theirs = encoded(other, values);
            if (!Arrays.equals(own, theirs)) {
                assertThrows(MalformedMessageException.class, () -> decoded(theirs, 700), other.name());
                refused++;
            }
        }
        assertTrue(refused >= 4, "only " + refused + " refused");
    }

    @Test
    void anotherCountCutOrLongerBytesAreRefused() throws Exception {
        byte[] encoded = encoded(Pattern.NORMAL.values(300));
        assertThrows(MalformedMessageException.class, () -> decoded(encoded, 299));
        assertThrows(MalformedMessageException.class, () -> decoded(encoded, 301));
        assertThrows(MalformedMessageException.class, () -> decoded(encoded, 0));
        assertThrows(MalformedMessageException.class, () -> decoded(Arrays.copyOf(encoded, encoded.length + 1), 300));
        for (int length = 0; length < encoded.length; length++) {
            byte[] cut = Arrays.copyOf(encoded, length);
            assertThrows(MalformedMessageException.class, () -> decoded(cut, 300), "cut to " + length);
        }
    }

    @Test
    void everyByteOfTheHeaderCounts() throws Exception {
        byte[] encoded = encoded(Pattern.NORMAL.values(5));
        for (int at = 0; at < Header.BYTES; at++) {
            byte[] bad = encoded.clone();
            bad[at] ^= 1;
            assertThrows(MalformedMessageException.class, () -> decoded(bad, 5), "byte " + at);
        }
    }

    @Test
    void refusedBytesAddNothing() throws Exception {
        byte[] encoded = encoded(Pattern.NORMAL.values(300));
        byte[] cut = Arrays.copyOf(encoded, encoded.length - 1);
        float[] held = Pattern.NORMAL.values(300);
        try (var arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocateFrom(Float32.FLOAT, held);
            assertThrows(
                    MalformedMessageException.class,
                    () -> codec().decodeAndAdd(MemorySegment.ofArray(cut), values, 300));
            assertBitsEqual(held, values.toArray(Float32.FLOAT), "after a refusal");
        }
    }

    /** Whatever the bytes: finite values within bounds or a typed refusal, never anything else. */
    @Test
    void mutatedEncodingsNeverEscape() throws Exception {
        var random = new SplittableRandom(23);
        byte[][] good = new byte[41][];
        for (int count = 0; count < good.length; count++) {
            good[count] = encoded(Pattern.FEW_LEVELS.values(count));
        }
        int refused = 0;
        try (var arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate(Float32.FLOAT, good.length);
            for (int i = 0; i < FUZZED; i++) {
                int count = random.nextInt(good.length);
                MemorySegment bytes = MemorySegment.ofArray(mutated(good[count], random));
                MemorySegment room = values.asSlice(0, (long) count * Float.BYTES);
                try {
                    codec().decode(bytes, room, count);
                    codec().decodeAndAdd(bytes, room, count);
                } catch (MalformedMessageException expected) {
                    refused++;
                }
                assertNoNanUnlessLossless(room, i);
                room.fill((byte) 0);
            }
        }
        assertTrue(refused > FUZZED / 10, "only " + refused + " of " + FUZZED + " mutations were refused");
    }

    @Test
    void tooLittleRoomIsTheCallersMistake() {
        Codec codec = codec();
        try (var arena = Arena.ofConfined()) {
            MemorySegment ten = arena.allocate(Float32.FLOAT, 10);
            MemorySegment ample = arena.allocate(1000);
            MemorySegment tight = arena.allocate(codec.encodedBytesMax(10) - 1);
            assertThrows(IllegalArgumentException.class, () -> codec.encode(ten, 11, ample));
            assertThrows(IllegalArgumentException.class, () -> codec.encode(ten, -1, ample));
            assertThrows(IllegalArgumentException.class, () -> codec.encode(ten, 10, tight));
            assertThrows(IllegalArgumentException.class, () -> codec.decode(ample, ten, 11));
            assertThrows(IllegalArgumentException.class, () -> codec.decodeAndAdd(ample, ten, 11));
        }
    }

    private static byte[] mutated(byte[] good, SplittableRandom random) {
        int length = random.nextInt(4) == 0 ? random.nextInt(good.length + 8) : good.length;
        byte[] bytes = Arrays.copyOf(good, length);
        for (int flips = random.nextInt(5); flips > 0 && length > 0; flips--) {
            // Most of the time behind the header, where there is something to decide.
            int from = length > Header.BYTES && random.nextInt(8) > 0 ? Header.BYTES : 0;
            int at = random.nextInt(from, length);
            bytes[at] = random.nextBoolean() ? (byte) random.nextInt() : (byte) (bytes[at] ^ 1 << random.nextInt(8));
        }
        return bytes;
    }

    private void assertNoNanUnlessLossless(MemorySegment values, int input) {
        for (long at = 0; at < values.byteSize() && !codec().lossless(); at += Float.BYTES) {
            if (Float.isNaN(values.get(Float32.FLOAT, at))) {
                fail("NaN from input " + input);
            }
        }
    }

    final byte[] encoded(float... values) throws NonFiniteException {
        return encoded(codec(), values);
    }

    private static byte[] encoded(Codec codec, float... values) throws NonFiniteException {
        try (var arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(Float32.FLOAT, values);
            MemorySegment room = arena.allocate(codec.encodedBytesMax(values.length) + 1);
            room.fill((byte) 0x5a);
            long bytes = codec.encode(memory, values.length, room.asSlice(0, room.byteSize() - 1));
            assertEquals(0x5a, room.get(ValueLayout.JAVA_BYTE, room.byteSize() - 1));
            assertBitsEqual(values, memory.toArray(Float32.FLOAT), "what is encoded is only borrowed");
            return room.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    final float[] decoded(byte[] encoded, int count) throws MalformedMessageException {
        try (var arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate(Float32.FLOAT, count);
            values.fill((byte) 0x77);
            codec().decode(MemorySegment.ofArray(encoded), values, count);
            return values.toArray(Float32.FLOAT);
        }
    }

    private float[] addedTo(float[] held, byte[] encoded) throws MalformedMessageException {
        try (var arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocateFrom(Float32.FLOAT, held);
            MemorySegment copy = arena.allocateFrom(ValueLayout.JAVA_BYTE, encoded);
            codec().decodeAndAdd(copy, values, held.length);
            return values.toArray(Float32.FLOAT);
        }
    }

    static void assertBitsEqual(float[] expected, float[] actual, String what) {
        assertEquals(expected.length, actual.length, what);
        for (int i = 0; i < expected.length; i++) {
            if (Float.floatToRawIntBits(expected[i]) != Float.floatToRawIntBits(actual[i])) {
                fail(what + " at " + i + ": expected " + expected[i] + ", got " + actual[i]);
            }
        }
    }
}
