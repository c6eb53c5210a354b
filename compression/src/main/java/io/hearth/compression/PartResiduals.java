package io.hearth.compression;

import java.lang.foreign.MemorySegment;

/**
 * The parts of one encoding: what each leaves out goes to its place in the tensor's next memory. Of a narrow memory a part is made wide for
 * that, and rounded again.
 */
final class PartResiduals implements PendingParts {
    private final BlockCodec codec;
    private final TensorMemory tensor;
    private final MemorySegment gradient;
    private final MemorySegment owed;
    private final MemorySegment left;
    private final long count;
    private final long seed;
    private final long chance;
    private final Spares spares;
    private final TensorMemory.Encoding whole;
    private final Covered covered = new Covered();

    /**
     * None yet.
     *
     * @param seed the codec's
     * @param chance by which a narrow memory rounds
     */
    PartResiduals(
            BlockCodec codec, TensorMemory tensor, MemorySegment gradient, long seed, long chance, Spares spares) {
        this.codec = codec;
        this.tensor = tensor;
        this.chance = chance;
        this.spares = spares;
        count = tensor.floats();
        this.gradient = gradient.asSlice(0, count * Float.BYTES);
        this.seed = seed;
        owed = tensor.now();
        left = tensor.next();
        whole = tensor.pendNext(0);
    }

    @Override
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
                : codec.encodePartOwing(gradient, owed, left, first, n, seed, encoded);
        covered.add(first, first + n, written);
        return written;
    }

    @Override
    public long encodeSum(long first, long n, MemorySegment sum, int divisor, long draw, MemorySegment encoded)
            throws NonFiniteException {
        whole.checkPending();
        covered.checkTaken(first, first + n);
        long written = codec.encodeLeavingError(sum, n, draw, encoded);
        if (tensor.isNarrow()) {
            MemorySegment wide = spares.take(n);
            tensor.load(left, first, wide, n);
            Float32.addTimes(sum, divisor, wide, n);
            tensor.keep(wide, left, first, n, chance + 1);
            spares.give(wide);
        } else {
            Float32.addTimes(sum, divisor, left.asSlice(first * Float.BYTES, n * Float.BYTES), n);
        }
        return written;
    }

    private long encodeNarrow(long first, long n, MemorySegment encoded) throws NonFiniteException {
        MemorySegment owes = spares.take(n);
        MemorySegment leaves = spares.take(n);
        try {
            tensor.load(owed, first, owes, n);
            MemorySegment part = gradient.asSlice(first * Float.BYTES, n * Float.BYTES);
            long written = codec.encodePartOwing(part, owes, leaves, 0, n, seed + first, encoded);
            tensor.keep(leaves, left, first, n, chance);
            return written;
        } catch (NonFiniteException notCarried) {
            throw notCarried.from(first);
        } finally {
            spares.give(owes);
            spares.give(leaves);
        }
    }

    @Override
    public long encodedBytes() {
        return covered.bytes();
    }

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
