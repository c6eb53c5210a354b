package io.hearth.simulation.replicated;

import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.identity.PeerId;
import io.hearth.replicated.Position;
import io.hearth.replicated.StoreId;
import io.hearth.replicated.machine.Applied;
import io.hearth.replicated.machine.Copy;
import io.hearth.simulation.rule.Violation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The rules that hold after every event:
 *
 * <ul>
 *   <li>agree: after the same number of entries, all copies of a store have the same state.
 *   <li>once: no command is applied twice, also not in two stores that become one.
 *   <li>lost: a primary that was elected, and a read that was confirmed, have every command that was answered before.
 *   <li>primary: one replica is the primary of one ballot.
 *   <li>reach: a replica that has had links to no quorum for a while is no primary.
 * </ul>
 */
final class ReplicaChecker {
    /** Until a site hears that a link is gone, and takes it for gone. */
    private static final long NOTICE_NANOS = 6 * SECOND;

    private record Place(StoreId store, long number) {}

    private record Seen(Position at, long order, int commands) {}

    private record Office(StoreId store, Ballot ballot) {}

    private final ReplicaHome home;
    private final Map<Place, Seen> states = new HashMap<>();
    private final Map<Office, Integer> primaries = new HashMap<>();
    private final Map<StoreId, Set<Long>> answered = new HashMap<>();
    private final Map<Long, Set<Long>> reads = new HashMap<>();
    private final Map<Integer, Place> last = new HashMap<>();
    private long tokens;
    private int elections;
    private int merges;

    ReplicaChecker(ReplicaHome home) {
        this.home = home;
    }

    long token() {
        return ++tokens;
    }

    int elections() {
        return elections;
    }

    int merges() {
        return merges;
    }

    int answers() {
        return answered.values().stream().mapToInt(Set::size).sum();
    }

    void stepped(ReplicaSite site) {
        Optional<Copy<Ledger>> copy = site.state().copy();
        if (copy.isEmpty()) {
            return;
        }
        var place = new Place(copy.get().id(), copy.get().committed());
        if (!place.equals(last.put(site.index, place))) {
            committed(site, place, copy.get().applied());
        }
        site.state().activeBallot().ifPresent(ballot -> {
            Integer other = primaries.putIfAbsent(new Office(copy.get().id(), ballot), site.index);
            Violation.unless(
                    other == null || other == site.index,
                    "primary",
                    () -> ballot.shortText() + " has two primaries: " + other + " and " + site.index);
            Violation.unless(
                    isQuorumInReach(site, copy.get()),
                    "reach",
                    () -> site.index + " reaches no quorum, and is a primary");
        });
    }

    private boolean isQuorumInReach(ReplicaSite site, Copy<Ledger> copy) {
        Set<PeerId> inReach = home.sites.stream()
                .filter(other -> other == site || home.links.wasUpWithin(site, other, NOTICE_NANOS))
                .map(other -> other.node.peer())
                .collect(Collectors.toSet());
        return copy.inForce().stream()
                .allMatch(replicas -> replicas.isQuorum(replicas.list().stream()
                        .filter(replica -> inReach.contains(replica.machine()))
                        .collect(Collectors.toSet())));
    }

    private void committed(ReplicaSite site, Place place, Applied<Ledger> applied) {
        Ledger ledger = applied.state();
        var seen = new Seen(applied.at(), ledger.order(), ledger.counts().size());
        Seen before = states.putIfAbsent(place, seen);
        Violation.unless(
                before == null || before.equals(seen),
                "agree",
                () -> "number " + place.number() + " is " + before + " on one and " + seen + " on " + site.index);
        ledger.counts()
                .forEach((token, count) -> Violation.unless(
                        count == 1, "once", () -> "command " + token + " was applied " + count + " times"));
    }

    void answered(long token, Bytes answer, StoreId store) {
        Violation.unless(!answer.isEmpty(), "answer", "an empty answer");
        answered.computeIfAbsent(store, _ -> new HashSet<>()).add(token);
    }

    /** What a copy with this state has to have. */
    private Set<Long> expected(StoreId store, Applied<Ledger> applied) {
        var tokensOfAll = new HashSet<>(answered.getOrDefault(store, Set.of()));
        applied.absorbed().forEach(other -> tokensOfAll.addAll(answered.getOrDefault(other, Set.of())));
        return tokensOfAll;
    }

    private void complete(ReplicaSite site, Set<Long> expected, String when) {
        Copy<Ledger> copy = site.state().copy().orElseThrow();
        for (long token : expected) {
            Violation.unless(
                    copy.applied().state().counts().containsKey(token),
                    "lost",
                    () -> "command " + token + " was answered, and " + site.index + " has it not when it " + when);
        }
    }

    void elected(ReplicaSite site) {
        elections++;
        Copy<Ledger> copy = site.state().copy().orElseThrow();
        complete(site, expected(copy.id(), copy.applied()), "is elected");
    }

    /** A read begins on a site that is a primary. */
    void reading(ReplicaSite site, long id) {
        Copy<Ledger> copy = site.state().copy().orElseThrow();
        reads.put(id, expected(copy.id(), copy.applied()));
    }

    void confirmed(ReplicaSite site, long id) {
        complete(site, reads.getOrDefault(id, Set.of()), "confirms a read");
    }

    /** After the trouble: one store, one state, one primary, nothing open. */
    void end() {
        ReplicaSite first = home.sites.getFirst();
        Copy<Ledger> copy = first.state().copy().orElseThrow(() -> new Violation("recovery", "no store"));
        int active = 0;
        for (ReplicaSite site : home.sites) {
            Copy<Ledger> other =
                    site.state().copy().orElseThrow(() -> new Violation("recovery", site.index + " has no copy"));
            Violation.unless(
                    other.id().equals(copy.id()),
                    "recovery",
                    () -> "two stores: " + copy.id().shortText() + " and "
                            + other.id().shortText() + " on " + site.index);
            Violation.unless(
                    other.applied().at().equals(copy.applied().at()),
                    "recovery",
                    () -> site.index + " is at " + other.applied().at() + ", 0 at "
                            + copy.applied().at());
            Violation.unless(
                    other.applied().replicas().list().size() == home.sites.size(),
                    "recovery",
                    () -> "the configuration has "
                            + other.applied().replicas().list().size() + " replicas");
            Violation.unless(
                    site.client.open() == 0,
                    "recovery",
                    () -> site.index + " has " + site.client.open() + " commands without an answer");
            active += site.state().activeBallot().isPresent() ? 1 : 0;
        }
        int primariesNow = active;
        Violation.unless(active == 1, "recovery", () -> primariesNow + " primaries");
        merges = copy.applied().absorbed().size();
        for (var entry : answered.entrySet()) {
            complete(first, entry.getValue(), "is at the end");
        }
    }
}
