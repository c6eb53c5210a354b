package io.hearth.topology;

import io.hearth.identity.NodeId;
import java.util.OptionalLong;

/**
 * The measurements of one direction between two nodes; it holds no nominal speeds.
 *
 * @param from the node that measured
 * @param to the other end
 * @param kind the kind of network of the path, as the measuring node's system reports it
 * @param roundTripNanos smoothed round-trip time, above 0
 * @param bytesPerSecond measured throughput in this direction, above 0; empty before the first measurement
 * @param path address of the other end, {@code 192.168.1.7:52416}
 */
public record ConnectionProfile(
        NodeId from, NodeId to, InterfaceClass kind, long roundTripNanos, OptionalLong bytesPerSecond, String path) {
    /** Weight of a new sample is 1/8, as TCP smooths its round-trip time (RFC 6298). */
    private static final int SMOOTHING = 8;

    public ConnectionProfile {
        if (from.equals(to)) {
            throw new IllegalArgumentException(
                    "a connection needs two different ends, got " + from.shortText() + " twice");
        }
        if (roundTripNanos < 1) {
            throw new IllegalArgumentException("a round-trip time must be above 0 ns, got " + roundTripNanos);
        }
        if (bytesPerSecond.isPresent() && bytesPerSecond.getAsLong() < 1) {
            throw new IllegalArgumentException("a throughput must be above 0 B/s, got " + bytesPerSecond.getAsLong());
        }
    }

    /** A connection of which only one round trip is known. */
    public static ConnectionProfile of(NodeId from, NodeId to, InterfaceClass kind, long roundTripNanos, String path) {
        return new ConnectionProfile(from, to, kind, roundTripNanos, OptionalLong.empty(), path);
    }

    /** With one more round-trip time, smoothed (exponential moving average). */
    public ConnectionProfile roundTrip(long sampleNanos) {
        long smoothedNanos = roundTripNanos + (sampleNanos - roundTripNanos) / SMOOTHING;
        return new ConnectionProfile(from, to, kind, Math.max(1, smoothedNanos), bytesPerSecond, path);
    }

    /** With a newly measured throughput. */
    public ConnectionProfile throughput(long measuredBytesPerSecond) {
        return new ConnectionProfile(from, to, kind, roundTripNanos, OptionalLong.of(measuredBytesPerSecond), path);
    }
}
