package io.hearth.accel.selftest;

import io.hearth.accel.BlockFormat;
import io.hearth.accel.CodecKernels;
import io.hearth.accel.MagnitudeHistogram;
import io.hearth.accel.Rounding;
import io.hearth.accel.portable.PortableCodecKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;

/** Compares the codecs' kernels with the portable ones bit for bit, on a few thousand finite values, from ordinary to subnormal. */
public final class CodecSelfTest {
    private static final int COUNT = 4099;
    private static final int[] BLOCKS = {64, 67, 1000};
    private static final int LAST_LANE = 31; // of a group of 32 threads
    private static final int ZEROS = 67; // of both signs: a whole block
    private static final int[] BITS = {Byte.SIZE, Byte.SIZE / 2};
    private static final long SEED = 0x0123_4567_89ab_cdefL;
    private static final long FIRST_BLOCK = (5L << Integer.SIZE) + 3;

    private static final int EXPONENT_MAX = 254;

    /** Exponents of a block's largest value: from 7 or 8 on the scale of 8 bits is a normal number, from 27 on it need not be lifted. */
    private static final int[] EXPONENTS = {0, 1, 7, 8, 20, 26, 27, 100, 127, 140, EXPONENT_MAX};

    private final CodecKernels subject;
    private final CodecKernels portable = new PortableCodecKernels();
    private int checks;
    private int gpuCalls;

    /** The kernels are borrowed. */
    public CodecSelfTest(CodecKernels subject) {
        this.subject = subject;
    }

    /** Number of calls that were compared. */
    public int checks() {
        return checks;
    }

    /** Number of the calls so far that a GPU does from the first value to the last, if it takes every call that it has a kernel for. */
    public int gpuCalls() {
        return gpuCalls;
    }

    /** Runs the test; returns the first difference, empty if there is none. */
    public Optional<String> firstDifference() {
        try (var arena = Arena.ofConfined()) {
            var random = new SplittableRandom(SEED);
            for (int exponent : EXPONENTS) {
                MemorySegment values = values(arena, random, exponent);
                for (int block : BLOCKS) {
                    for (int bits : BITS) {
                        Optional<String> difference = packing(arena, new BlockFormat(bits, block), values, exponent);
                        if (difference.isPresent()) {
                            return difference;
                        }
                    }
                }
                Optional<String> difference = selecting(values, exponent << 23)
                        .or(() -> counting(arena, values, exponent << 23))
                        .or(() -> refusing(arena, values));
                if (difference.isPresent()) {
                    return difference;
                }
            }
            return Optional.empty();
        }
    }

    /** Values with magnitudes up to 2^(exponent - 126), half of them much smaller. */
    private static MemorySegment values(Arena arena, SplittableRandom random, int exponent) {
        MemorySegment values = arena.allocate((long) COUNT * Float.BYTES);
        for (int i = 0; i < COUNT; i++) {
            int bits = (random.nextInt() & 0x807f_ffff) | (exponent << 23);
            int small = (random.nextInt() & 0x807f_ffff) | (random.nextInt(exponent + 1) << 23);
            values.setAtIndex(ValueLayout.JAVA_INT, i, random.nextBoolean() ? bits : small);
        }
        for (int i = 0; i < ZEROS; i++) {
            values.setAtIndex(ValueLayout.JAVA_INT, i, random.nextInt() & Integer.MIN_VALUE);
        }
        if (exponent == EXPONENT_MAX) {
            values.setAtIndex(ValueLayout.JAVA_FLOAT, COUNT / 2, Float.MAX_VALUE);
        }
        return values;
    }

