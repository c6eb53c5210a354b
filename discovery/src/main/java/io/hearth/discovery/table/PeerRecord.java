package io.hearth.discovery.table;

import io.hearth.discovery.Candidate;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.SourceKind;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SequencedCollection;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A peer table's record of one peer, or of one possible peer.
 *
 * @param names under which sources reported it
 * @param candidates at most {@link Sighting#CANDIDATES_MAX}
 * @param good addresses at which the peer was admitted, latest first
 * @param pinned a person named it: never forgotten
 * @param round the present round of dials
 * @param freshNanos time of its last sighting or admission
 */
public record PeerRecord(
        SortedSet<String> names,
        List<Candidate> candidates,
        List<PeerAddress> good,
        PeerState state,
        OptionalInt generation,
        boolean pinned,
        Round round,
        long freshNanos) {
    /** A record has more names than addresses only if a peer changes names while no address answers. */
    private static final int NAMES_MAX = 16;

    /** Time for which members may wait for the result of a dial to a lost peer. */
    private static final long JUST_LOST_NANOS = PeerTable.SECOND / 4;

    public PeerRecord {
        names = Collections.unmodifiableSortedSet(new TreeSet<>(names));
        candidates = List.copyOf(candidates);
        good = List.copyOf(good);
    }

    /**
     * Addresses are tried in rounds. A round begins when {@code dueNanos} is reached, moves each address from {@code untried} over {@code
     * awaited} to an outcome, and ends with an admission or, when no address is left, with a failure and a longer pause.
     *
     * @param failures rounds in a row that ended without admission
     * @param dueNanos when the next of {@code untried} may be dialled; for a linked peer, the time of its admission
     * @param trouble why the last attempt failed, for people; empty when none did
     */
    public record Round(
            int failures, long dueNanos, List<PeerAddress> untried, SortedSet<PeerAddress> awaited, String trouble) {
        public Round {
            untried = List.copyOf(untried);
            awaited = Collections.unmodifiableSortedSet(new TreeSet<>(awaited));
        }

        private Round trying(List<PeerAddress> next) {
            return new Round(failures, dueNanos, next, awaited, trouble);
        }

        private Round without(PeerAddress address) {
            return new Round(failures, dueNanos, minus(untried, address), minus(awaited, address), trouble);
        }
    }

    /** A record whose first round begins after {@code waitNanos}. */
    static PeerRecord of(Sighting sighting, List<Candidate> candidates, long nowNanos, long waitNanos) {
        List<Candidate> ordered = DialOrder.of(candidates);
        return new PeerRecord(
                new TreeSet<>(List.of(sighting.name())),
                ordered,
                List.of(),
                new PeerState.Hint(),
                sighting.generation(),
                sighting.source() == SourceKind.STATIC,
                new Round(0, nowNanos + waitNanos, addresses(ordered), Collections.emptySortedSet(), ""),
                nowNanos);
    }

    boolean isLinked() {
        return state instanceof PeerState.Linked;
    }

    /**
     * Whether the link was lost just now. Such a peer is dialled beyond the limit, again and again until its address refuses, because a
     * view change may wait for that.
     */
    boolean isJustLost(long nowNanos) {
        return state instanceof PeerState.Lost(NodeId _, long sinceNanos) && nowNanos - sinceNanos < JUST_LOST_NANOS;
    }

    boolean has(PeerAddress address) {
        return good.contains(address)
                || candidates.stream().anyMatch(candidate -> candidate.address().equals(address));
    }

    boolean wantsDial() {
        return !isLinked() && !round.untried.isEmpty();
    }

    /**
     * The record after a new sighting. New addresses join the current round, but never shorten a pause: a replayed name with ever new
     * addresses must not cause dials.
     *
     * <p>When all places are taken, a new address replaces one that failed in this round, and waits for the next round. Otherwise it
     * replaces one that has not been tried, and takes its turn. An address keeps its place if it worked before, is being tried, or is in
     * this sighting too. So forged addresses of a peer cannot keep its real address out. The addresses of a peer that a person named give
     * way only to newer ones of that name; one that worked is still dialled.
     */
    PeerRecord sighted(Sighting sighting, List<Candidate> seen, long nowNanos) {
        var all = new ArrayList<>(candidates);
        var next = new ArrayList<>(round.untried);
        for (Candidate candidate : seen) {
            if (has(candidate.address())) {
                continue;
            }
            if (all.size() < Sighting.CANDIDATES_MAX) {
                all.add(candidate);
                if (!isLinked()) {
                    next.add(candidate.address());
                }
                continue;
            }
            Optional<Candidate> loser = loser(sighting.source(), all, seen, next);
            if (loser.isPresent()) {
                all.set(all.indexOf(loser.get()), candidate);
                next.replaceAll(address -> address.equals(loser.get().address()) ? candidate.address() : address);
            }
        }
        OptionalInt newest = sighting.generation().isPresent() ? sighting.generation() : generation;
        return new PeerRecord(
                names,
                DialOrder.of(all),
                good,
                state,
                newest,
                pinned || sighting.source() == SourceKind.STATIC,
                round.trying(next),
                nowNanos);
    }

    /**
     * The record after a report of a member. New addresses end the pause, because another member reaches the peer and this node does not.
     */
    PeerRecord reported(Sighting sighting, long nowNanos, long waitNanos) {
        PeerRecord seen = sighted(sighting, sighting.candidates(), nowNanos);
        boolean isNews = sighting.candidates().stream().anyMatch(candidate -> !has(candidate.address()));
        Round next = seen.round;
        return isNews && seen.wantsDial() && next.dueNanos - nowNanos > waitNanos
                ? seen.attempt(next.untried, next.awaited, next.failures, nowNanos + waitNanos, next.trouble)
                : seen;
    }

    PeerRecord dialling(PeerAddress address, long nextNanos) {
        return attempt(
                minus(round.untried, address), plus(round.awaited, address), round.failures, nextNanos, round.trouble);
    }

    /** The record after a failed attempt. The next address follows at once; without one, a pause begins. */
    PeerRecord failed(PeerAddress address, String why, long nowNanos, long pauseNanos) {
        SortedSet<PeerAddress> left = minus(round.awaited, address);
        if (isLinked() || !round.untried.isEmpty()) {
            return attempt(round.untried, left, round.failures, nowNanos, why);
        }
        return left.isEmpty()
                ? attempt(addresses(), left, round.failures + 1, nowNanos + pauseNanos, why)
                : attempt(round.untried, left, round.failures, round.dueNanos, why);
    }

    private Optional<Candidate> loser(
            SourceKind source, List<Candidate> all, List<Candidate> seen, List<PeerAddress> next) {
        boolean isByName = source == SourceKind.STATIC; // such a sighting has all addresses of the name
        List<Candidate> replaceable = all.stream()
                .filter(old -> (isByName || (!pinned && !good.contains(old.address())))
                        && !seen.contains(old)
                        && !round.awaited.contains(old.address()))
                .toList();
        return replaceable.stream()
                .filter(old -> !next.contains(old.address()))
                .findFirst()
                .or(() -> replaceable.isEmpty() ? Optional.empty() : Optional.of(replaceable.getLast()));
    }

    PeerRecord linked(PeerState.Linked linked, List<PeerAddress> goodNow, long nowNanos) {
        return new PeerRecord(
                names,
                candidates,
                goodNow,
                linked,
                generation,
                pinned,
                new Round(0, nowNanos, List.of(), Collections.emptySortedSet(), ""),
                nowNanos);
    }

    /** The record of a peer to dial now, because its link was lost or the network changed, which makes old failures meaningless. */
    PeerRecord retryNow(PeerState now, long nowNanos) {
        var next = new ArrayList<>(addresses());
        next.removeAll(round.awaited);
        return new PeerRecord(names, candidates, good, now, generation, pinned, round, freshNanos)
                .attempt(next, round.awaited, 0, nowNanos, round.trouble);
    }

    /** The record of a peer to dial now, also at addresses with a dial in progress. */
    PeerRecord redialled(long nowNanos) {
        return attempt(addresses(), Collections.emptySortedSet(), 0, nowNanos, round.trouble);
    }

    /** Both records as one, after they turned out to be the same peer. */
    PeerRecord merged(PeerRecord other) {
        var allNames = new TreeSet<>(names);
        other.names.stream().limit(Math.max(0, NAMES_MAX - names.size())).forEach(allNames::add);
        var all = new ArrayList<>(candidates);
        for (Candidate candidate : other.candidates) {
            if (!has(candidate.address()) && all.size() < Sighting.CANDIDATES_MAX) {
                all.add(candidate);
            }
        }
        return new PeerRecord(
                allNames,
                DialOrder.of(all),
                good,
                state,
                generation.isPresent() ? generation : other.generation,
                pinned || other.pinned,
                round,
                freshNanos);
    }

    PeerRecord without(PeerAddress address) {
        return new PeerRecord(
                names,
                candidates.stream()
                        .filter(candidate -> !candidate.address().equals(address))
                        .toList(),
                minus(good, address),
                state,
                generation,
                pinned,
                round.without(address),
                freshNanos);
    }

    /** Each address once; those that worked before come first. */
    List<PeerAddress> addresses() {
        var all = new ArrayList<>(good);
        all.addAll(addresses(candidates));
        return all.stream().distinct().toList();
    }

    private PeerRecord attempt(
            SequencedCollection<PeerAddress> next, SortedSet<PeerAddress> waiting, int failed, long due, String why) {
        var now = new Round(failed, due, List.copyOf(next), waiting, why);
        return new PeerRecord(names, candidates, good, state, generation, pinned, now, freshNanos);
    }

    private static List<PeerAddress> addresses(List<Candidate> candidates) {
        return candidates.stream().map(Candidate::address).toList();
    }

    private static List<PeerAddress> minus(List<PeerAddress> addresses, PeerAddress address) {
        return addresses.stream().filter(other -> !other.equals(address)).toList();
    }

    private static SortedSet<PeerAddress> minus(SortedSet<PeerAddress> addresses, PeerAddress address) {
        SortedSet<PeerAddress> left = new TreeSet<>(addresses);
        left.remove(address);
        return left;
    }

    private static SortedSet<PeerAddress> plus(SortedSet<PeerAddress> addresses, PeerAddress address) {
        SortedSet<PeerAddress> more = new TreeSet<>(addresses);
        more.add(address);
        return more;
    }
}
