package io.hearth.coordinator.worker;

import io.hearth.coordinator.ExchangeException;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The calls of other workers that one round of this worker has taken; all get the same end. */
final class Gathering<A extends Arrival> {
    private final Arrivals<A> arrivals;
    private final Arrival.Round round;
    private final long deadlineNanos;
    private final TreeMap<Integer, A> taken = new TreeMap<>();

    Gathering(Arrivals<A> arrivals, Arrival.Round round, long deadlineNanos) {
        this.arrivals = arrivals;
        this.round = round;
        this.deadlineNanos = deadlineNanos;
    }

    /** Waits for the call of a rank. */
    A take(int rank) throws ExchangeException, InterruptedException {
        A arrival = arrivals.take(round, rank, deadlineNanos);
        taken.put(rank, arrival);
        return arrival;
    }

    SortedMap<Integer, A> taken() {
        return taken;
    }

    /** The round is done; the calls are still to be answered. */
    void done() {
        arrivals.leaveRound(round, Optional.empty());
    }

    void fail(ExchangeException why) {
        arrivals.leaveRound(round, Optional.of(why));
        taken.values().forEach(each -> each.fail(why));
    }
}
