package io.hearth.coordinator.worker;

import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.ExchangeException.Reason;
import io.hearth.coordinator.collective.World;

/**
 * What one call of a user works with.
 *
 * @param deadlineNanos by {@link System#nanoTime}
 */
record Scope(World world, Peers peers, Meetings meetings, long deadlineNanos) {
    /** Least time for telling the others of a failure. */
    private static final long FAREWELL_NANOS = 1_000_000_000L;

    int rank() {
        return world.rank();
    }

    static String who(int rank) {
        return "worker " + rank;
    }

    ExchangeException interrupted() {
        return new ExchangeException(Reason.CLOSED, who(rank()) + " was interrupted");
    }

    Outgoing stream(int rank) throws ExchangeException {
        return new Outgoing(who(rank), peers.stream(world.addresses().get(rank), deadlineNanos), deadlineNanos);
    }

    /** For telling others of a failure: they hear of it when they come to the call, which they do until its deadline. */
    Scope farewell() {
        return until(Math.max(deadlineNanos, System.nanoTime() + FAREWELL_NANOS));
    }

    /** For telling others that this worker was interrupted. It does not wait for those that have not come. */
    Scope shortFarewell() {
        return until(System.nanoTime() + FAREWELL_NANOS);
    }

    private Scope until(long newDeadlineNanos) {
        return new Scope(world, peers, meetings, newDeadlineNanos);
    }
}
