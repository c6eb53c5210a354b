package io.hearth.compression;

import static io.hearth.compression.TestKernels.KERNELS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hearth.accel.HalfFloat;
import io.hearth.compression.block.HalfCodec;
import io.hearth.compression.block.LevelCodec;
import io.hearth.compression.block.NoneCodec;
import io.hearth.compression.block.PassDenseCodec;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.compression.sparse.ChunkedTopKCodec;
import io.hearth.compression.sparse.RandomKCodec;
import io.hearth.compression.sparse.TopKCodec;
import io.hearth.core.MalformedMessageException;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of every codec. */
public abstract class CodecContractTest {
    private static final int[] LENGTHS = {0, 1, 2, 3, 7, 8, 9, 255, 256, 257, 1021, 2048, 2049, 10_007};
    private static final float[] NOT_FINITE = {
        Float.NaN, Float.intBitsToFloat(0xff80_0001), Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY
    };

    protected abstract Codec codec();

    /** Whether the codec can encode that finite value. */
    protected boolean inRange(float value) {
        return true;
    }

    /** The values that decoding must give for finite {@code values}, computed in the plainest way. */
    protected abstract float[] oracle(float[] values);

    @ParameterizedTest
    @EnumSource
    void decodingGivesWhatTheOracleSays(Pattern pattern) throws Exception {
        for (int length : LENGTHS) {
            float[] values = pattern.values(length);
            int beyond = firstBeyondRange(values);
            if (beyond < length) {
                assertEquals(
                        beyond,
                        assertThrows(NonFiniteException.class, () -> encoded(values))
                                .index());
                continue;
            }
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
            byte[] encoded = encoded(held(pattern, length));
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
            float[] values = held(pattern, length);
            for (long seed : new long[] {0, 1, -77}) {
                byte[] once = encoded(codec(), seed, values);
                assertArrayEquals(once, encoded(codec(), seed, values));
                assertTrue(once.length <= codec().encodedBytesMax(length));
                assertTrue(!codec().fixedRate() || once.length == codec().encodedBytesMax(length));
            }
            assertArrayEquals(encoded(values), encoded(codec(), 0, values), "seed 0 is the default");
        }
    }

