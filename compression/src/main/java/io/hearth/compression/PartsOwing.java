package io.hearth.compression;

import java.lang.foreign.MemorySegment;

/** The parts of one encoding: what each leaves out goes to its place in the tensor's next memory. */
final class PartsOwing implements ErrorFeedback.Parts {
    private final BlockCodec codec;
    private final MemorySegment gradient;
    private final MemorySegment owed;
    private final MemorySegment left;
    private final long count;
    private final long seed;
    private final Remembered.Encoding whole;
    private final Covered covered = new Covered();

    PartsOwing(BlockCodec codec, Remembered tensor, MemorySegment gradient, long count, long seed) {
        this.codec = codec;
        this.gradient = gradient.asSlice(0, count * Float.BYTES);
        this.count = count;
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
        long written = codec.encodePartOwing(gradient, owed, left, first, n, seed, encoded);
        covered.add(first, first + n, written);
        return written;
    }

    @Override
    public long encodeSum(long first, long n, MemorySegment sum, int divisor, long draw, MemorySegment encoded)
            throws NonFiniteException {
        whole.checkPending();
        covered.checkTaken(first, first + n);
        long written = codec.encodeLeavingError(sum, n, draw, encoded);
        Float32.addTimes(sum, divisor, left.asSlice(first * Float.BYTES, n * Float.BYTES), n);
        return written;
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
