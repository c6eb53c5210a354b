package io.hearth.collective.sum.compressed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.select.Engines;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.Workers;
import io.hearth.compression.sparse.TopKCodec;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Saved memories are restored completely or not at all. */
final class CompressionMemoriesTest {
    private static final CodecKernels KERNELS = Engines.best().codecKernels();
    private static final CompressionStrategy.Coded TOP_K =
            (CompressionStrategy.Coded) CompressionStrategy.parse("topk:0.5");
    private static final CompressionStrategy.Dgc DGC = (CompressionStrategy.Dgc) CompressionStrategy.parse("dgc:0.5");

    private static void use(CompressionMemories memories, Arena arena) throws Exception {
        MemorySegment gradient = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 2, 3, 4);
        for (var memory : new io.hearth.compression.memory.GradientMemory[] {memories.of(TOP_K), memories.of(DGC)}) {
            memory.prepare("t", gradient, 4, arena.allocate(memory.encodedBytesMax(4)))
                    .commit();
        }
    }

    private static byte[] saved(CompressionMemories memories, Arena arena) {
        return memories.save(arena).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void savedMemoriesComeBack() throws Exception {
        try (var arena = Arena.ofConfined();
                var one = new CompressionMemories(KERNELS, Workers.NONE, CompressionStrategy.NONE);
                var other = new CompressionMemories(KERNELS, Workers.NONE, CompressionStrategy.NONE)) {
            use(one, arena);
            other.restore(one.save(arena));
            assertArrayEquals(saved(one, arena), saved(other, arena));
            use(one, arena);
            use(other, arena);
            assertArrayEquals(saved(one, arena), saved(other, arena), "and go on alike");
        }
    }

    @Test
    void nothingSavedIsNothingToRemember() throws Exception {
        try (var arena = Arena.ofConfined();
                var used = new CompressionMemories(KERNELS, Workers.NONE, CompressionStrategy.NONE);
                var empty = new CompressionMemories(KERNELS, Workers.NONE, CompressionStrategy.NONE)) {
            use(used, arena);
            used.restore(empty.save(arena));
            assertArrayEquals(saved(empty, arena), saved(used, arena));
        }
    }

    /** A custom codec has the name of a built-in one: its residuals are restored to it, and to no other codec. */
    @Test
    void aCodecOfTheCallersOwnComesBackWhereItIsInUse() throws Exception {
        var own = new CompressionStrategy.Custom(new TopKCodec(0.25, true, KERNELS));
        try (var arena = Arena.ofConfined();
                var one = new CompressionMemories(KERNELS, Workers.NONE, own);
                var usual = new CompressionMemories(KERNELS, Workers.NONE, own);
                var used = new CompressionMemories(KERNELS, Workers.NONE, CompressionStrategy.NONE);
                var other = new CompressionMemories(KERNELS, Workers.NONE, CompressionStrategy.NONE)) {
            use(one, arena);
            MemorySegment gradient = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 2, 3, 4);
            one.of(own)
                    .prepare("t", gradient, 4, arena.allocate(one.of(own).encodedBytesMax(4)))
                    .commit();
            MemorySegment saved = one.save(arena);
            used.of(own);
            for (CompressionMemories here : new CompressionMemories[] {usual, used}) {
                here.restore(saved);
                assertArrayEquals(saved(one, arena), saved(here, arena));
                assertTrue(here.of(own).hasResidual("t", 4));
            }
            use(other, arena);
            byte[] before = saved(other, arena);
            String told = String.valueOf(assertThrows(MalformedMessageException.class, () -> other.restore(saved))
                    .getMessage());
            assertTrue(told.contains("'topk'") && told.contains("in use"), told);
            assertArrayEquals(before, saved(other, arena), "nothing is lost");
        }
    }

    /** Cuts at every length and changes every byte: each gives a typed error and leaves the memories unchanged. */
    @Test
    void damagedBytesChangeNothing() throws Exception {
        try (var arena = Arena.ofConfined();
                var source = new CompressionMemories(KERNELS, Workers.NONE, CompressionStrategy.NONE);
                var memories = new CompressionMemories(KERNELS, Workers.NONE, CompressionStrategy.NONE)) {
            use(source, arena);
            use(memories, arena);
            use(memories, arena);
            byte[] before = saved(memories, arena);
            byte[] good = saved(source, arena);
            for (int length = 0; length < good.length; length++) {
                MemorySegment cut = MemorySegment.ofArray(good).asSlice(0, length);
                assertThrows(MalformedMessageException.class, () -> memories.restore(cut), "cut to " + length);
            }
            MemorySegment longer = MemorySegment.ofArray(java.util.Arrays.copyOf(good, good.length + 1));
            assertThrows(MalformedMessageException.class, () -> memories.restore(longer));
            int refused = 0;
            for (int at = 0; at < good.length; at++) {
                byte[] changed = good.clone();
                changed[at] ^= 0x55;
                try (var target = new CompressionMemories(KERNELS, Workers.NONE, CompressionStrategy.NONE)) {
                    target.restore(MemorySegment.ofArray(changed));
                } catch (MalformedMessageException told) {
                    refused++;
                }
            }
            assertTrue(refused > good.length * 9 / 10, refused + " of " + good.length);
            assertArrayEquals(before, saved(memories, arena));
        }
    }
}
