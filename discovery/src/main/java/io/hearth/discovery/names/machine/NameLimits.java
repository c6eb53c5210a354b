package io.hearth.discovery.names.machine;

import java.util.OptionalLong;

/**
 * Bounds of lookups.
 *
 * @param addressesMax most addresses of one name; those behind are left out
 * @param questionsMax most questions of one round of one name
 * @param ttlMinNanos shortest time until a name with addresses is looked up again
 * @param ttlMaxNanos longest such time
 * @param refreshNanos such time if the resolver gives none
 * @param retryMinNanos pause after the first round without addresses; doubles with each further one
 * @param retryMaxNanos longest pause after rounds without addresses
 * @param slowAfterNanos time after which a missing answer is reported
 */
public record NameLimits(
        int addressesMax,
        int questionsMax,
        long ttlMinNanos,
        long ttlMaxNanos,
        long refreshNanos,
        long retryMinNanos,
        long retryMaxNanos,
        long slowAfterNanos) {
    private static final long SECOND = 1_000_000_000;

    /** The limits of every node. */
    public static final NameLimits DEFAULT =
            new NameLimits(256, 64, 5 * SECOND, 300 * SECOND, 60 * SECOND, SECOND, 60 * SECOND, 5 * SECOND);

    public NameLimits {
        if (addressesMax < 1 || questionsMax < 1) {
            throw new IllegalArgumentException(
                    "need at least one address and one question, got " + addressesMax + " and " + questionsMax);
        }
        if (ttlMinNanos < 1
                || ttlMaxNanos < ttlMinNanos
                || refreshNanos < 1
                || retryMinNanos < 1
                || retryMaxNanos < retryMinNanos
                || slowAfterNanos < 1) {
            throw new IllegalArgumentException(
                    "need 0 < ttlMin <= ttlMax, 0 < retryMin <= retryMax, refresh and slowAfter above 0");
        }
    }

    /** The time for which an answer is used. */
    long validNanos(OptionalLong ttlSeconds) {
        if (ttlSeconds.isEmpty()) {
            return refreshNanos;
        }
        long seconds = Math.min(ttlSeconds.getAsLong(), ttlMaxNanos / SECOND + 1);
        return Math.clamp(seconds * SECOND, ttlMinNanos, ttlMaxNanos);
    }

    /** The pause after {@code failures} rounds without addresses, at least one. */
    long pauseNanos(int failures) {
        int doublings = Math.min(failures - 1, 30);
        return retryMinNanos > retryMaxNanos >> doublings ? retryMaxNanos : retryMinNanos << doublings;
    }
}
