package io.hearth.accel.vector;

import static io.hearth.accel.portable.PortableCodecKernels.FLOAT;
import static io.hearth.accel.portable.PortableCodecKernels.INFINITY;

import io.hearth.accel.BlockFormat;
import io.hearth.accel.CodecKernels;
import io.hearth.accel.Rounding;
import io.hearth.accel.portable.ScratchPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Levels of 8 and 4 bits by the Vector API, all operands in native memory and checked by the caller: whole blocks of
 * {@link #BLOCK} values by {@link Int8Vectors} and {@link Int4Vectors}, all others by {@link LevelLoops}.
 */
final class LevelKernels {
    /** Values of a block of the usual size, which has its own loops. */
    static final int BLOCK = 64;

    /**
     * Most blocks of a group. All scales of a group are found before its first value is quantised: within one block all work waits for
     * the largest value and for a division, and a processor looks only a few blocks ahead. The operands of a group stay in a cache.
     */
    private static final int GROUP_BLOCKS = 128;

    private static final int GROUP_VALUES = GROUP_BLOCKS * BLOCK;

    private final ScratchPool<Group> groups = new ScratchPool<>(Group::new);

    /** Scratch memory for the blocks of a group, in order. */
    private static final class Group {
        private final float[] divisors = new float[GROUP_BLOCKS];
        private final int[] seeds = new int[GROUP_BLOCKS];
        private MemorySegment levels = MemorySegment.NULL;

        /** Native memory for levels of 8 bits that will be packed to 4. */
        private MemorySegment levels(long bytes) {
            if (levels.byteSize() < bytes) {
                levels = Arena.ofAuto().allocate(bytes);
            }
            return levels;
        }
    }

    /** As {@link CodecKernels#quantise}, or as {@link CodecKernels#quantiseLeavingError} if {@code leavesError}. */
    long quantise(
            BlockFormat format,
            Rounding rounding,
            long firstBlock,
            MemorySegment values,
            long valuesOffset,
            long count,
            MemorySegment body,
            long bodyOffset,
            boolean leavesError) {
        Group group = groups.take();
        int groupCount = groupCount(format);
        long at = bodyOffset;
        long bad = CodecKernels.NONE;
        for (long done = 0; done < count && bad == CodecKernels.NONE; done += groupCount) {
            int n = (int) Math.min(groupCount, count - done);
            long first = firstBlock + done / format.block();
            long place = valuesOffset + done * Float.BYTES;
            int found = quantise(format, rounding, first, values, place, n, body, at, group);
            bad = found < 0 ? CodecKernels.NONE : done + found;
            if (leavesError && found < 0) {
                dequantise(format, body, at, -1, values, place, n, true);
            }
            at += format.bytes(n);
        }
        groups.giveBack(group);
        return bad;
    }

    private static int groupCount(BlockFormat format) {
        return Math.clamp(GROUP_VALUES / format.block(), 1, GROUP_BLOCKS) * format.block();
    }

    /** Quantises one group; returns the index of the first value that is not finite, or -1. */
    private static int quantise(
            BlockFormat format,
            Rounding rounding,
            long firstBlock,
            MemorySegment values,
            long offset,
            int n,
            MemorySegment body,
            long bodyOffset,
            Group group) {
        int bad = scales(format, values, offset, n, body, bodyOffset, group.divisors);
        if (bad >= 0) {
            return bad;
        }
        if (rounding.stochastic()) {
            int blocks = Math.ceilDiv(n, format.block());
            for (int i = 0; i < blocks; i++) {
                group.seeds[i] = rounding.blockSeed(firstBlock + i);
            }
        }
        int whole = whole(format, n);
        if (whole > 0) {
            wholeBlocks(format, rounding.stochastic(), values, offset, body, bodyOffset, whole, group);
        }
        levels(format, rounding.stochastic(), values, offset, whole * BLOCK, n, body, bodyOffset, group);
        return -1;
    }

    /** How many blocks of {@code n} values have their own loops. */
    private static int whole(BlockFormat format, int n) {
        return hasLoops(format) ? n / BLOCK : 0;
    }

    private static boolean hasLoops(BlockFormat format) {
        return format.block() == BLOCK && Int8Vectors.PRESENT;
    }

    /** Writes each block's scale and keeps its divisor; returns the index of the first value that is not finite, or -1. */
    private static int scales(
            BlockFormat format,
            MemorySegment values,
            long offset,
            int n,
            MemorySegment body,
            long bodyOffset,
            float[] divisors) {
        long at = bodyOffset;
        int number = 0;
        for (int i = 0; i < n; i += format.block()) {
            int block = Math.min(format.block(), n - i);
            long place = offset + (long) i * Float.BYTES;
            int largest = LevelLoops.largest(values, place, block);
            if (largest >= INFINITY) {
                return i + LevelLoops.firstNotFinite(values, place);
            }
            float scale = format.scale(Float.intBitsToFloat(largest));
            body.set(FLOAT, at, scale);
            divisors[number++] = scale == 0 ? 1 : scale;
            at += format.blockBytes(block);
        }
        return -1;
    }

    /** Writes the levels of the first blocks of the group. */
    private static void wholeBlocks(
            BlockFormat format,
            boolean stochastic,
            MemorySegment values,
            long offset,
            MemorySegment body,
            long bodyOffset,
            int blocks,
            Group group) {
        boolean eight = format.bits() == Byte.SIZE;
        if (eight && stochastic) {
            Int8Vectors.stochastic(values, offset, group.divisors, group.seeds, body, bodyOffset, blocks);
        } else if (eight) {
            Int8Vectors.nearest(values, offset, group.divisors, body, bodyOffset, blocks);
        } else if (stochastic) {
            MemorySegment levels = group.levels((long) GROUP_BLOCKS * Int8Vectors.BODY_BYTES);
            Int8Vectors.stochastic(values, offset, group.divisors, group.seeds, levels, 0, blocks);
            Int4Vectors.pack(levels, body, bodyOffset, blocks);
        } else {
            Int4Vectors.nearest(values, offset, group.divisors, body, bodyOffset, blocks);
        }
    }

    /** Writes the levels of the blocks from value {@code first} of the group on. */
    private static void levels(
            BlockFormat format,
            boolean stochastic,
            MemorySegment values,
            long offset,
            int first,
            int n,
            MemorySegment body,
            long bodyOffset,
            Group group) {
        boolean eight = format.bits() == Byte.SIZE;
        int number = first / format.block();
        long at = bodyOffset + format.bytes(first) + Float.BYTES;
        for (int i = first; i < n; i += format.block()) {
            int block = Math.min(format.block(), n - i);
            long place = offset + (long) i * Float.BYTES;
            float divisor = group.divisors[number];
            int seed = group.seeds[number++];
            if (eight && stochastic) {
                LevelLoops.stochastic8(values, place, block, divisor, seed, body, at);
            } else if (eight) {
                LevelLoops.nearest8(values, place, block, divisor, body, at);
            } else if (stochastic) {
                MemorySegment levels = group.levels(format.block());
                LevelLoops.stochastic8(values, place, block, divisor, seed, levels, 0);
                LevelLoops.pack4(levels, block, body, at);
            } else {
                LevelLoops.nearest4(values, place, block, divisor, body, at);
            }
            at += format.blockBytes(block);
        }
    }

    /**
     * {@code values = level * scale}, or {@code values = values + level * (scale * sign)} if {@code adds}; a sign of -1 subtracts the
     * quantised value, with the bits of a difference.
     */
    static void dequantise(
            BlockFormat format,
            MemorySegment body,
            long bodyOffset,
            float sign,
            MemorySegment values,
            long valuesOffset,
            long count,
            boolean adds) {
        boolean eight = format.bits() == Byte.SIZE;
        long at = bodyOffset;
        int n;
        for (long done = 0; done < count; done += n) {
            n = (int) Math.min(hasLoops(format) ? GROUP_VALUES : format.block(), count - done);
            long place = valuesOffset + done * Float.BYTES;
            int whole = whole(format, n);
            if (whole > 0) {
                n = whole * BLOCK;
                wholeBlocks(eight, body, at, sign, values, place, whole, adds);
            } else {
                oneBlock(eight, body, at, sign, values, place, n, adds);
            }
            at += format.bytes(n);
        }
    }

    private static void wholeBlocks(
            boolean eight,
            MemorySegment body,
            long at,
            float sign,
            MemorySegment values,
            long place,
            int blocks,
            boolean adds) {
        if (eight && adds) {
            Int8Vectors.add(body, at, sign, values, place, blocks);
        } else if (eight) {
            Int8Vectors.multiply(body, at, values, place, blocks);
        } else if (adds) {
            Int4Vectors.add(body, at, sign, values, place, blocks);
        } else {
            Int4Vectors.multiply(body, at, values, place, blocks);
        }
    }

    private static void oneBlock(
            boolean eight,
            MemorySegment body,
            long at,
            float sign,
            MemorySegment values,
            long place,
            int n,
            boolean adds) {
        float scale = body.get(FLOAT, at) * sign;
        if (eight && adds) {
            LevelLoops.add8(body, at + Float.BYTES, scale, values, place, n);
        } else if (eight) {
            LevelLoops.multiply8(body, at + Float.BYTES, scale, values, place, n);
        } else if (adds) {
            LevelLoops.add4(body, at + Float.BYTES, scale, values, place, n);
        } else {
            LevelLoops.multiply4(body, at + Float.BYTES, scale, values, place, n);
        }
    }

    /** As {@link CodecKernels#badBlock}. */
    long badBlock(BlockFormat format, MemorySegment body, long bodyOffset, long count) {
        boolean eight = format.bits() == Byte.SIZE;
        float scaleMax = format.scaleMax();
        long at = bodyOffset;
        int n;
        for (long done = 0; done < count; done += n) {
            n = (int) Math.min(format.block(), count - done);
            int bytes = format.blockBytes(n);
            float scale = body.get(FLOAT, at);
            boolean sound = eight
                    ? LevelLoops.sound8(body, at + Float.BYTES, bytes - Float.BYTES)
                    : LevelLoops.sound4(body, at + Float.BYTES, bytes - Float.BYTES)
                            && LevelLoops.padded4(body, at + bytes - 1, n);
            if (!sound || !(scale >= 0 && scale <= scaleMax)) {
                return done;
            }
            at += bytes;
        }
        return CodecKernels.NONE;
    }
}
