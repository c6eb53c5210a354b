package io.hearth.discovery.mdns.machine;

import io.hearth.discovery.table.PeerTable;

/** Lets a burst through, and then a fixed number per second. Full at the start. */
final class TokenBucket {
    private final long nanosEach;
    private final long fullNanos;
    private long savedNanos;
    private long atNanos;

    TokenBucket(int burst, int perSecond, long nowNanos) {
        this.nanosEach = PeerTable.SECOND / perSecond;
        this.fullNanos = burst * nanosEach;
        this.savedNanos = fullNanos;
        this.atNanos = nowNanos;
    }

    /** Takes a token, if there is one. */
    boolean take(long nowNanos) {
        savedNanos = Math.min(fullNanos, savedNanos + Math.max(0, Math.min(fullNanos, nowNanos - atNanos)));
        atNanos = nowNanos;
        if (savedNanos < nanosEach) {
            return false;
        }
        savedNanos -= nanosEach;
        return true;
    }
}
