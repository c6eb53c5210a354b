package io.hearth.topology;

import io.hearth.identity.Labels;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The measurements of one path of a connection, in the connection's direction. A path is a pair of addresses; all numbers are measured, and
 * nominal speeds are only part of the evidence.
 *
 * <p>The time of the measurement is monotonic, so a jump of the wall clock cannot change its age. A file holds the wall-clock time instead;
 * its reader subtracts the age from its own monotonic time.
 *
 * @param path address of the measuring node's other end, {@code 192.168.1.7:52416}; the same name in both directions
 * @param kind the kind of network, as the operating system reports it
 * @param evidence what the operating system said about the interface: short, for people; empty if nothing is known
 * @param roundTripNanos smoothed round-trip time, above 0
 * @param bytesPerSecond measured throughput in this direction, above 0; empty before the first measurement
 * @param lossPermille lost packets per thousand; empty before the first measurement
 * @param measuredNanos monotonic time, on the clock of this process, of the latest measurement of throughput or loss; without one, of the
 *     round trip. Heartbeats measure round trips all the time, which must not make an old throughput look new
 */
public record PathProfile(
        String path,
        InterfaceClass kind,
        String evidence,
        long roundTripNanos,
        OptionalLong bytesPerSecond,
        OptionalInt lossPermille,
        long measuredNanos) {
    /** Most characters of a path: an IPv6 address with a zone and a port. */
    public static final int PATH_CHARACTERS_MAX = 80;

    /** Most characters of the evidence. */
    public static final int EVIDENCE_CHARACTERS_MAX = LocalInterface.EVIDENCE_CHARACTERS_MAX;

    /** All packets are lost. */
    public static final int LOSS_PERMILLE_MAX = 1_000;

    /** Weight of a new sample is 1/8, as TCP smooths its round-trip time (RFC 6298). */
    private static final int SMOOTHING = 8;

    public PathProfile {
        path = Labels.clean(path, PATH_CHARACTERS_MAX);
        evidence = Labels.clean(evidence, EVIDENCE_CHARACTERS_MAX);
        if (roundTripNanos < 1) {
            throw new IllegalArgumentException("a round-trip time must be above 0 ns, got " + roundTripNanos);
        }
        if (bytesPerSecond.isPresent() && bytesPerSecond.getAsLong() < 1) {
            throw new IllegalArgumentException("a throughput must be above 0 B/s, got " + bytesPerSecond.getAsLong());
        }
        requireLoss(lossPermille);
    }

    /** A path of which only one round trip is known. */
    public static PathProfile of(
            String path, InterfaceClass kind, String evidence, long roundTripNanos, long measuredNanos) {
        return new PathProfile(
                path, kind, evidence, roundTripNanos, OptionalLong.empty(), OptionalInt.empty(), measuredNanos);
    }

    /** With one more round-trip time, smoothed (exponential moving average). */
    public PathProfile roundTrip(long sampleNanos) {
        long smoothedNanos = roundTripNanos + (sampleNanos - roundTripNanos) / SMOOTHING;
        return new PathProfile(
                path, kind, evidence, Math.max(1, smoothedNanos), bytesPerSecond, lossPermille, measuredNanos);
    }

    /** With a newly measured throughput. */
    public PathProfile throughput(long measuredBytesPerSecond) {
        return new PathProfile(
                path,
                kind,
                evidence,
                roundTripNanos,
                OptionalLong.of(measuredBytesPerSecond),
                lossPermille,
                measuredNanos);
    }

    /** With a newer round-trip time, which its source smoothed already. */
    public PathProfile refreshed(long newRoundTripNanos, long nowNanos) {
        boolean isOnlyRoundTrip = bytesPerSecond.isEmpty() && lossPermille.isEmpty();
        return new PathProfile(
                path,
                kind,
                evidence,
                newRoundTripNanos,
                bytesPerSecond,
                lossPermille,
                isOnlyRoundTrip ? nowNanos : measuredNanos);
    }

    static void requireLoss(OptionalInt permille) {
        if (permille.isPresent() && (permille.getAsInt() < 0 || permille.getAsInt() > LOSS_PERMILLE_MAX)) {
            throw new IllegalArgumentException(
                    "loss must be 0 to " + LOSS_PERMILLE_MAX + " per thousand, got " + permille.getAsInt());
        }
    }

    /** With newly measured loss. */
    public PathProfile loss(int measuredPermille) {
        return new PathProfile(
                path, kind, evidence, roundTripNanos, bytesPerSecond, OptionalInt.of(measuredPermille), measuredNanos);
    }

    /** As measured at another time. */
    public PathProfile measuredAt(long nowNanos) {
        return new PathProfile(path, kind, evidence, roundTripNanos, bytesPerSecond, lossPermille, nowNanos);
    }

    /** Time since the latest measurement, at least 0. */
    public long ageNanos(long nowNanos) {
        return Math.max(0, nowNanos - measuredNanos);
    }
}
