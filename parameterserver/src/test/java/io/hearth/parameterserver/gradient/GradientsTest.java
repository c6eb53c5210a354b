package io.hearth.parameterserver.gradient;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.hearth.parameterserver.ElementType;
import io.hearth.parameterserver.wire.GradientEncoding;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Gradients in each encoding, and bytes that are none. */
final class GradientsTest {
    private static ByteString bytes(int size, Consumer<ByteBuffer> writer) {
        ByteBuffer out = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        writer.accept(out);
        return ByteString.copyFrom(out.array());
    }

    private static void assertRefused(String text, GradientEncoding encoding, ElementType type, ByteString content) {
        var refused = assertThrows(IllegalArgumentException.class, () -> Gradients.decode(encoding, type, 3, content));
        assertTrue(String.valueOf(refused.getMessage()).contains(text), refused.getMessage());
    }

    private static void assertReads(double[] expected, GradientEncoding encoding, ByteString content) {
        assertArrayEquals(expected, Gradients.decode(encoding, ElementType.FLOAT32, 3, content));
    }

    @Test
    void eachEncodingIsRead() {
        double[] expected = {1, -2, 0.5};
        assertReads(
                expected,
                GradientEncoding.DENSE,
                bytes(12, out -> out.putFloat(1).putFloat(-2).putFloat(0.5f)));
        assertReads(
                expected,
                GradientEncoding.FP16,
                bytes(
                        6,
                        out -> out.putShort((short) 0x3C00)
                                .putShort((short) 0xC000)
                                .putShort((short) 0x3800)));
        assertReads(
                expected,
                GradientEncoding.BF16,
                bytes(
                        6,
                        out -> out.putShort((short) 0x3F80)
                                .putShort((short) 0xC000)
                                .putShort((short) 0x3F00)));
        assertReads(
                expected,
                GradientEncoding.INT8,
                bytes(7, out -> out.putFloat(0.5f).put((byte) 2).put((byte) -4).put((byte) 1)));
        assertReads(
                new double[] {7, 0, -3},
                GradientEncoding.TOPK,
                bytes(20, out -> out.putInt(2).putInt(0).putInt(2).putFloat(7).putFloat(-3)));
        assertReads(new double[3], GradientEncoding.TOPK, bytes(4, out -> out.putInt(0)));
        assertArrayEquals(
                new double[] {1, 4_000_000_000.0, 3},
                Gradients.decode(
                        GradientEncoding.DENSE,
                        ElementType.UINT32,
                        3,
                        bytes(
                                12,
                                out -> out.putInt(1)
                                        .putInt((int) 4_000_000_000L)
                                        .putInt(3))));
    }

    @Test
    void wrongOnesAreRefused() {
        assertRefused("12 bytes, got 8", GradientEncoding.DENSE, ElementType.FLOAT32, bytes(8, _ -> {}));
        assertRefused("6 bytes, got 12", GradientEncoding.FP16, ElementType.FLOAT32, bytes(12, _ -> {}));
        assertRefused("send DENSE", GradientEncoding.FP16, ElementType.INT32, bytes(6, _ -> {}));
        assertRefused("choose one", GradientEncoding.UNRECOGNIZED, ElementType.FLOAT32, bytes(6, _ -> {}));
        assertRefused(
                "element 1 of the gradient is NaN",
                GradientEncoding.DENSE,
                ElementType.FLOAT32,
                bytes(12, out -> out.putFloat(4, Float.NaN)));
        assertRefused("wrong length", GradientEncoding.TOPK, ElementType.FLOAT32, bytes(4, out -> out.putInt(-1)));
        assertRefused(
                "at most as many entries", GradientEncoding.TOPK, ElementType.FLOAT32, bytes(36, out -> out.putInt(4)));
        assertRefused(
                "indices of a sparse gradient rise",
                GradientEncoding.TOPK,
                ElementType.FLOAT32,
                bytes(20, out -> out.putInt(2).putInt(1).putInt(1)));
        assertRefused(
                "indices of a sparse gradient rise",
                GradientEncoding.TOPK,
                ElementType.FLOAT32,
                bytes(12, out -> out.putInt(1).putInt(3)));
    }

    /** Any bytes give numbers or a reason, never another exception. */
    @Test
    void noBytesDoHarm() {
        var random = new Random(3);
        for (int i = 0; i < 100_000; i++) {
            byte[] junk = new byte[random.nextInt(40)];
            random.nextBytes(junk);
            if (junk.length > 3 && random.nextBoolean()) {
                junk[0] = (byte) random.nextInt(5);
                junk[1] = 0;
                junk[2] = 0;
                junk[3] = 0;
            }
            var encoding = List.of(GradientEncoding.values()).get(random.nextInt(GradientEncoding.values().length));
            var type = List.of(ElementType.values()).get(random.nextInt(ElementType.values().length));
            try {
                assertTrue(Gradients.decode(encoding, type, 3, ByteString.copyFrom(junk)).length == 3);
            } catch (IllegalArgumentException reason) {
                assertTrue(reason.getMessage() != null);
            }
        }
    }
}
