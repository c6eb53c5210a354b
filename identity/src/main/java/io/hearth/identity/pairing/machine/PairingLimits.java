package io.hearth.identity.pairing.machine;

/**
 * Bounds of pairing.
 *
 * @param codeLifeNanos time for which a code is valid
 * @param runNanos time limit of one run
 * @param runsMax failed runs after which a code is invalid, and after which a joining machine gives up
 * @param guestsMax connections to the sponsor, the one of the run included
 * @param waitNanos time for which a joining machine looks for a sponsor
 * @param graceNanos time for which a joining machine waits for another sponsor of the nameplate after a failed run; 0 if a person named the
 *     sponsor
 * @param retryNanos pause before the joining machine dials a sponsor that did not answer again
 * @param dialsMax connections that a joining machine tries
 * @param placesMax sponsors that a joining machine keeps in its state
 * @param welcomeBytesMax size of the sponsor's welcome
 * @param pageBytesMax bytes of the welcome in one message
 */
public record PairingLimits(
        long codeLifeNanos,
        long runNanos,
        int runsMax,
        int guestsMax,
        long waitNanos,
        long graceNanos,
        long retryNanos,
        int dialsMax,
        int placesMax,
        int welcomeBytesMax,
        int pageBytesMax) {
    private static final long SECOND = 1_000_000_000L;

    /** Limits for a home. */
    public static final PairingLimits DEFAULT = new PairingLimits(
            300 * SECOND, 5 * SECOND, 3, 16, 60 * SECOND, 3 * SECOND, SECOND, 64, 64, 300 * 1024, 32 * 1024);

    public PairingLimits {
        if (codeLifeNanos < 1
                || runNanos < 1
                || runsMax < 1
                || guestsMax < 1
                || waitNanos < 1
                || graceNanos < 0
                || retryNanos < 1
                || dialsMax < 1
                || placesMax < 1
                || welcomeBytesMax < 1
                || pageBytesMax < 1
                || pageBytesMax > PairingEncoding.PAGE_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "every limit of pairing must be positive (graceNanos may be 0), and pageBytesMax at most "
                            + PairingEncoding.PAGE_BYTES_MAX);
        }
    }

    /** These limits with another time to look for a sponsor. */
    public PairingLimits waitNanos(long nanos) {
        return new PairingLimits(
                codeLifeNanos,
                runNanos,
                runsMax,
                guestsMax,
                nanos,
                graceNanos,
                retryNanos,
                dialsMax,
                placesMax,
                welcomeBytesMax,
                pageBytesMax);
    }

    /** These limits with another time to wait for another sponsor after a failed run. */
    public PairingLimits graceNanos(long nanos) {
        return new PairingLimits(
                codeLifeNanos,
                runNanos,
                runsMax,
                guestsMax,
                waitNanos,
                nanos,
                retryNanos,
                dialsMax,
                placesMax,
                welcomeBytesMax,
                pageBytesMax);
    }

    /** These limits with another lifetime of a code. */
    public PairingLimits codeLifeNanos(long nanos) {
        return new PairingLimits(
                nanos,
                runNanos,
                runsMax,
                guestsMax,
                waitNanos,
                graceNanos,
                retryNanos,
                dialsMax,
                placesMax,
                welcomeBytesMax,
                pageBytesMax);
    }
}
