package io.hearth.coordinator.worker;

import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.ExchangeException.Reason;
import io.hearth.coordinator.worker.Arrival.Round;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Calls of other workers that wait for this worker to come to their round. Any thread. */
final class Arrivals<A extends Arrival> {
    private static final int WAITING_MAX = 20_000;
    private static final long BYTES_MAX = 256L * 1024 * 1024; // of all that wait

    /** The last round that this worker has left, of one name. */
    private record Over(long number, Optional<ExchangeException> failure) {}

    private final ScheduledExecutorService timer;
    private final Duration patience;

    // Guarded by this.
    private final Map<Round, TreeMap<Integer, A>> waiting = new HashMap<>();
    private final Map<A, Future<?>> withoutRound = new LinkedHashMap<>(); // with the end of its patience
    private final Map<String, Over> over = new HashMap<>();
    private long world;
    private int count;
    private long bytes;
    private Set<Integer> absent = Set.of();
    private Optional<ExchangeException> closed = Optional.empty();

    Arrivals(ScheduledExecutorService timer, Duration patience) {
        this.timer = timer;
        this.patience = patience;
    }

    /** A call came. It is taken, or fails. */
    synchronized void arrive(A arrival) {
        Optional<ExchangeException> why = closed.or(() -> arrival.round().flatMap(this::isTooLate));
        if (why.isPresent()) {
            arrival.fail(why.get());
            return;
        }
        if (count >= WAITING_MAX) {
            arrival.fail(new ExchangeException(
                    Reason.TOO_LARGE, WAITING_MAX + " calls wait for this worker already, which is the limit"));
            return;
        }
        if (bytes + arrival.bytes() > BYTES_MAX) {
            arrival.fail(new ExchangeException(
                    Reason.TOO_LARGE,
                    "calls of " + BYTES_MAX + " bytes wait for this worker, which is the limit: call later"));
            return;
        }
        if (arrival.round().isPresent()) {
            Round round = arrival.round().get();
            TreeMap<Integer, A> same = waiting.computeIfAbsent(round, _ -> new TreeMap<>());
            if (same.containsKey(arrival.rank())) {
                arrival.fail(new ExchangeException(
                        Reason.MISMATCH,
                        "worker " + arrival.rank() + " has come to round " + round.number()
                                + " already: two workers have one rank"));
                return;
            }
            same.put(arrival.rank(), arrival);
        } else {
            withoutRound.put( // its caller may have set no deadline
                    arrival, timer.schedule(() -> expire(arrival), patience.toNanos(), TimeUnit.NANOSECONDS));
        }
        count++;
        bytes += arrival.bytes();
        notifyAll();
    }

    private Optional<ExchangeException> isTooLate(Round round) {
        if (round.world() < world) {
            return Optional.of(changed());
        }
        Over last = over.get(round.name());
        if (round.world() == world && last != null && round.number() <= last.number()) {
            return round.number() == last.number() && last.failure().isPresent()
                    ? last.failure()
                    : Optional.of(new ExchangeException(
                            Reason.MISMATCH,
                            "round " + round.number() + " is over, this worker has come to " + (last.number() + 1)
                                    + ": all workers make the same calls in the same order"));
        }
        return Optional.empty();
    }

    static ExchangeException changed() {
        return new ExchangeException(
                Reason.WORKERS_CHANGED, "workers left or came meanwhile: call again, the call is then of the new ones");
    }

    static void checkPresent(int rank, Set<Integer> absent) throws ExchangeException {
        if (absent.contains(rank)) {
            throw new ExchangeException(
                    Reason.WORKERS_CHANGED, "worker " + rank + " has left: call again when another one has come");
        }
    }

    private void expire(A arrival) {
        if (leave(arrival)) {
            arrival.fail(new ExchangeException(
                    Reason.TIMEOUT, "worker has made no such call within " + patience.toMillis() + " ms"));
        }
    }

    /** The caller is gone; returns whether it still waited. */
    synchronized boolean leave(A arrival) {
        @Nullable Future<?> patienceEnd = withoutRound.remove(arrival);
        if (patienceEnd != null) {
            patienceEnd.cancel(false);
        }
        boolean isGone = patienceEnd != null;
        if (!isGone && arrival.round().isPresent()) {
            Round round = arrival.round().get();
            TreeMap<Integer, A> same = waiting.get(round);
            isGone = same != null && same.remove(arrival.rank(), arrival);
            if (same != null && same.isEmpty()) {
                waiting.remove(round);
            }
        }
        if (isGone) {
            count--;
            bytes -= arrival.bytes();
        }
        return isGone;
    }

    /** Waits for the call of a rank. */
    synchronized A take(Round round, int rank, long deadlineNanos) throws ExchangeException, InterruptedException {
        while (true) {
            if (closed.isPresent()) {
                throw closed.get();
            }
            if (round.world() != world) {
                throw changed();
            }
            @Nullable A found = find(round, rank);
            if (found != null) {
                var _ = leave(found);
                return found;
            }
            checkPresent(rank, absent);
            long left = deadlineNanos - System.nanoTime();
            if (left <= 0) {
                throw new ExchangeException(
                        Reason.TIMEOUT, "worker " + rank + " did not come to round " + round.number() + " in time");
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    private @Nullable A find(Round round, int rank) {
        TreeMap<Integer, A> same = waiting.get(round);
        @Nullable A found = same == null ? null : same.get(rank);
        return found != null
                ? found
                : withoutRound.keySet().stream()
                        .filter(each -> each.rank() == -1 || each.rank() == rank)
                        .findFirst()
                        .orElse(null);
    }

    /** This worker has left a round; calls that come to it later fail. */
    synchronized void leaveRound(Round round, Optional<ExchangeException> failure) {
        if (round.world() != world) {
            return; // of workers that are no more
        }
        over.put(round.name(), new Over(round.number(), failure));
        failAll(each -> each.world() == world && each.name().equals(round.name()) && each.number() <= round.number());
    }

    /** These ranks have left: nobody waits for them. */
    synchronized void absent(Set<Integer> ranks) {
        absent = Set.copyOf(ranks);
        notifyAll();
    }

    /** From now on this worker is one of these workers. */
    synchronized void world(long newWorld) {
        absent = Set.of();
        if (newWorld != world) {
            world = newWorld;
            over.clear();
            failAll(each -> each.world() < newWorld);
        }
        notifyAll();
    }

    private void failAll(Predicate<Round> which) {
        List<A> all = waiting.values().stream()
                .flatMap(same -> same.values().stream())
                .filter(each -> each.round().filter(which).isPresent())
                .toList();
        for (A arrival : all) {
            var _ = leave(arrival);
            arrival.fail(arrival.round().flatMap(this::isTooLate).orElseGet(Arrivals::changed));
        }
    }

    synchronized void close(ExchangeException why) {
        closed = Optional.of(why);
        for (TreeMap<Integer, A> same : waiting.values()) {
            same.values().forEach(each -> each.fail(why));
        }
        waiting.clear();
        withoutRound.keySet().forEach(each -> each.fail(why));
        withoutRound.clear(); // the timer ends with the worker
        count = 0;
        bytes = 0;
        notifyAll();
    }
}
