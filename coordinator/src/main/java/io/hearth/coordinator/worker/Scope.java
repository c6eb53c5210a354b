package io.hearth.coordinator.worker;

import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.collective.World;

/**
 * What one call of a user works with.
 *
 * @param deadlineNanos by {@link System#nanoTime}
 */
record Scope(World world, Peers peers, Meetings meetings, long deadlineNanos) {
    /** How long a failure may take to reach the others. */
    private static final long FAREWELL_NANOS = 1_000_000_000L;

    int rank() {
        return world.rank();
    }

    static String who(int rank) {
        return "worker " + rank;
    }

    Outgoing stream(int rank) throws ExchangeException {
        return new Outgoing(who(rank), peers.stream(world.addresses().get(rank), deadlineNanos), deadlineNanos);
    }

    /** With a little time for telling others of a failure. */
    Scope farewell() {
        return new Scope(world, peers, meetings, Math.max(deadlineNanos, System.nanoTime() + FAREWELL_NANOS));
    }
}
