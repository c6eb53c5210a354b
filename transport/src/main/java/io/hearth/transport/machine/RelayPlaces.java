package io.hearth.transport.machine;

import io.hearth.core.Bytes;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The connections that this node passes on for others, and the tickets for them. A ticket is valid for one connection within {@link
 * StreamTickets#LIFE_NANOS}. Tickets and connections share a bounded number of places, so a member that asks without end takes only its own.
 *
 * <p>No clock, threads or random source of its own: the shell locks, passes the time and supplies tickets.
 *
 * @param <L> a link
 */
public final class RelayPlaces<L> {
    /** Most connections and tickets at once. */
    static final int PLACES_MAX = 64;

    /** Most of them for one asking node: a link, the streams of a group, and some that end just now. */
    static final int PLACES_OF_ONE_MAX = 16;

    /**
     * Permission to pass one connection on.
     *
     * @param from link to the node that asked
     * @param to link to the node that it wants to reach
     * @param toData whether the connection goes to the port of data streams; else to that of links
     */
    public record Pass<L>(L from, L to, boolean toData) {}

    private record Issued<L>(Pass<L> pass, long issuedNanos) {}

    private final Supplier<Bytes> random;
    private final LinkedHashMap<Bytes, Issued<L>> issued = new LinkedHashMap<>(); // oldest first
    private final Map<L, Integer> open = new HashMap<>(); // connections by asking link; no entry for none

    /** @param random fresh, unpredictable {@link StreamTickets#TICKET_BYTES} */
    public RelayPlaces(Supplier<Bytes> random) {
        this.random = random;
    }

    /** A ticket for one connection; empty if all places are taken. */
    public Optional<Bytes> issue(Pass<L> pass, long nowNanos) {
        issued.values().removeIf(old -> nowNanos - old.issuedNanos() > StreamTickets.LIFE_NANOS);
        int all = issued.size()
                + open.values().stream().mapToInt(Integer::intValue).sum();
        long own = issued.values().stream()
                        .filter(other -> other.pass().from().equals(pass.from()))
                        .count()
                + open.getOrDefault(pass.from(), 0);
        if (all >= PLACES_MAX || own >= PLACES_OF_ONE_MAX) {
            return Optional.empty();
        }
        Bytes ticket = random.get();
        issued.put(ticket, new Issued<>(pass, nowNanos));
        return Optional.of(ticket);
    }

    /** Whether a valid ticket was sent over such a link. */
    public boolean isOut(Predicate<L> link, long nowNanos) {
        return issued.values().stream()
                .anyMatch(out -> nowNanos - out.issuedNanos() <= StreamTickets.LIFE_NANOS
                        && link.test(out.pass().from()));
    }

    /** Turns a ticket into a connection, which must be followed by {@link #ended}; empty if it is unknown, used or too old. */
    public Optional<Pass<L>> redeem(Bytes ticket, long nowNanos) {
        Issued<L> out = issued.remove(ticket);
        if (out == null || nowNanos - out.issuedNanos() > StreamTickets.LIFE_NANOS) {
            return Optional.empty();
        }
        open.merge(out.pass().from(), 1, Integer::sum);
        return Optional.of(out.pass());
    }

    /** Gives the place of a connection back. */
    public void ended(Pass<L> pass) {
        open.computeIfPresent(pass.from(), (_, count) -> count > 1 ? count - 1 : null);
    }

    /** Makes the tickets void that need such a link. */
    public void lost(Predicate<L> link) {
        issued.values()
                .removeIf(out ->
                        link.test(out.pass().from()) || link.test(out.pass().to()));
    }
}
