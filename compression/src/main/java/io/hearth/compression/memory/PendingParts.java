package io.hearth.compression.memory;

import io.hearth.compression.BlockCodec;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.format.Float32;
import java.lang.foreign.MemorySegment;

/**
 * An encoding that is made part by part. Any thread may encode parts, several at a time. The thread that ends the encoding need not be the
 * one that began it; the caller orders their actions (happens-before).
 *
 * <p>The residual of each part goes to its place in the tensor's next memory; a bfloat16 memory is converted to float32 part by part, and
 * rounded again.
 */
public final class PendingParts implements Pending {
    private final BlockCodec codec;
    private final TensorMemory tensor;
    private final MemorySegment gradient;
    private final MemorySegment residual;
    private final MemorySegment nextResidual;
    private final long count;
    private final long seed;
    private final long chance;
    private final ScratchPool scratch;
    private final TensorMemory.Encoding whole;
    private final Covered covered = new Covered();

    /**
     * An encoding without parts yet.
     *
     * @param seed the codec's seed
     * @param chance seed by which a bfloat16 memory rounds
     */
    PendingParts(
            BlockCodec codec,
            TensorMemory tensor,
            MemorySegment gradient,
            long seed,
            long chance,
            ScratchPool scratch) {
        this.codec = codec;
        this.tensor = tensor;
        this.chance = chance;
        this.scratch = scratch;
        count = tensor.floats();
        this.gradient = gradient.asSlice(0, count * Float.BYTES);
        this.seed = seed;
        residual = tensor.now();
        nextResidual = tensor.next();
        whole = tensor.pendNext(0);
    }

    /**
     * Encodes the values from {@code first} on; parts come in any order, each once, from any thread, several at a time too.
     *
     * @param first a multiple of {@link BlockCodec#block}
     * @param n a multiple of {@link BlockCodec#block}, except in the last part, which ends with the tensor
     * @param encoded native memory of at least {@link ErrorFeedback#encodedBytesMax} bytes; written
     * @return bytes written, {@code encodedBytesMax(n)}
     * @throws NonFiniteException as {@link GradientMemory#prepare}; its index counts from the start of the tensor, and the part counts as
     *     not encoded
     * @throws IllegalArgumentException if the range is not a part of the tensor, or some of it was encoded before
     */
    public long encode(long first, long n, MemorySegment encoded) throws NonFiniteException {
        whole.checkPending();
        Float32.checkPart(gradient, first, n, codec.block());
        if (n % codec.block() != 0 && first + n != count) {
            throw new IllegalArgumentException("need a multiple of " + codec.block()
                    + " values in all parts but the last, got " + n + " from " + first + " on of " + count);
        }
        covered.checkFree(first, first + n);
        long written = tensor.isNarrow()
                ? encodeNarrow(first, n, encoded)
                : codec.encodePartWithResidual(gradient, residual, nextResidual, first, n, seed, encoded);
        covered.add(first, first + n, written);
        return written;
    }

    /**
     * Encodes the sum of all members' parts, which this member computes for all of them, and adds the error of that encoding to its own
     * residual. Sums of encodings that are encoded once more lose nothing over time if both encodings have error feedback (Tang et al.,
     * "DoubleSqueeze", ICML 2019, algorithm 1).
     *
     * @param first of the part, whose own values were encoded before
     * @param sum native memory, float32, {@code n} values; written: the error of the encoding
     * @param divisor by which the sum was divided already, 1 or more; the residual is that of the undivided sum
     * @param draw the codec's seed
     * @param encoded as in {@link #encode}
     * @return bytes written, {@code encodedBytesMax(n)}
     * @throws NonFiniteException if a value of the sum cannot be carried; its index counts from the start of the part
     * @throws IllegalStateException if this member's own values of the part were not encoded yet
     */
    public long encodeSum(long first, long n, MemorySegment sum, int divisor, long draw, MemorySegment encoded)
            throws NonFiniteException {
        whole.checkPending();
        covered.checkTaken(first, first + n);
        long written = codec.encodeLeavingError(sum, n, draw, encoded);
        if (tensor.isNarrow()) {
            MemorySegment wide = scratch.take(n);
            tensor.load(nextResidual, first, wide, n);
            Float32.addTimes(sum, divisor, wide, n);
            tensor.keep(wide, nextResidual, first, n, chance + 1);
            scratch.give(wide);
        } else {
            Float32.addTimes(sum, divisor, nextResidual.asSlice(first * Float.BYTES, n * Float.BYTES), n);
        }
        return written;
    }

    private long encodeNarrow(long first, long n, MemorySegment encoded) throws NonFiniteException {
        MemorySegment wide = scratch.take(n);
        MemorySegment wideNext = scratch.take(n);
        try {
            tensor.load(residual, first, wide, n);
            MemorySegment part = gradient.asSlice(first * Float.BYTES, n * Float.BYTES);
            long written = codec.encodePartWithResidual(part, wide, wideNext, 0, n, seed + first, encoded);
            tensor.keep(wideNext, nextResidual, first, n, chance);
            return written;
        } catch (NonFiniteException notCarried) {
            throw notCarried.from(first);
        } finally {
            scratch.give(wide);
            scratch.give(wideNext);
        }
    }

    /** Size of the encodings of all parts so far, their headers included. */
    @Override
    public long encodedBytes() {
        return covered.bytes();
    }

    /**
     * All parts were summed: their residuals are kept.
     *
     * @throws IllegalStateException if a value was not encoded; nothing changes then
     */
    @Override
    public void commit() {
        whole.checkPending();
        long missing = covered.firstFree();
        if (missing < count) {
            throw new IllegalStateException(
                    "value " + missing + " of " + count + " was not encoded: encode all parts, or roll back");
        }
        whole.commit();
    }

    @Override
    public void rollback() {
        whole.rollback();
    }
}
