package io.hearth.compression;

import io.hearth.accel.select.Engines;
import io.hearth.compression.format.Float32;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/** Error feedback for codecs without a faster way: encodes the sum, then subtracts the decoded values. */
final class Residuals {
    private Residuals() {}

    static long encode(
            Codec codec,
            MemorySegment gradient,
            MemorySegment residual,
            MemorySegment nextResidual,
            long count,
            long seed,
            MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(gradient, count);
        Float32.checkRoom(residual, count);
        Float32.checkRoom(nextResidual, count);
        Engines.best().codecKernels().add(nextResidual, 0, gradient, 0, residual, 0, count);
        long bytes = codec.encode(nextResidual, count, seed, encoded);
        leaveError(codec, encoded.asSlice(0, bytes), nextResidual, count);
        return bytes;
    }

    /** Subtracts the decoded values of {@code encoded} from the values that it was made of. */
    static void leaveError(Codec codec, MemorySegment encoded, MemorySegment values, long count) {
        // The codec can only add. So it adds to the negated values, and the result is negated.
        negate(values, count, false);
        try {
            codec.decodeAndAdd(encoded, values, count);
        } catch (MalformedMessageException bug) {
            throw new AssertionError(codec.name() + " cannot read what it wrote", bug);
        }
        negate(values, count, codec.carriesNonFinite());
    }

    /** Negates the values. If the codec carries values that are not finite, their error is 0. */
    private static void negate(MemorySegment values, long count, boolean carried) {
        float[] block = new float[(int) Math.min(Float32.BLOCK, count)];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            Float32.load(values, done, block, n);
            for (int i = 0; i < n; i++) {
                block[i] = carried && !Float.isFinite(block[i]) ? 0 : 0f - block[i];
            }
            Float32.store(block, values, done, n);
        }
    }
}
