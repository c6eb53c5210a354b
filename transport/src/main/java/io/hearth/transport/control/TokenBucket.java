package io.hearth.transport.control;

/** A rate limit: tokens are added at a steady rate up to a maximum, and each event takes one. */
final class TokenBucket {
    private static final long SECOND = 1_000_000_000L;

    private final long nanosPerToken;
    private final long brimNanos;
    private long creditNanos;
    private long filledNanos;

    /** Starts full. */
    TokenBucket(int perSecond, int burst, long nowNanos) {
        nanosPerToken = SECOND / perSecond;
        brimNanos = nanosPerToken * burst;
        creditNanos = brimNanos;
        filledNanos = nowNanos;
    }

    /** Whether there is a token at {@code nowNanos}, which never decreases. */
    boolean has(long nowNanos) {
        long passedNanos =
                Math.clamp(nowNanos - filledNanos, 0, brimNanos); // clamped before the sum, which cannot overflow
        creditNanos = Math.min(brimNanos, creditNanos + passedNanos);
        filledNanos = nowNanos;
        return creditNanos >= nanosPerToken;
    }

    void take() {
        creditNanos -= nanosPerToken;
    }
}
