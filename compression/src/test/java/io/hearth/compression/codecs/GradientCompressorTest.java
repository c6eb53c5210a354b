package io.hearth.compression.codecs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.MalformedMessageException;
import org.junit.jupiter.api.Test;

final class GradientCompressorTest {
    private static final float[] GRADIENTS = {1, -0.5f, 0.25f, 0};

    @Test
    void noneGivesEverythingBack() throws Exception {
        var compressor = new GradientCompressor(CompressionStrategy.NONE);
        assertArrayEquals(GRADIENTS, compressor.decompress(compressor.compress(GRADIENTS), 4));
    }

    @Test
    void topkKeepsTheLargest() throws Exception {
        var compressor = new GradientCompressor(CompressionStrategy.parse("topk:0.5"));
        assertArrayEquals(new float[] {1, -0.5f, 0, 0}, compressor.decompress(compressor.compress(GRADIENTS), 4));
    }

    @Test
    void int8MakesAQuarterOfIt() throws Exception {
        var compressor = new GradientCompressor(CompressionStrategy.parse("int8"));
        assertEquals(16 + 4 * 160 + 10_240, compressor.compress(new float[10_240]).length);
    }

    @Test
    void bytesOfAnotherStrategyAreRefused() throws Exception {
        byte[] encoded = new GradientCompressor(CompressionStrategy.parse("int8")).compress(GRADIENTS);
        var other = new GradientCompressor(CompressionStrategy.parse("topk"));
        assertThrows(MalformedMessageException.class, () -> other.decompress(encoded, 4));
    }

    @Test
    void nanIsNamed() {
        var compressor = new GradientCompressor(CompressionStrategy.parse("int8"));
        var refusal = assertThrows(NonFiniteException.class, () -> compressor.compress(new float[] {1, Float.NaN, 2}));
        assertEquals(1, refusal.index());
    }
}
