package io.hearth.transport.machine;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.transport.StreamId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The accepting side's table of data streams: requests of peers, streams being opened here, and valid tickets.
 *
 * <p>A ticket is issued when there are both the peer's request and this node's own open, in either order. It is valid for one connection
 * within {@link #LIFE_NANOS}. A later request for the same stream makes an earlier ticket void. So there is at most one ticket for each
 * stream being opened, and a peer's messages cannot make the table grow.
 *
 * <p>No clock, threads or random source of its own: the shell locks, passes the time and supplies tickets.
 *
 * @param <L> the link over which a request came
 */
public final class StreamTickets<L> {
    /** Size of a ticket. */
    public static final int TICKET_BYTES = 16;

    /** Lifetime of requests and tickets. */
    static final long LIFE_NANOS = 5_000_000_000L;

    /** A stream between this node and a peer. */
    public record Wanted(NodeId peer, StreamId id) {}

    /** A ticket to send to the peer over {@code link}. */
    public record Offer<L>(L link, long request, Bytes ticket) {}

    /** The stream and the link of a redeemed ticket. */
    public record Grant<L>(Wanted wanted, L link) {}

    private record Request<L>(L link, long number, long arrivedNanos) {}

    private record Issued<L>(Wanted wanted, L link, long issuedNanos) {}

    private final int entriesMax;
    private final Supplier<Bytes> random;
    private final Map<Wanted, Optional<Bytes>> opening = new HashMap<>(); // with the valid ticket, if any
    private final LinkedHashMap<Wanted, Request<L>> requests = new LinkedHashMap<>();
    private final Map<Bytes, Issued<L>> issued = new HashMap<>();

    /**
     * @param entriesMax streams being opened at once, and requests kept
     * @param random fresh, unpredictable {@link #TICKET_BYTES}
     */
    public StreamTickets(int entriesMax, Supplier<Bytes> random) {
        this.entriesMax = entriesMax;
        this.random = random;
    }

    /**
     * Starts to open this node's end. Returns false if it is already being opened, or too many streams are. Must be followed by {@link
     * #closed}.
     */
    public boolean opened(Wanted wanted) {
        return opening.size() < entriesMax && opening.putIfAbsent(wanted, Optional.empty()) == null;
    }

    /** A ticket for a request that came before this node's open, if there is one. */
    public Optional<Offer<L>> pending(Wanted wanted, long nowNanos) {
        Request<L> request = requests.remove(wanted);
        return request == null || nowNanos - request.arrivedNanos() > LIFE_NANOS
                ? Optional.empty()
                : Optional.of(issue(wanted, request.link(), request.number(), nowNanos));
    }

    /** Handles a peer's request. Returns a ticket if this node is opening its end; otherwise the request waits for that. */
    public Optional<Offer<L>> requested(Wanted wanted, L link, long number, long nowNanos) {
        if (opening.containsKey(wanted)) {
            return Optional.of(issue(wanted, link, number, nowNanos));
        }
        requests.putLast(wanted, new Request<>(link, number, nowNanos));
        if (requests.size() > entriesMax) {
            requests.pollFirstEntry();
        }
        return Optional.empty();
    }

    /** Whether a valid ticket was sent over such a link. */
    public boolean isOut(Predicate<L> link, long nowNanos) {
        return issued.values().stream()
                .anyMatch(out -> nowNanos - out.issuedNanos() <= LIFE_NANOS && link.test(out.link()));
    }

    /** Removes a ticket from the table; empty if it is unknown, used, void or too old. */
    public Optional<Grant<L>> redeem(Bytes ticket, long nowNanos) {
        Issued<L> out = issued.remove(ticket);
        if (out == null) {
            return Optional.empty();
        }
        opening.computeIfPresent(out.wanted(), (_, _) -> Optional.empty());
        return nowNanos - out.issuedNanos() > LIFE_NANOS
                ? Optional.empty()
                : Optional.of(new Grant<>(out.wanted(), out.link()));
    }

    /** Ends this node's open, with a stream or without one. */
    public void closed(Wanted wanted) {
        Optional<Bytes> out = opening.remove(wanted);
        if (out != null) {
            out.ifPresent(issued::remove);
        }
    }

    /** Drops the requests and tickets of that node. */
    public void lost(NodeId peer) {
        requests.keySet().removeIf(wanted -> wanted.peer().equals(peer));
        issued.values().removeIf(out -> out.wanted().peer().equals(peer));
    }

    private Offer<L> issue(Wanted wanted, L link, long number, long nowNanos) {
        Bytes ticket = random.get();
        Optional<Bytes> before = opening.put(wanted, Optional.of(ticket));
        if (before != null) {
            before.ifPresent(issued::remove);
        }
        issued.put(ticket, new Issued<>(wanted, link, nowNanos));
        return new Offer<>(link, number, ticket);
    }
}
