package io.hearth.transport.stream;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.transport.machine.StreamTickets;
import io.hearth.transport.machine.StreamTickets.Grant;
import io.hearth.transport.machine.StreamTickets.Offer;
import io.hearth.transport.machine.StreamTickets.Wanted;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The streams that this node is opening, under one lock: their tickets, connections in their greeting, and arrived streams.
 *
 * <p>A peer that redeemed a ticket may have its stream before this side is done with it, and will not ask again. So a thread that gives up
 * first makes the tickets void, then waits for the redeemed ones ({@link #end}).
 *
 * @param <L> the link over which a request came
 * @param <S> a stream
 */
final class PendingStreams<L, S> {
    private final ReentrantLock lock = new ReentrantLock(); // guards all below
    private final StreamTickets<L> tickets;
    private final Map<Wanted, Opening<S>> openings = new HashMap<>(); // bounded by the tickets

    private static final class Opening<S> {
        private final CompletableFuture<Optional<S>> arrival =
                new CompletableFuture<>(); // empty: no stream will arrive
        private int greeted; // connections in their greeting now
        private boolean ending;
    }

    PendingStreams(int entriesMax, Supplier<Bytes> random) {
        tickets = new StreamTickets<>(entriesMax, random);
    }

    /** A connection with a valid ticket; closed after its stream {@link #arrived} or it was rejected. */
    final class Greeting implements AutoCloseable {
        private final Grant<L> grant;
        private final @Nullable Opening<S> opening;

        private Greeting(Grant<L> grant, @Nullable Opening<S> opening) {
            this.grant = grant;
            this.opening = opening;
        }

        Grant<L> grant() {
            return grant;
        }

        /** Hands the stream over. Returns false if no thread waits for it any more. */
        boolean arrived(S stream) {
            return opening != null && opening.arrival.complete(Optional.of(stream));
        }

        @Override
        public void close() {
            locked(() -> {
                if (opening != null) {
                    opening.greeted--;
                    settle(opening);
                }
                return true;
            });
        }
    }

    /**
     * Starts to open this node's end. Returns false if it is already being opened, or too many streams are. Must be followed by {@link
     * #drop}.
     */
    boolean begin(Wanted wanted) {
        return locked(() -> {
            if (openings.containsKey(wanted) || !tickets.opened(wanted)) {
                return false;
            }
            openings.put(wanted, new Opening<>());
            return true;
        });
    }

    /** As {@link StreamTickets#pending}. */
    Optional<Offer<L>> pending(Wanted wanted, long nowNanos) {
        return locked(() -> tickets.pending(wanted, nowNanos));
    }

    /** As {@link StreamTickets#requested}. */
    Optional<Offer<L>> requested(Wanted wanted, L link, long number, long nowNanos) {
        return locked(() -> tickets.requested(wanted, link, number, nowNanos));
    }

    /** As {@link StreamTickets#isOut}. */
    boolean isAwaited(Predicate<L> link, long nowNanos) {
        return locked(() -> tickets.isOut(link, nowNanos));
    }

    /** As {@link StreamTickets#redeem}. */
    Optional<Greeting> redeem(Bytes ticket, long nowNanos) {
        return locked(() -> tickets.redeem(ticket, nowNanos).map(grant -> {
            Opening<S> opening = openings.get(grant.wanted());
            if (opening != null) {
                opening.greeted++;
            }
            return new Greeting(grant, opening);
        }));
    }

    /** The stream, if it arrives in time. */
    Optional<S> await(Wanted wanted, long waitNanos) throws InterruptedException {
        Opening<S> opening = locked(() -> openings.get(wanted));
        return opening == null ? Optional.empty() : await(opening, waitNanos);
    }

    /**
     * Makes the tickets void, waits for connections in their greeting, and returns the stream if one arrives or did before.
     *
     * @param waitNanos longest wait
     */
    Optional<S> end(Wanted wanted, long waitNanos) throws InterruptedException {
        Opening<S> opening = locked(() -> {
            tickets.closed(wanted);
            Opening<S> ends = openings.get(wanted);
            if (ends != null) {
                ends.ending = true;
                settle(ends);
            }
            return ends;
        });
        return opening == null ? Optional.empty() : await(opening, waitNanos);
    }

    /** Ends the opening. Returns the stream that arrived, taken or not; later ones are rejected. */
    Optional<S> drop(Wanted wanted) {
        return locked(() -> {
            tickets.closed(wanted);
            Opening<S> dropped = openings.remove(wanted);
            if (dropped == null) {
                return Optional.empty();
            }
            dropped.arrival.complete(Optional.empty());
            return dropped.arrival.join();
        });
    }

    /** Drops the requests and tickets of that node. */
    void lost(NodeId peer) {
        locked(() -> {
            tickets.lost(peer);
            return true;
        });
    }

    /** Ends the wait for a stream that cannot come. Call it under the lock. */
    private static <S> void settle(Opening<S> opening) {
        if (opening.ending && opening.greeted == 0) {
            opening.arrival.complete(Optional.empty());
        }
    }

    private static <S> Optional<S> await(Opening<S> opening, long waitNanos) throws InterruptedException {
        try {
            return opening.arrival.get(waitNanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException notYet) {
            return Optional.empty();
        } catch (ExecutionException impossible) {
            throw new AssertionError("never completed with a failure", impossible);
        }
    }

    private <T extends @Nullable Object> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
