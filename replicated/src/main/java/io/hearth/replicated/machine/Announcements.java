package io.hearth.replicated.machine;

import io.hearth.election.Ballot;
import io.hearth.identity.NodeId;
import io.hearth.replicated.ReplicaMessage;
import java.util.Optional;

/** What the members of a view tell one another of their copies. */
final class Announcements {
    private Announcements() {}

    private static <S> ReplicaMessage.Announce own(Turn<S> turn) {
        Optional<Ballot> primary =
                turn.role instanceof Role.Primary role ? Optional.of(role.ballot()) : Optional.empty();
        boolean isActive = turn.role instanceof Role.Primary role && Primacy.isActive(turn, role);
        return new ReplicaMessage.Announce(
                turn.seat,
                turn.copy.map(held -> new ReplicaMessage.Held(
                        held.id(),
                        held.promised(),
                        primary,
                        isActive,
                        held.applied().into())));
    }

    /** Announces after a change, and now and then. */
    static <S> void settle(Turn<S> turn) {
        if (turn.sight.isEmpty()) {
            return;
        }
        boolean isDue = turn.now - turn.announcedNanos >= Spans.ANNOUNCE;
        boolean isChanged = turn.announced.filter(own(turn)::equals).isEmpty();
        if (isDue || isChanged) {
            toAll(turn);
        }
        turn.wakeAt(turn.announcedNanos + Spans.ANNOUNCE);
    }

    static <S> void toAll(Turn<S> turn) {
        turn.announced = Optional.of(own(turn));
        turn.announcedNanos = turn.now;
        for (NodeId member : turn.sight.orElseThrow().members()) {
            if (!member.equals(turn.self)) {
                turn.send(member, turn.announced.get());
            }
        }
    }

    static <S> void to(Turn<S> turn, NodeId node) {
        turn.send(node, own(turn));
    }

    static <S> void onAnnounce(Turn<S> turn, NodeId from, ReplicaMessage.Announce announce) {
        turn.neighbours.computeIfPresent(
                from, (_, known) -> new Neighbour(true, known.changedNanos(), Optional.of(announce)));
        if (announce.held().isEmpty()) {
            return;
        }
        ReplicaMessage.Held held = announce.held().get();
        // A replica that promised more, in the configuration or not, can follow only a primary of a higher ballot.
        if (Elections.holds(turn, held.store())
                && turn.isMember(from)
                && held.promised().isPresent()) {
            Elections.onHigher(turn, held.promised().get());
        }
    }
}
