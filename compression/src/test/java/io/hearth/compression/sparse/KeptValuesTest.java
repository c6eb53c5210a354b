package io.hearth.compression.sparse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.format.Float32;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KeptValuesTest {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Tensors whose largest value lies in each octave of float32. */
    @Test
    void elevenBitsOfAllValuesWhateverTheirSizeAndNoneBecomesInfinite() throws Exception {
        var random = new SplittableRandom(5);
        for (int octave = -149; octave <= 127; octave++) {
            float[] values = new float[64];
            for (int i = 0; i < values.length; i++) {
                values[i] = (float) Math.scalb(random.nextDouble(-1, 1), octave + 1 - (i < 32 ? 0 : i));
            }
            values[7] = (float) Math.scalb(1 + random.nextDouble(), octave);
            values[8] = -Math.min(Float.MAX_VALUE, Math.nextDown(Math.scalb(1f, octave) * 2));
            float[] expected = HalfOracle.kept(values);
            float[] said = new float[values.length];
            float[] read = through(values, said);
            for (int i = 0; i < values.length; i++) {
                String what = values[i] + " beside 2^" + octave;
                assertEquals(expected[i], read[i] + 0f, what);
                assertEquals(read[i], said[i], what);
                assertTrue(Float.isFinite(read[i]), what);
            }
        }
    }

    @Test
    void whatIsLeftOfAValueIsExact() throws Exception {
        var random = new SplittableRandom(6);
        for (int i = 0; i < 10_000; i++) {
            float value = Float.intBitsToFloat(random.nextInt());
            if (Float.isFinite(value)) {
                float read = through(new float[] {value}, new float[1])[0];
                assertEquals((double) value - read, value - read, "of " + value);
                assertTrue(Math.abs(value - read) <= Math.abs(value) * 0x1p-10, "of " + value);
            }
        }
    }

    private static float[] through(float[] values, float[] said) throws MalformedMessageException {
        MemorySegment room = MemorySegment.ofArray(new byte[(int) KeptValues.bytes(false, values.length)]);
        int largest = 0;
        for (float value : values) {
            largest = Math.max(largest, Float.floatToRawIntBits(value) & Float32.MAGNITUDE_MASK);
        }
        KeptValues written = KeptValues.write(room, 0, false, largest);
        for (int i = 0; i < values.length; i++) {
            said[i] = written.set(i, values[i]);
        }
        KeptValues.check(room, 0, false, values.length);
        KeptValues read = KeptValues.read(room, 0, false);
        float[] back = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            back[i] = read.get(i);
        }
        return back;
    }

    @ParameterizedTest
    @CsvSource({
        "-126, 7400, exponent -126",
        "114, 7400, exponent 114",
        "0, 73ff, does not fit",
        "0, 7801, does not fit",
        "0, 0000, does not fit",
        "113, 7800, does not fit",
        "0, 7c00, is Infinity",
        "0, fc00, is -Infinity",
        "0, 7e01, is NaN",
        "113, 77ff, ''",
        "0, f800, ''",
        "-125, 7800, ''",
        "-125, 8001, ''",
        "-125, 0000, ''"
    })
    void onlyWhatAnEncoderWritesIsRead(short exponent, String half, String refusal) throws Exception {
        MemorySegment bytes = MemorySegment.ofArray(new byte[6]);
        bytes.set(SHORT, 0, exponent);
        bytes.set(SHORT, 4, (short) Integer.parseInt(half, 16));
        if (refusal.isEmpty()) {
            KeptValues.check(bytes, 0, false, 2);
        } else {
            String message = assertThrows(MalformedMessageException.class, () -> KeptValues.check(bytes, 0, false, 2))
                    .toString();
            assertTrue(message.contains(refusal), message);
        }
    }
}
