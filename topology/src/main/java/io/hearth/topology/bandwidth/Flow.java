package io.hearth.topology.bandwidth;

/**
 * What arrived from one peer in collectives: counters that only grow, or the difference of two of them.
 *
 * @param bytes all of them, 0 or more
 * @param wireBytes bytes that arrived while only the network could delay them, 0 or more
 * @param wireNanos time in which they arrived, 0 or more
 * @param silentNanos time in which this node waited and the peer had sent nothing, 0 or more
 */
public record Flow(long bytes, long wireBytes, long wireNanos, long silentNanos) {
    /** Nothing arrived. */
    public static final Flow NONE = new Flow(0, 0, 0, 0);

    public Flow {
        if (bytes < 0 || wireBytes < 0 || wireNanos < 0 || silentNanos < 0) {
            throw new IllegalArgumentException("a flow needs numbers of 0 or more, got " + bytes + " and " + wireBytes
                    + " bytes, " + wireNanos + " and " + silentNanos + " ns");
        }
    }

    /** What came since an earlier reading; all of it if the counters began anew since then. */
    public Flow since(Flow earlier) {
        boolean isLater = bytes >= earlier.bytes
                && wireBytes >= earlier.wireBytes
                && wireNanos >= earlier.wireNanos
                && silentNanos >= earlier.silentNanos;
        return isLater
                ? new Flow(
                        bytes - earlier.bytes,
                        wireBytes - earlier.wireBytes,
                        wireNanos - earlier.wireNanos,
                        silentNanos - earlier.silentNanos)
                : this;
    }

    /** Both together. */
    public Flow plus(Flow other) {
        return new Flow(
                bytes + other.bytes,
                wireBytes + other.wireBytes,
                wireNanos + other.wireNanos,
                silentNanos + other.silentNanos);
    }

    /** Bytes per second while only the network was the limit; 0 if it never was. */
    public long wireBytesPerSecond() {
        return wireNanos == 0 ? 0 : Math.max(1, (long) ((double) wireBytes * 1e9 / (double) wireNanos));
    }
}
