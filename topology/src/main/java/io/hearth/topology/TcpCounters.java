package io.hearth.topology;

import java.util.OptionalInt;

/**
 * What TCP sent from this machine since it started. The loss of a path shows in them, because nothing but a train moves during a measurement.
 *
 * @param sent segments, repeated ones among them; at least 0
 * @param repeated segments that were sent again because no acknowledgement came; at least 0
 */
public record TcpCounters(long sent, long repeated) {
    /** Fewer segments tell nothing about loss. */
    static final long SENT_MIN = 100;

    /** The share of segments that were lost since then, per thousand; empty if too few were sent, or the counters began anew. */
    public OptionalInt lossPermilleSince(TcpCounters before) {
        long since = sent - before.sent;
        long again = repeated - before.repeated;
        return since < SENT_MIN || again < 0 || again > since
                ? OptionalInt.empty()
                : OptionalInt.of((int) Math.round(1e3 * (double) again / (double) since));
    }
}
