package io.hearth.coordinator.worker;

import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.ExchangeException.Reason;
import io.hearth.coordinator.collective.Manifest;
import io.hearth.coordinator.distributed.wire.BroadcastRequest;
import io.hearth.coordinator.distributed.wire.BroadcastResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Tensors that other workers fetch from this one, part by part, while it waits for them. Any thread. */
final class Published {
    private static final class Open {
        private final Manifest.Entry entry;
        private final float[] values;
        private final Set<Integer> fetching;

        private Open(Manifest.Entry entry, float[] values, Set<Integer> fetching) {
            this.entry = entry;
            this.values = values;
            this.fetching = fetching;
        }
    }

    // Guarded by this.
    private final Map<Arrival.Round, Open> open = new HashMap<>();
    private long world;
    private Set<Integer> absent = Set.of();
    private Optional<ExchangeException> closed = Optional.empty();

    synchronized void open(Arrival.Round round, Manifest.Entry entry, float[] values, Set<Integer> ranks) {
        open.put(round, new Open(entry, values, new TreeSet<>(ranks)));
    }

    /** Answers a call with the part that it asks for. */
    synchronized void serve(UnaryArrival<BroadcastRequest> arrival) {
        @Nullable Open found = arrival.round().map(open::get).orElse(null);
        if (found == null) {
            boolean isOfOthers =
                    arrival.round().filter(its -> its.world() != world).isPresent();
            arrival.fail(new ExchangeException(
                    isOfOthers ? Reason.WORKERS_CHANGED : Reason.TIMEOUT,
                    "the broadcast " + arrival.request().getName() + " is over: it was not fetched in time"));
            return;
        }
        answer(arrival, arrival.rank(), found);
        notifyAll();
    }

    /** Answers the first call of a rank. */
    synchronized void serve(Arrival.Round round, UnaryArrival<BroadcastRequest> arrival, int rank) {
        @Nullable Open found = open.get(round);
        if (found != null) {
            answer(arrival, rank, found);
        }
    }

    private static void answer(UnaryArrival<BroadcastRequest> arrival, int rank, Open from) {
        int length = from.entry.length();
        long offset = arrival.request().getOffset();
        if (offset < 0 || (offset >= length && offset != 0)) {
            arrival.fail(new ExchangeException(
                    Reason.MISMATCH, "offset " + offset + " is not one of " + length + " values"));
            return;
        }
        int part = arrival.round().isPresent()
                ? Math.min(Wire.PART_VALUES, length - (int) offset)
                : length; // others expect a tensor in one message
        arrival.answer(BroadcastResponse.newBuilder()
                .setTensor(Wire.tensor(from.entry, from.values, (int) offset, part))
                .setOffset(offset)
                .build());
        if (offset + part == length) {
            from.fetching.remove(rank);
        }
    }

    /** Waits until all have fetched all. */
    synchronized void awaitFetched(Arrival.Round round, long deadlineNanos)
            throws ExchangeException, InterruptedException {
        @Nullable Open found = open.get(round);
        while (found != null && !found.fetching.isEmpty()) {
            if (closed.isPresent()) {
                throw closed.get();
            }
            if (round.world() < world) {
                throw Arrivals.changed();
            }
            for (int rank : found.fetching) {
                Arrivals.checkPresent(rank, absent);
            }
            long left = deadlineNanos - System.nanoTime();
            if (left <= 0) {
                throw new ExchangeException(
                        Reason.TIMEOUT,
                        "worker " + found.fetching.iterator().next() + " did not fetch " + round.name() + " in time");
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    synchronized void close(Arrival.Round round) {
        open.remove(round);
    }

    /** The group of workers changes: waits for workers of earlier groups end. */
    synchronized void world(long newWorld) {
        world = newWorld;
        absent = Set.of();
        notifyAll();
    }

    /** These ranks have left: waits for them end. */
    synchronized void absent(Set<Integer> ranks) {
        absent = Set.copyOf(ranks);
        notifyAll();
    }

    /** Ends all waits. */
    synchronized void close(ExchangeException why) {
        closed = Optional.of(why);
        notifyAll();
    }
}
