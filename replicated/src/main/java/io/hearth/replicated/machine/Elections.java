package io.hearth.replicated.machine;

import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.identity.NodeId;
import io.hearth.replicated.Content;
import io.hearth.replicated.Entry;
import io.hearth.replicated.Log;
import io.hearth.replicated.Position;
import io.hearth.replicated.ReplicaId;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.Replicas;
import io.hearth.replicated.Snapshot;
import io.hearth.replicated.StoreId;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** How a replica becomes the primary: turns, promises, the founding of a store. */
final class Elections {
    private Elections() {}

    static <S> void onPrepare(Turn<S> turn, NodeId from, ReplicaMessage.Prepare prepare) {
        boolean isOfMyView = turn.isMember(from)
                && turn.sight.orElseThrow().lineage().equals(prepare.lineage())
                && turn.sight.get().epoch() <= prepare.epoch();
        if (!holds(turn, prepare.store()) || !prepare.ballot().proposer().equals(from) || !isOfMyView) {
            return;
        }
        long round = prepare.ballot().round();
        boolean believes = turn.rounds.believes(round);
        turn.rounds = turn.rounds.heard(round, turn.now);
        if (!believes) {
            return;
        }
        Optional<Ballot> promised = turn.held().promised();
        boolean isRepeated = promised.filter(prepare.ballot()::equals).isPresent();
        if (!isRepeated && !turn.safety.mayPromise(promised, prepare.ballot())) {
            turn.send(from, new ReplicaMessage.Refuse(prepare.store(), prepare.ballot(), promised.orElseThrow()));
            return;
        }
        turn.stepDown("promised to follow " + prepare.ballot().shortText(), turn.now + Spans.TURN);
        turn.promise(prepare.ballot());
        turn.sendAfterDisk(
                from,
                new ReplicaMessage.Promise(
                        prepare.store(),
                        prepare.ballot(),
                        turn.seat,
                        turn.last(),
                        turn.held().committed()));
    }

    static <S> void onPromise(Turn<S> turn, NodeId from, ReplicaMessage.Promise promise) {
        if (turn.role instanceof Role.Candidate candidate
                && holds(turn, promise.store())
                && candidate.ballot().equals(promise.ballot())) {
            var promises = new TreeMap<>(candidate.promises());
            promises.put(from, promise);
            turn.role = new Role.Candidate(candidate.ballot(), candidate.ticket(), candidate.untilNanos(), promises);
        }
    }

    /** A candidate that is reading the best log takes the time that it needs. */
    static <S> void onProgress(Turn<S> turn) {
        if (turn.role instanceof Role.Candidate candidate) {
            turn.role = new Role.Candidate(
                    candidate.ballot(), candidate.ticket(), turn.now + Spans.PHASE, candidate.promises());
        }
    }

    /** A replica promised a higher ballot than this one's. */
    static <S> void onHigher(Turn<S> turn, Ballot promised) {
        turn.rounds = turn.rounds.heard(promised.round(), turn.now);
        Optional<Ballot> own = switch (turn.role) {
            case Role.Candidate candidate -> Optional.of(candidate.ballot());
            case Role.Primary primary -> Optional.of(primary.ballot());
            case Role.Follower _ -> Optional.empty();
        };
        if (own.isPresent() && own.get().compareTo(promised) < 0) {
            turn.stepDown("a replica follows " + promised.shortText(), turn.now + Spans.BEATEN);
        }
    }

    /** Begins, continues or ends a candidacy, if it is time. */
    static <S> void settle(Turn<S> turn) {
        if (turn.role instanceof Role.Candidate candidate) {
            if (turn.now >= candidate.untilNanos()) {
                turn.stepDown("no quorum promised", turn.now + Spans.TURN);
            } else {
                turn.wakeAt(candidate.untilNanos());
                win(turn, candidate);
            }
        }
        if (turn.role instanceof Role.Primary && !isQuorumInReach(turn)) {
            turn.stepDown("too few of the machines that keep the state are in reach", turn.now);
        }
        if (turn.role instanceof Role.Follower follower) {
            stand(turn, follower);
        }
    }