    private Optional<String> packing(Arena arena, BlockFormat format, MemorySegment values, int exponent) {
        for (Rounding rounding : new Rounding[] {Rounding.NEAREST, Rounding.stochastic(SEED)}) {
            MemorySegment[] left = {copy(arena, values), copy(arena, values)};
            MemorySegment[] body = {arena.allocate(format.bytes(COUNT)), arena.allocate(format.bytes(COUNT))};
            subject.quantiseLeavingError(format, rounding, FIRST_BLOCK, left[0], 0, COUNT, body[0], 0);
            portable.quantiseLeavingError(format, rounding, FIRST_BLOCK, left[1], 0, COUNT, body[1], 0);
            MemorySegment[] plain = {arena.allocate(format.bytes(COUNT)), body[1]};
            subject.quantise(format, rounding, FIRST_BLOCK, values, 0, COUNT, plain[0], 0);
            MemorySegment[] sum = {copy(arena, left[1]), copy(arena, left[1])};
            subject.dequantiseAndAdd(format, body[1], 0, sum[0], 0, COUNT);
            portable.dequantiseAndAdd(format, body[1], 0, sum[1], 0, COUNT);
            MemorySegment[] decoded = {copy(arena, values), copy(arena, values)};
            subject.dequantise(format, body[1], 0, decoded[0], 0, COUNT);
            portable.dequantise(format, body[1], 0, decoded[1], 0, COUNT);
            gpuCalls += format.bits() == Byte.SIZE ? 4 : 0;
            String what = "int" + format.bits() + " block " + format.block() + " exponent " + exponent
                    + (rounding.stochastic() ? " stochastic " : " nearest ");
            Optional<String> difference = difference(what + "levels", plain)
                    .or(() -> difference(what + "levels beside an error", body))
                    .or(() -> difference(what + "error", left))
                    .or(() -> difference(what + "sum", sum))
                    .or(() -> difference(what + "decoded", decoded));
            if (difference.isPresent()) {
                return difference;
            }
        }
        return Optional.empty();
    }

    private Optional<String> refusing(Arena arena, MemorySegment values) {
        var format = new BlockFormat(Byte.SIZE, BLOCKS[0]);
        MemorySegment body = arena.allocate(format.bytes(COUNT));
        MemorySegment bad = copy(arena, values);
        bad.setAtIndex(ValueLayout.JAVA_FLOAT, COUNT - 1, Float.NEGATIVE_INFINITY);
        long found = subject.quantise(format, Rounding.NEAREST, 0, bad, 0, COUNT, body, 0);
        checks++;
        return found == COUNT - 1
                ? Optional.empty()
                : Optional.of("infinity at " + (COUNT - 1) + " is found at " + found);
    }

    private Optional<String> selecting(MemorySegment values, int leastBits) {
        int[] one = new int[COUNT + CodecKernels.SELECT_SLACK];
        int[] other = one.clone();
        int found = subject.select(values, 0, COUNT, leastBits, one);
        int expected = portable.select(values, 0, COUNT, leastBits, other);
        checks++;
        gpuCalls++;
        return found == expected && Arrays.equals(one, 0, found, other, 0, found)
                ? Optional.empty()
                : Optional.of("select finds " + found + " values instead of " + expected + ", or others");
    }

    /** Counts in wide buckets, in narrow ones, in buckets of one magnitude, and mostly in the last one. */
    private Optional<String> counting(Arena arena, MemorySegment values, int low) {
        return counting(arena, values, COUNT - 1, 0, MagnitudeHistogram.HIGH_MAX, 18)
                .or(() -> counting(arena, values, LAST_LANE, low, low + (1L << 25), 12))
                .or(() -> counting(arena, values, COUNT - 1, low, low + (1L << 13), 0))
                .or(() -> counting(arena, values, LAST_LANE, low, low + 1000, 5));
    }

    /** Counts with the largest value at a place that is easily left out, and with one value that is just {@code high}. */
    private Optional<String> counting(Arena arena, MemorySegment values, int largestAt, int low, long high, int shift) {
        MemorySegment marked = copy(arena, values);
        marked.setAtIndex(ValueLayout.JAVA_FLOAT, largestAt, -Float.MAX_VALUE);
        marked.setAtIndex(ValueLayout.JAVA_INT, COUNT / 3, (int) Math.min(high, Float.floatToRawIntBits(1)));
        var one = new MagnitudeHistogram();
        var other = new MagnitudeHistogram();
        long bound = Math.min(high, MagnitudeHistogram.HIGH_MAX);
        one.begin(low, bound, shift);
        other.begin(low, bound, shift);
        subject.histogram(marked, 0, COUNT, one);
        portable.histogram(marked, 0, COUNT, other);
        checks++;
        gpuCalls++;
        return one.sameAs(other)
                ? Optional.empty()
                : Optional.of("histogram of magnitudes from " + low + " by 2^" + shift + " counts " + one.counted()
                        + " values instead of " + other.counted() + ", or others");
    }

    private static MemorySegment copy(Arena arena, MemorySegment values) {
        return arena.allocate(values.byteSize()).copyFrom(values);
    }

    private Optional<String> difference(String what, MemorySegment[] pair) {
        checks++;
        long at = pair[0].mismatch(pair[1]);
        return at < 0 ? Optional.empty() : Optional.of(what + " differs at byte " + at);
    }
}
