package io.hearth.identity.pairing.machine;

/**
 * What pairing may cost.
 *
 * @param codeLifeNanos how long a code is good
 * @param runNanos how long one run may take
 * @param runsMax runs that a code lives through, and that a newcomer makes, without success
 * @param guestsMax connections to the sponsor that have not begun a run
 * @param waitNanos how long a newcomer looks for a sponsor
 * @param graceNanos how long a newcomer waits for another sponsor of the nameplate after a failed run; 0 where a person named the one
 * @param retryNanos pause before the newcomer dials the same sponsor again, where nothing answered
 * @param dialsMax connections that a newcomer tries
 * @param placesMax sponsors that a newcomer keeps in mind
 * @param welcomeBytesMax what the sponsor has to say to a new member
 * @param pageBytesMax of the welcome, in one message
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

    /** What a home needs. */
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
                || pageBytesMax > PairingCodec.PAGE_BYTES_MAX) {
            throw new IllegalArgumentException("every limit of pairing must be positive, and a page at most "
                    + PairingCodec.PAGE_BYTES_MAX + " bytes");
        }
    }

    /** These limits for a newcomer that looks for a sponsor for that long. */
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

    /** These limits for a newcomer that waits that long for another sponsor after a failed run. */
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

    /** These limits with another life of a code. */
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