    /** Whether a quorum of each configuration in force holds this store, or did a moment ago: else nothing can be committed. */
    private static <S> boolean isQuorumInReach(Turn<S> turn) {
        var inReach = new HashSet<ReplicaId>();
        inReach.add(turn.replica());
        for (Replicas replicas : turn.held().inForce()) {
            for (ReplicaId replica : replicas.list()) {
                if (isInReach(turn, replica)) {
                    inReach.add(replica);
                }
            }
        }
        return turn.safety.isQuorum(turn.held().inForce(), inReach);
    }

    private static <S> boolean isInReach(Turn<S> turn, ReplicaId replica) {
        boolean isInReach = false;
        for (Map.Entry<NodeId, Neighbour> known : turn.neighbours.entrySet()) {
            if (known.getKey().peer().equals(replica.machine())) {
                long until = known.getValue().changedNanos() + Spans.SILENT;
                if (turn.now < until) {
                    turn.wakeAt(until);
                }
                isInReach |=
                        turn.now < until || known.getValue().holds(turn.held().id(), replica.seat());
            }
        }
        return isInReach;
    }

    private static <S> void stand(Turn<S> turn, Role.Follower follower) {
        if (turn.copy.isEmpty() || turn.disk.isBroken() || turn.sight.isEmpty()) {
            return;
        }
        if (knownPrimary(turn).isPresent()) {
            turn.vacantNanos = Long.MIN_VALUE;
            return;
        }
        if (turn.vacantNanos == Long.MIN_VALUE) {
            turn.vacantNanos = turn.now;
        }
        List<ReplicaId> candidates = candidates(turn);
        int place = candidates.indexOf(turn.replica());
        if (place < 0 || !turn.safety.isQuorum(turn.held().inForce(), Set.copyOf(candidates))) {
            return; // without a quorum in hearing there is nothing to ask for
        }
        long from = Math.max(follower.notBeforeNanos(), turn.vacantNanos + place * Spans.TURN);
        if (turn.now < from) {
            turn.wakeAt(from);
            return;
        }
        var ballot = new Ballot(turn.rounds.highest() + 1, turn.self);
        turn.promise(ballot);
        turn.role = new Role.Candidate(ballot, turn.nextTicket(), turn.now + Spans.PHASE, Collections.emptySortedMap());
        turn.wakeAt(turn.now + Spans.PHASE);
        Sight sight = turn.sight.get();
        for (NodeId member : sight.members()) {
            if (!member.equals(turn.self)) {
                turn.sendAfterDisk(
                        member, new ReplicaMessage.Prepare(turn.held().id(), ballot, sight.lineage(), sight.epoch()));
            }
        }
    }

    /**
     * The member that orders commands of this replica's store, if this node knows it. One whose link has been gone for a while is none.
     */
    static <S> Optional<NodeId> knownPrimary(Turn<S> turn) {
        return turn.sight.stream()
                .flatMap(sight -> sight.members().stream())
                .filter(member -> turn.heldBy(member)
                        .filter(held -> turn.copy.isPresent()
                                && held.store().equals(turn.held().id())
                                && held.primary().isPresent())
                        .isPresent())
                .filter(member -> isPresent(turn, member))
                .findFirst();
    }

    /** Whether the link to this node is up, or was a moment ago. */
    static <S> boolean isPresent(Turn<S> turn, NodeId node) {
        Neighbour neighbour = turn.neighbours.get(node);
        if (neighbour == null || neighbour.isLinked()) {
            return neighbour != null;
        }
        long until = neighbour.changedNanos() + Spans.SILENT;
        if (turn.now < until) {
            turn.wakeAt(until);
        }
        return turn.now < until;
    }

    /** The replicas of the members that are heard, in view order. */
    private static <S> List<ReplicaId> candidates(Turn<S> turn) {
        List<Replicas> inForce = turn.held().inForce();
        return turn.sight.orElseThrow().members().stream()
                .flatMap(member -> replica(turn, member).stream())
                .filter(replica -> inForce.stream().anyMatch(replicas -> replicas.contains(replica)))
                .toList();
    }

