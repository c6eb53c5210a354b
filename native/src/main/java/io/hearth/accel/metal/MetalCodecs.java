package io.hearth.accel.metal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntConsumer;

/**
 * The codecs' kernels on the GPU of a {@link MetalEngine}. No call fails: it returns how many values it did, and the caller does the rest
 * on the CPU, which gives the same bits. Operands are not checked.
 */
public final class MetalCodecs {
    private final GpuTurns turns;

    MetalCodecs(GpuTurns turns) {
        this.turns = turns;
    }

    /**
     * Quantises whole blocks to int8 as io.hearth.accel.CodecKernels does. It stops before a piece with a value that is not finite; the
     * CPU finds that value.
     *
     * @param values from {@code valuesOffset} bytes on; the error is left there if {@code leavesError}
     * @param count at least 0
     * @param body written from {@code bodyOffset} bytes on
     * @return how many values are done, from the first one on: whole blocks, or all
     */
    public long quantise(
            Quantising how,
            MemorySegment values,
            long valuesOffset,
            long count,
            boolean leavesError,
            MemorySegment body,
            long bodyOffset) {
        int block = how.block();
        return turns.inPieces(count, turns.countMax(Float.BYTES, block), (first, n) -> {
            int blocks = Math.ceilDiv(n, block);
            long bytes = (long) n * Float.BYTES;
            long bodyBytes = n + (long) blocks * Float.BYTES;
            Dispatch.BufferSlice packed = turns.staging().result(0, bodyBytes);
            Dispatch.BufferSlice left = turns.staging().result(1, bytes);
            Dispatch.BufferSlice bad = turns.staging().result(2, (long) blocks * Integer.BYTES);
            long at = valuesOffset + first * Float.BYTES;
            Dispatch.BufferSlice operand = turns.staging().operand(3, values, at, bytes);
            Dispatch dispatch = turns.dispatch(Kernel.QUANTISE_INT8, blocks)
                    .buffer(packed)
                    .buffer(left)
                    .buffer(bad)
                    .buffer(operand);
            how.encode(dispatch, n, first / block);
            turns.run();
            for (int i = 0; i < blocks; i++) {
                if (contents(bad).getAtIndex(ValueLayout.JAVA_INT, i) != 0) {
                    return false;
                }
            }
            long bodyAt = bodyOffset + first + first / block * Float.BYTES;
            MemorySegment.copy(contents(packed), 0, body, bodyAt, bodyBytes);
            if (leavesError) {
                MemorySegment.copy(contents(left), 0, values, at, bytes);
            }
            return true;
        });
    }

    /**
     * {@code values[i] = values[i] + level[i] * scale}, or without the sum, of int8 levels.
     *
     * @param block values per scale
     * @param body from {@code bodyOffset} bytes on
     * @param values written from {@code valuesOffset} bytes on
     * @param count at least 0
     * @return how many values are done, from the first one on: whole blocks, or all
     */
    public long dequantise(
            int block,
            boolean adds,
            MemorySegment body,
            long bodyOffset,
            MemorySegment values,
            long valuesOffset,
            long count) {
        return turns.inPieces(count, turns.countMax(Float.BYTES, block), (first, n) -> {
            long bytes = (long) n * Float.BYTES;
            long bodyBytes = n + (long) Math.ceilDiv(n, block) * Float.BYTES;
            long at = valuesOffset + first * Float.BYTES;
            long bodyAt = bodyOffset + first + first / block * Float.BYTES;
            Dispatch.BufferSlice sums = turns.staging().result(0, bytes);
            Dispatch.BufferSlice packed = turns.staging().operand(2, body, bodyAt, bodyBytes);
            Dispatch.BufferSlice operand = adds ? turns.staging().operand(1, values, at, bytes) : packed;
            turns.dispatch(Kernel.ADD_INT8, n)
                    .buffer(sums)
                    .buffer(operand)
                    .buffer(packed)
                    .word(n)
                    .word(block)
                    .word(adds ? 1 : 0);
            turns.run();
            MemorySegment.copy(contents(sums), 0, values, at, bytes);
            return true;
        });
    }

    /**
     * Finds the values whose magnitude, as 31 bits, is at least {@code leastBits}.
     *
     * @param count at least 0
     * @param places gets the places of these values, rising
     * @return how many values were looked at, from the first one on
     */
    public long select(MemorySegment values, long valuesOffset, int count, int leastBits, IntConsumer places) {
        return turns.inPieces(count, turns.countMax(Float.BYTES, Kernel.LANES), (first, n) -> {
            int words = Math.ceilDiv(n, Kernel.LANES);
            long bytes = (long) n * Float.BYTES;
            Dispatch.BufferSlice masks = turns.staging().result(0, (long) words * Integer.BYTES);
            Dispatch.BufferSlice operand =
                    turns.staging().operand(1, values, valuesOffset + first * Float.BYTES, bytes);
            turns.dispatch(Kernel.SELECT_FLOAT32, words)
                    .buffer(masks)
                    .buffer(operand)
                    .word(n)
                    .word(leastBits);
            turns.run();
            for (int i = 0; i < words; i++) {
                int place = (int) first + i * Kernel.LANES;
                for (int left = contents(masks).getAtIndex(ValueLayout.JAVA_INT, i); left != 0; left &= left - 1) {
                    places.accept(place + Integer.numberOfTrailingZeros(left));
                }
            }
            return true;
        });
    }

    /** Receives the counts of {@link #histogram}. */
    public interface Counts {
        /** Adds {@code count} values to a bucket, at least 1. */
        void add(int bucket, long count);
    }

    /**
     * Counts the values whose magnitude, as 31 bits, is at least {@code low}: in bucket {@code (magnitude - low) >> shift}, and from
     * {@code high} on in the bucket after the last one.
     *
     * @param count at least 0
     * @param high at least {@code low}, at most {@code low + (buckets << shift)} and 2^31
     * @param largest gets magnitudes of counted values, the largest among them, or 0
     * @return how many values were looked at, from the first one on
     */
    public long histogram(
            MemorySegment values,
            long valuesOffset,
            long count,
            int low,
            long high,
            int shift,
            int buckets,
            Counts counts,
            IntConsumer largest) {
        return turns.inPieces(count, turns.countMax(Float.BYTES, Kernel.LANES), (first, n) -> {
            int groups = Math.ceilDiv(n, Kernel.HISTOGRAM_RUN);
            long bytes = (long) n * Float.BYTES;
            Dispatch.BufferSlice found = turns.staging().clearedResult(0, (buckets + 1L) * Integer.BYTES);
            Dispatch.BufferSlice most = turns.staging().result(1, (long) groups * Integer.BYTES);
            Dispatch.BufferSlice operand =
                    turns.staging().operand(2, values, valuesOffset + first * Float.BYTES, bytes);
            turns.dispatch(Kernel.HISTOGRAM_FLOAT32, groups)
                    .buffer(found)
                    .buffer(most)
                    .buffer(operand)
                    .word(n)
                    .word(low)
                    .word((int) high)
                    .word(shift)
                    .word(buckets);
            turns.run();
            for (int bucket = 0; bucket <= buckets; bucket++) {
                int more = contents(found).getAtIndex(ValueLayout.JAVA_INT, bucket);
                if (more != 0) {
                    counts.add(bucket, more);
                }
            }
            for (int group = 0; group < groups; group++) {
                largest.accept(contents(most).getAtIndex(ValueLayout.JAVA_INT, group));
            }
            return true;
        });
    }

    private static MemorySegment contents(Dispatch.BufferSlice result) {
        return result.buffer().contents();
    }
}
