package io.hearth.replicated.machine;

import io.hearth.election.Ballot;
import io.hearth.identity.NodeId;
import io.hearth.replicated.ReplicaId;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.Replicas;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads of a primary: confirmed when a quorum still follows it. */
final class Reads {
    /** Reads that wait. */
    private static final int WAITING_MAX = 4_096;

    private Reads() {}

    static <S> void onRead(Turn<S> turn, long id) {
        if (!(turn.role instanceof Role.Primary primary)
                || !Primacy.isActive(turn, primary)
                || primary.reads().size() >= WAITING_MAX) {
            turn.effect(new ReplicaEffect.NotConfirmed(id));
            return;
        }
        var reads = new ArrayList<>(primary.reads());
        reads.add(new Role.PendingRead(id, primary.round() + 1));
        turn.role = new Role.Primary(
                primary.ballot(), primary.begin(), primary.followers(), primary.round(), primary.askedNanos(), reads);
    }

    static <S> void onAsk(Turn<S> turn, NodeId from, ReplicaMessage.Ask ask) {
        if (!Elections.holds(turn, ask.store())) {
            return;
        }
        Optional<Ballot> promised = turn.held().promised();
        if (promised.isPresent() && promised.get().compareTo(ask.ballot()) > 0) {
            turn.send(from, new ReplicaMessage.Refuse(ask.store(), ask.ballot(), promised.get()));
        } else {
            turn.send(from, new ReplicaMessage.Still(ask.store(), ask.ballot(), turn.seat, ask.round()));
        }
    }

    static <S> void onStill(Turn<S> turn, NodeId from, ReplicaMessage.Still still) {
        if (turn.role instanceof Role.Primary primary
                && Elections.holds(turn, still.store())
                && primary.ballot().equals(still.ballot())
                && still.round() <= primary.round()) {
            Role.Progress progress = Primacy.progress(primary, from, still.seat(), turn.now);
            turn.role = primary.follower(
                    from,
                    new Role.Progress(
                            progress.seat(),
                            progress.matched(),
                            progress.waiting(),
                            progress.waitsSinceNanos(),
                            Math.max(progress.still(), still.round())));
        }
    }

    /** Asks and confirms. */
    static <S> void settle(Turn<S> turn) {
        var primary = (Role.Primary) turn.role;
        if (primary.reads().isEmpty()) {
            return;
        }
        List<Replicas> inForce = turn.held().inForce();
        boolean isAlone = turn.safety.isQuorum(inForce, Set.of(turn.replica())) || !turn.safety.asksForReads();
        long confirmed = isAlone ? Long.MAX_VALUE : confirmed(turn, primary, inForce);
        var left = new ArrayList<Role.PendingRead>();
        for (Role.PendingRead read : primary.reads()) {
            if (read.round() <= confirmed) {
                turn.effect(new ReplicaEffect.Confirmed(read.id()));
            } else {
                left.add(read);
            }
        }
        long round = primary.round();
        long asked = primary.askedNanos();
        boolean isAsking = left.stream().anyMatch(read -> read.round() <= primary.round());
        if (!left.isEmpty() && (!isAsking || turn.now - asked >= Spans.URGENT)) {
            round += isAsking ? 0 : 1;
            asked = turn.now;
            var question = new ReplicaMessage.Ask(turn.held().id(), primary.ballot(), round);
            nodes(turn, inForce).forEach(node -> turn.send(node, question));
        }
        if (!left.isEmpty()) {
            turn.wakeAt(asked + Spans.URGENT);
        }
        turn.role = new Role.Primary(primary.ballot(), primary.begin(), primary.followers(), round, asked, left);
    }

    /** The newest question to which a quorum answered. */
    private static <S> long confirmed(Turn<S> turn, Role.Primary primary, List<Replicas> inForce) {
        Map<ReplicaId, Long> still = new TreeMap<>();
        primary.followers()
                .forEach((node, progress) -> still.put(new ReplicaId(node.peer(), progress.seat()), progress.still()));
        still.put(turn.replica(), primary.round());
        for (long round : new TreeSet<>(still.values()).descendingSet()) {
            if (turn.safety.isQuorum(inForce, Primacy.having(still, round))) {
                return round;
            }
        }
        return 0;
    }

    private static <S> List<NodeId> nodes(Turn<S> turn, Collection<Replicas> inForce) {
        return turn.neighbours.keySet().stream()
                .filter(node -> !node.equals(turn.self))
                .filter(node -> inForce.stream()
                        .flatMap(replicas -> replicas.list().stream())
                        .anyMatch(replica -> replica.machine().equals(node.peer())))
                .toList();
    }
}
