package io.hearth.collective.sum.compressed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.select.Engines;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.block.LevelCodec;
import io.hearth.compression.codecs.Codecs;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts hold each value once, fit into segments, and have fewer bytes than plain values. */
final class EncodedPartsTest {
    private static final CodecKernels KERNELS = Engines.best().codecKernels();

    private static BlockCodec codec(String text) {
        return (BlockCodec) Codecs.of((CompressionStrategy.Coded) CompressionStrategy.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"fp16", "bf16", "int8:8", "int8:64", "int8:1024", "int4:64", "int4:16"})
    void partsAreEvenAndFewerBytesThanPlainValues(String text) {
        BlockCodec codec = codec(text);
        var random = new SplittableRandom(7);
        for (int i = 0; i < 20_000; i++) {
            long count = i < 3000 ? i : random.nextLong(1, 1L << random.nextInt(1, 28));
            int world = random.nextInt(1, 33);
            int segmentBytes = 1 << random.nextInt(11, 19);
            if (!EncodedParts.pays(codec, count)) {
                assertTrue(codec.encodedBytesMax(count) + 8 > 4 * count, count + " values");
                continue;
            }
            var parts = EncodedParts.of(codec, count, world, segmentBytes);
            String what = count + " values among " + world + ": " + parts;
            assertTrue(parts.slotBytes() <= segmentBytes && parts.slotBytes() % 8 == 0, what);
            assertEquals(0, parts.valuesEach() % codec.block(), what);
            assertTrue(parts.first(parts.parts() - 1) < count && parts.first(parts.parts()) >= count, what);
            assertTrue(parts.slotBytes() >= codec.encodedBytesMax(parts.values(0)), what);
            assertTrue(parts.bytes() < 4 * count, what);
            long blocks = Math.ceilDiv(count, codec.block());
            if (blocks > 8L * world) { // with fewer blocks, one more or less is much of a part
                assertTrue(parts.bytes() <= 1.5 * codec.encodedBytesMax(count), what);
            }
            if (blocks > 100L * world && codec.block() < 1024) {
                assertTrue(parts.bytes() <= 1.15 * codec.encodedBytesMax(count), what);
                assertTrue(parts.parts() >= world, what);
            }
        }
    }

    /** The network of the digits example in a group of four: one part for each rank, 19 of its 76 blocks. */
    @Test
    void aSmallTensorIsSharedByAll() {
        var parts = EncodedParts.of(new LevelCodec(8, 64, false, KERNELS), 4810, 4, 1 << 18);
        assertEquals(4, parts.parts());
        assertEquals(19 * 64, parts.valuesEach());
        assertEquals(4 * 1312, parts.bytes());
    }

    @ParameterizedTest
    @CsvSource({"fp16, 10, false", "fp16, 12, true", "int8, 10, true", "int8, 5, false", "none, 1000000, false"})
    void whatIsNoShorterIsNotWorthACodec(String text, long count, boolean pays) {
        assertEquals(pays, EncodedParts.pays(codec(text), count));
    }

    @Test
    void aBlockHasToFitIntoASegment() {
        EncodedParts.requireFits(new LevelCodec(8, 64, false, KERNELS), 84);
        assertThrows(
                IllegalArgumentException.class,
                () -> EncodedParts.requireFits(new LevelCodec(8, 64, false, KERNELS), 83));
        assertFalse(EncodedParts.pays(new LevelCodec(8, 64, false, KERNELS), 0));
    }
}