    private static <S> Optional<ReplicaId> replica(Turn<S> turn, NodeId member) {
        if (member.equals(turn.self)) {
            return Optional.of(turn.replica());
        }
        Neighbour neighbour = turn.neighbours.get(member);
        return neighbour == null || !neighbour.isLinked()
                ? Optional.empty()
                : neighbour
                        .announced()
                        .filter(announce -> holds(turn, announce))
                        .map(announce -> new ReplicaId(member.peer(), announce.seat()));
    }

    private static <S> boolean holds(Turn<S> turn, ReplicaMessage.Announce announce) {
        return announce.held().filter(held -> holds(turn, held.store())).isPresent();
    }

    static <S> boolean holds(Turn<S> turn, StoreId store) {
        return turn.copy.isPresent() && turn.held().id().equals(store);
    }

    /** Becomes the primary if no promise shows a better log, and a quorum promised. */
    private static <S> void win(Turn<S> turn, Role.Candidate candidate) {
        if (turn.disk.written() < candidate.ticket()
                || betterLog(turn, candidate).isPresent()) {
            return;
        }
        Set<ReplicaId> promised = new HashSet<>();
        promised.add(turn.replica());
        candidate.promises().forEach((node, promise) -> promised.add(new ReplicaId(node.peer(), promise.seat())));
        if (!turn.safety.isQuorum(turn.held().inForce(), promised)) {
            return;
        }
        long number = turn.last().number() + 1;
        turn.append(number - 1, List.of(new Entry(new Position(number, candidate.ballot()), new Content.Begin())));
        turn.role = new Role.Primary(candidate.ballot(), number, Collections.emptySortedMap(), 0, turn.now, List.of());
        turn.fetching = Optional.empty();
        turn.rewound = -1;
    }

    /** The node with the best log, if it is better than this replica's. */
    static <S> Optional<NodeId> betterLog(Turn<S> turn, Role.Candidate candidate) {
        return candidate.promises().entrySet().stream()
                .filter(entry -> turn.safety.isBetter(entry.getValue().last(), turn.last()))
                .max(Map.Entry.comparingByValue((one, other) -> one.last().compareTo(other.last())))
                .map(Map.Entry::getKey);
    }

    /** When this node may found a store: nobody in the view has one, and it is the first that serves. */
    private static <S> Optional<Long> foundsAt(Turn<S> turn) {
        if (turn.copy.isPresent() || turn.sight.isEmpty() || turn.disk.isBroken()) {
            return Optional.empty();
        }
        Sight sight = turn.sight.get();
        long from = sight.sinceNanos() + turn.limits.foundNanos();
        boolean isBefore = true;
        for (NodeId member : sight.members()) {
            if (member.equals(turn.self)) {
                isBefore = false;
                continue;
            }
            Neighbour neighbour = turn.neighbours.get(member);
            boolean serves = neighbour != null && neighbour.announced().isPresent();
            if (turn.heldBy(member).isPresent() || (serves && isBefore)) {
                return Optional.empty();
            }
            if (!serves) {
                from = Math.max(from, sight.sinceNanos() + Spans.SILENT);
            }
        }
        return Optional.of(from);
    }

    /** Plans the step in which this node may found a store. */
    static <S> void planFounding(Turn<S> turn) {
        foundsAt(turn).ifPresent(turn::wakeAt);
    }

    /** Founds a store if it is time. */
    static <S> void found(Turn<S> turn, long wallMillis, long nonce) {
        if (foundsAt(turn).filter(at -> turn.now >= at).isEmpty()) {
            return;
        }
        var ballot = new Ballot(turn.rounds.highest() + 1, turn.self);
        var at = new Position(0, ballot);
        var replicas = new Replicas(List.of(turn.replica()));
        var applied = new Applied<>(
                at,
                replicas,
                Sessions.NONE,
                new TreeSet<>(),
                Optional.empty(),
                Optional.empty(),
                turn.application.empty());
        Bytes state = StateEncoding.encode(applied, turn.application);
        turn.rounds = turn.rounds.heard(ballot.round(), turn.now);
        turn.replace(new Copy<>(
                new StoreId(wallMillis, turn.self.peer(), nonce),
                Optional.of(ballot),
                new Snapshot(at, replicas, state),
                new Log(at, List.of()),
                applied));
    }
}
