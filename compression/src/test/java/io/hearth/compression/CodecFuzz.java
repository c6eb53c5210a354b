package io.hearth.compression;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;

/** For any bytes, a decoder either gives values within bounds or throws MalformedMessageException before it adds anything. */
record CodecFuzz(Codec codec) {
    private static final int INPUTS = Boolean.getBoolean("hearth.full") ? 30_000 : 7_500;
    /** Several blocks of every usual size, the last one short. */
    private static final int COUNT_MAX = 700;

    private static final int FEW_MAX = 40;

    void run() throws Exception {
        var random = new SplittableRandom(23);
        byte[][] good = new byte[COUNT_MAX + 1][];
        for (int count = 0; count <= COUNT_MAX; count++) {
            good[count] = CodecContractTest.encoded(codec, 0, Pattern.FEW_LEVELS.values(count));
        }
        int refused = 0;
        try (var arena = Arena.ofConfined()) {
            MemorySegment ample = Canaries.around(arena, COUNT_MAX);
            for (int i = 0; i < INPUTS; i++) {
                int count = random.nextInt((i % 2 == 0 ? FEW_MAX : COUNT_MAX) + 1);
                byte[] input = i % 3 == 0 ? random(good[count], random) : mutated(good[count], random);
                MemorySegment memory = Canaries.within(ample, count);
                refused += isRefused(MemorySegment.ofArray(input), Canaries.inside(memory), count, i) ? 1 : 0;
                Canaries.assertAlive(memory);
            }
        }
        assertTrue(refused > INPUTS / 10, "only " + refused + " of " + INPUTS + " inputs were refused");
    }

    private boolean isRefused(MemorySegment input, MemorySegment values, int count, int number) {
        values.fill((byte) 0);
        try {
            codec.decodeAndAdd(input, values, count);
            codec.decode(input, values, count);
            assertFiniteUnlessCarried(values, number);
            return false;
        } catch (MalformedMessageException expected) {
            assertAllZero(values, number);
            return true;
        }
    }

    /** A valid beginning, then random bytes. */
    private static byte[] random(byte[] good, SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(3) == 0 ? good.length : random.nextInt(good.length * 2)];
        random.nextBytes(bytes);
        System.arraycopy(good, 0, bytes, 0, Math.min(bytes.length, random.nextInt(8) == 0 ? 1 : Header.BYTES));
        return bytes;
    }

    private static byte[] mutated(byte[] good, SplittableRandom random) {
        int length = random.nextInt(4) == 0 ? random.nextInt(good.length + 8) : good.length;
        byte[] bytes = Arrays.copyOf(good, length);
        for (int flips = random.nextInt(5); flips > 0 && length > 0; flips--) {
            // Mostly after the header, where decoders have more to check.
            int from = length > Header.BYTES && random.nextInt(8) > 0 ? Header.BYTES : 0;
            int at = random.nextInt(from, length);
            bytes[at] = random.nextBoolean() ? (byte) random.nextInt() : (byte) (bytes[at] ^ 1 << random.nextInt(8));
        }
        return bytes;
    }

    private void assertFiniteUnlessCarried(MemorySegment values, int input) {
        for (long at = 0; at < values.byteSize() && !codec.carriesNonFinite(); at += Float.BYTES) {
            if (!Float.isFinite(values.get(Float32.FLOAT, at))) {
                fail(values.get(Float32.FLOAT, at) + " from input " + input);
            }
        }
    }

    private static void assertAllZero(MemorySegment values, int input) {
        for (long at = 0; at < values.byteSize(); at++) {
            if (values.get(ValueLayout.JAVA_BYTE, at) != 0) {
                fail("input " + input + " was refused after something was added");
            }
        }
    }
}
