package io.hearth.accel.metal;

import java.time.Duration;

/**
 * The bounds of the Metal engine.
 *
 * @param bytesMin runs of fewer bytes stay on the CPU, at least 1: a submission costs about 0.2 ms, whatever its size
 * @param pieceBytesMax longer runs go in pieces, one submission each; a multiple of 4, at least 4. Up to four buffers of
 *     this size are kept
 * @param sharedBytesMax how much memory callers may share with the GPU at the same time, at least 0
 * @param submission timeout of one piece, at least 1 ms; a GPU that exceeds it is not asked again. A piece takes milliseconds, but the
 *     work of other programs may be ahead of it. A command buffer that waits for a training step of some seconds looks like one that
 *     hangs, and the CPU is faster than such a GPU
 * @param opening timeout of finding the GPU and compiling the kernels, at least 1 ms
 */
public record MetalLimits(int bytesMin, int pieceBytesMax, long sharedBytesMax, Duration submission, Duration opening) {
    private static final long SHARED_BYTES_MAX = 1L << 30;
    private static final Duration UNMEASURED = Duration.ofSeconds(2);
    private static final long MEASURED_TIMES = 100;

    /** All sizes, in pieces of 16 MiB, 1 GiB to share, 4 s for a piece: a collective waits for 5 s at most. */
    public static final MetalLimits DEFAULTS =
            new MetalLimits(1, 16 << 20, Duration.ofSeconds(4), Duration.ofSeconds(60));

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a value is out of its range
     */
    public MetalLimits {
        if (bytesMin < 1) {
            throw new IllegalArgumentException("need bytesMin >= 1, got " + bytesMin);
        }
        if (pieceBytesMax < 4 || pieceBytesMax % 4 != 0) {
            throw new IllegalArgumentException("need pieceBytesMax to be 4, 8, 12, …, got " + pieceBytesMax);
        }
        if (sharedBytesMax < 0) {
            throw new IllegalArgumentException("need sharedBytesMax >= 0, got " + sharedBytesMax);
        }
        if (submission.toMillis() < 1 || opening.toMillis() < 1) {
            throw new IllegalArgumentException(
                    "submission and opening must be at least 1 ms, got " + submission + " and " + opening);
        }
    }

    /** Limits with 1 GiB to share. */
    public MetalLimits(int bytesMin, int pieceBytesMax, Duration submission, Duration opening) {
        this(bytesMin, pieceBytesMax, SHARED_BYTES_MAX, submission, opening);
    }

    /** The timeout of a submission where the longest that was measured took {@code nanos}: 2 s and a hundred times that. */
    Duration submission(long nanos) {
        Duration expected = UNMEASURED.plusNanos(Math.min(nanos, submission.toNanos()) * MEASURED_TIMES);
        return expected.compareTo(submission) < 0 ? expected : submission;
    }
}
