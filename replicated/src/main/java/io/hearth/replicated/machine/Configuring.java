package io.hearth.replicated.machine;

import io.hearth.identity.NodeId;
import io.hearth.replicated.Content;
import io.hearth.replicated.ReplicaId;
import io.hearth.replicated.Replicas;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes the members of the view the configuration of the store, one change at a time. */
final class Configuring {
    private Configuring() {}

    /** Makes the members of the view the configuration, one change at a time. */
    static <S> void settle(Turn<S> turn) {
        var primary = (Role.Primary) turn.role;
        List<Replicas> inForce = turn.held().inForce();
        if (!Primacy.isActive(turn, primary)
                || inForce.size() > 1
                || Primacy.isEnding(turn)
                || turn.sight.isEmpty()
                || !haveAllSpoken(turn)) {
            return;
        }
        Replicas now = inForce.getFirst();
        var next = new ArrayList<ReplicaId>();
        int kept = 0;
        var fresh = new ArrayList<ReplicaId>();
        for (NodeId member : turn.sight.get().members()) {
            Optional<ReplicaId> replica =
                    member.equals(turn.self) ? Optional.of(turn.replica()) : replicaOf(turn, primary, now, member);
            if (replica.isPresent()) {
                next.add(replica.get());
                if (now.contains(replica.get())) {
                    kept++;
                } else if (member.equals(turn.self)) {
                    fresh.addFirst(replica.get()); // the last one that waits
                } else {
                    fresh.add(replica.get());
                }
            }
        }
        while (fresh.size() > Math.max(kept, 1)) {
            next.remove(fresh.removeLast());
        }
        if (!next.contains(turn.replica()) || next.equals(now.list()) || next.size() > Replicas.MAX) {
            return;
        }
        Primacy.append(turn, primary.ballot(), new Content.Configure(new Replicas(next)));
    }

    /** Whether each member said what it holds, or had the time to; until then its seat is not known. */
    private static <S> boolean haveAllSpoken(Turn<S> turn) {
        Sight sight = turn.sight.orElseThrow();
        long until = turn.now;
        for (NodeId member : sight.members()) {
            Neighbour neighbour = turn.neighbours.get(member);
            boolean hasSpoken = neighbour != null && neighbour.announced().isPresent();
            if (!member.equals(turn.self) && !hasSpoken) {
                long since =
                        neighbour == null ? sight.sinceNanos() : Math.max(sight.sinceNanos(), neighbour.changedNanos());
                until = Math.max(until, since + Spans.SILENT);
            }
        }
        if (until > turn.now) {
            turn.wakeAt(until);
        }
        return until <= turn.now;
    }

    /** The replica of another member, if it should count. */
    private static <S> Optional<ReplicaId> replicaOf(Turn<S> turn, Role.Primary primary, Replicas now, NodeId member) {
        Optional<ReplicaId> present = now.list().stream()
                .filter(replica -> replica.machine().equals(member.peer()))
                .findFirst();
        Neighbour neighbour = turn.neighbours.get(member);
        if (neighbour == null || neighbour.announced().isEmpty() || !Elections.isPresent(turn, member)) {
            return Optional.empty(); // it does not serve, or no longer, or is out of reach
        }
        var announced = new ReplicaId(member.peer(), neighbour.announced().get().seat());
        if (present.filter(announced::equals).isPresent()) {
            return present;
        }
        Role.Progress progress = primary.followers().get(member);
        boolean isClose = progress != null
                && progress.seat() == announced.seat()
                && progress.matched() >= 0
                && progress.matched() + turn.limits.close() >= turn.held().committed();
        return isClose ? Optional.of(announced) : Optional.empty();
    }
}