    @ParameterizedTest
    @EnumSource
    void partsMakeUpTheWhole(Pattern pattern) throws Exception {
        if (!(codec() instanceof BlockCodec codec)) {
            return;
        }
        for (int length : LENGTHS) {
            float[] values = held(pattern, length);
            byte[] whole = encoded(codec, 5, values);
            var bodies = new ByteArrayOutputStream();
            try (var arena = Arena.ofConfined()) {
                MemorySegment tensor = arena.allocateFrom(Float32.FLOAT, values);
                MemorySegment twice = arena.allocate(Float32.FLOAT, length);
                long step = (long) codec.block() * 3;
                for (long first = 0; first < length; first += step) {
                    long count = Math.min(step, length - first);
                    MemorySegment part = arena.allocate(codec.encodedBytesMax(count));
                    assertEquals(part.byteSize(), codec.encodePart(tensor, first, count, 5, part));
                    bodies.write(part.asSlice(Header.BYTES).toArray(ValueLayout.JAVA_BYTE));
                    codec.decodePart(part, twice, first, count);
                    codec.decodePartAndAdd(part, twice, first, count);
                }
                assertArrayEquals(Arrays.copyOfRange(whole, Header.BYTES, whole.length), bodies.toByteArray());
                float[] expected = decoded(whole, length);
                for (int i = 0; i < length; i++) {
                    expected[i] += expected[i];
                }
                assertBitsEqual(expected, twice.toArray(Float32.FLOAT), pattern + " in parts of " + length);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void partsWithResidualsMakeUpTheWhole(Pattern pattern) throws Exception {
        if (!(codec() instanceof BlockCodec codec)) {
            return;
        }
        for (int length : LENGTHS) {
            try (var arena = Arena.ofConfined()) {
                MemorySegment gradient = arena.allocateFrom(Float32.FLOAT, held(pattern, length));
                MemorySegment residual = arena.allocateFrom(Float32.FLOAT, Pattern.FEW_LEVELS.values(length));
                MemorySegment left = arena.allocate(Float32.FLOAT, length);
                MemorySegment whole = arena.allocate(codec.encodedBytesMax(length));
                codec.encodeWithResidual(gradient, residual, left, length, 5, whole);
                var bodies = new ByteArrayOutputStream();
                MemorySegment leftInParts = Canaries.around(arena, length);
                long step = (long) codec.block() * 3;
                for (long first = 0; first < length; first += step) {
                    long count = Math.min(step, length - first);
                    MemorySegment part = arena.allocate(codec.encodedBytesMax(count));
                    long bytes = codec.encodePartWithResidual(
                            gradient, residual, Canaries.inside(leftInParts), first, count, 5, part);
                    assertEquals(part.byteSize(), bytes);
                    bodies.write(part.asSlice(Header.BYTES).toArray(ValueLayout.JAVA_BYTE));
                }
                assertArrayEquals(whole.asSlice(Header.BYTES).toArray(ValueLayout.JAVA_BYTE), bodies.toByteArray());
                float[] expected = left.toArray(Float32.FLOAT);
                assertBitsEqual(expected, Canaries.inside(leftInParts).toArray(Float32.FLOAT), pattern + " left");
                Canaries.assertAlive(leftInParts);
            }
        }
    }

    @Test
    void partsThatDoNotFitAreTheCallersMistake() {
        if (!(codec() instanceof BlockCodec codec)) {
            return;
        }
        int block = codec.block();
        try (var arena = Arena.ofConfined()) {
            MemorySegment tensor = arena.allocate(Float32.FLOAT, 2L * block);
            MemorySegment ample = arena.allocate(100 + 8L * block);
            for (long[] part : new long[][] {{-block, block}, {0, 2 * block + 1}, {block, block + 1}, {0, -1}}) {
                assertThrows(
                        IllegalArgumentException.class, () -> codec.encodePart(tensor, part[0], part[1], 0, ample));
                assertThrows(IllegalArgumentException.class, () -> codec.decodePart(ample, tensor, part[0], part[1]));
                assertThrows(
                        IllegalArgumentException.class,
                        () -> codec.encodePartWithResidual(tensor, tensor, tensor, part[0], part[1], 0, ample));
            }
            if (block > 1) {
                assertThrows(IllegalArgumentException.class, () -> codec.encodePart(tensor, 1, 1, 0, ample));
            }
        }
    }

    @Test
    void aPartNamesWhatIsNotFiniteByItsPlaceInTheTensor() {
        if (!(codec() instanceof BlockCodec codec) || codec.carriesNonFinite()) {
            return;
        }
        int block = codec.block();
        try (var arena = Arena.ofConfined()) {
            MemorySegment tensor = arena.allocate(Float32.FLOAT, 2L * block);
            tensor.setAtIndex(Float32.FLOAT, block + 2, Float.NaN);
            MemorySegment room = arena.allocate(codec.encodedBytesMax(block));
            var refusal = assertThrows(NonFiniteException.class, () -> codec.encodePart(tensor, block, block, 0, room));
            assertEquals(block + 2, refusal.index());
            assertTrue(refusal.toString().contains("value " + (block + 2) + " is NaN"), refusal.toString());
            MemorySegment residual = arena.allocate(Float32.FLOAT, 2L * block);
            MemorySegment left = arena.allocate(Float32.FLOAT, 2L * block);
            var residuals = assertThrows(
                    NonFiniteException.class,
                    () -> codec.encodePartWithResidual(tensor, residual, left, block, block, 0, room));
            assertEquals(block + 2, residuals.index());
        }
    }

    @ParameterizedTest
    @EnumSource
    void encodingWithAResidualEncodesTheSumAndGivesTheNextResidual(Pattern pattern) throws Exception {
        for (int length : LENGTHS) {
            float[] gradient = held(pattern, length);
            float[] residual = Pattern.FEW_LEVELS.values(length);
            float[] sum = new float[length];
            for (int i = 0; i < length; i++) {
                sum[i] = gradient[i] + residual[i];
            }
            byte[] expected = encoded(codec(), 9, sum);
            float[] decoded = decoded(expected, length);
            try (var arena = Arena.ofConfined()) {
                MemorySegment gradients = arena.allocateFrom(Float32.FLOAT, gradient);
                MemorySegment residualMemory = arena.allocateFrom(Float32.FLOAT, residual);
                MemorySegment left = Canaries.around(arena, length);
                MemorySegment room = arena.allocate(codec().encodedBytesMax(length));
                long bytes =
                        codec().encodeWithResidual(gradients, residualMemory, Canaries.inside(left), length, 9, room);
                assertArrayEquals(expected, room.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE));
                assertBitsEqual(gradient, gradients.toArray(Float32.FLOAT), "the gradient is only borrowed");
                assertBitsEqual(residual, residualMemory.toArray(Float32.FLOAT), "the residual is only borrowed");
                Canaries.assertAlive(left);
                for (int i = 0; i < length; i++) {
                    assertEquals(
                            sum[i] - decoded[i],
                            Canaries.inside(left).getAtIndex(Float32.FLOAT, i),
                            pattern + " at " + i);
                }
                MemorySegment plainLeft = arena.allocate(Float32.FLOAT, length);
                assertEquals(bytes, Residuals.encode(codec(), gradients, residualMemory, plainLeft, length, 9, room));
                for (int i = 0; i < length; i++) {
                    assertEquals(
                            Canaries.inside(left).getAtIndex(Float32.FLOAT, i) + 0f,
                            plainLeft.getAtIndex(Float32.FLOAT, i) + 0f,
                            pattern + " the plain way at " + i);
                }
            }
        }
    }

    @Test
    void nothingIsLeftOfWhatIsNotFiniteAndCarried() throws Exception {
        if (!codec().carriesNonFinite()) {
            return;
        }
        float[] gradient = {1, Float.NaN, Float.NEGATIVE_INFINITY, 0.3f};
        try (var arena = Arena.ofConfined()) {
            MemorySegment left = arena.allocate(Float32.FLOAT, 4);
            codec().encodeWithResidual(
                            arena.allocateFrom(Float32.FLOAT, gradient),
                            arena.allocate(Float32.FLOAT, 4),
                            left,
                            4,
                            0,
                            arena.allocate(codec().encodedBytesMax(4)));
            assertEquals(0, left.getAtIndex(Float32.FLOAT, 1));
            assertEquals(0, left.getAtIndex(Float32.FLOAT, 2));
            assertTrue(Float.isFinite(left.getAtIndex(Float32.FLOAT, 3)));
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
                if (codec().carriesNonFinite()) {
                    float[] decoded = decoded(encoded(values), length);
                    for (int i : new int[] {index, length - 1}) {
                        assertEquals(values[i], decoded[i], "value " + i + " of " + length);
                    }
                    if (codec().lossless()) {
                        assertBitsEqual(values, decoded, "length " + length);
                    }
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
            new NoneCodec(),
            new HalfCodec(HalfFloat.BINARY16, KERNELS),
            new HalfCodec(HalfFloat.BFLOAT16, KERNELS),
            new LevelCodec(8, 256, false, KERNELS),
            new LevelCodec(8, 64, false, KERNELS),
            new LevelCodec(4, 64, false, KERNELS),
            new LevelCodec(4, 128, false, KERNELS),
            new TopKCodec(0.01, false, KERNELS),
            new TopKCodec(0.5, false, KERNELS),
            new RandomKCodec(0.05, KERNELS),
            new ChunkedTopKCodec(0.05, 1024, 4, KERNELS)
        };
        float[] values = Pattern.NORMAL.values(700);
        byte[] own = encoded(values);
        int refused = 0;
        for (Codec other : others) {
            byte[] theirs = encoded(other, 0, values);
            boolean mayBeOwn = codec() instanceof PassDenseCodec && other instanceof NoneCodec;
            if (!mayBeOwn && (own[0] != theirs[0] || own.length != theirs.length)) {
                assertThrows(MalformedMessageException.class, () -> decoded(theirs, 700), other.name());
                refused++;
            }
        }
        assertTrue(refused >= 8, "only " + refused + " refused");
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

    @Test
    void mutatedAndRandomBytesNeverEscape() throws Exception {
        new CodecFuzz(codec()).run();
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

    /** The pattern's values; those beyond the codec's range are made small. */
    private float[] held(Pattern pattern, int length) {
        float[] values = pattern.values(length);
        for (int i = 0; i < length; i++) {
            values[i] = inRange(values[i]) ? values[i] : Math.copySign(3, values[i]);
        }
        return values;
    }

    private int firstBeyondRange(float[] values) {
        int i = 0;
        while (i < values.length && inRange(values[i])) {
            i++;
        }
        return i;
    }

    protected final byte[] encoded(float... values) throws NonFiniteException {
        return encoded(codec(), 0, values);
    }

    public static byte[] encoded(Codec codec, long seed, float... values) throws NonFiniteException {
        try (var arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(Float32.FLOAT, values);
            MemorySegment room = arena.allocate(codec.encodedBytesMax(values.length) + 1);
            room.fill((byte) 0x5a);
            long bytes = codec.encode(memory, values.length, seed, room.asSlice(0, room.byteSize() - 1));
            assertEquals(0x5a, room.get(ValueLayout.JAVA_BYTE, room.byteSize() - 1));
            assertBitsEqual(values, memory.toArray(Float32.FLOAT), "the encoded values are only borrowed");
            return room.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    protected final float[] decoded(byte[] encoded, int count) throws MalformedMessageException {
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

    public static void assertBitsEqual(float[] expected, float[] actual, String what) {
        assertEquals(expected.length, actual.length, what);
        for (int i = 0; i < expected.length; i++) {
            if (Float.floatToRawIntBits(expected[i]) != Float.floatToRawIntBits(actual[i])) {
                fail(what + " at " + i + ": expected " + expected[i] + ", got " + actual[i]);
            }
        }
    }
}
