package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Lineages that meet become one: a lone node walks over to a better lineage, a larger one ends itself and its nodes walk over
 * alone. Nothing is negotiated; if two lineages end into each other, everybody is alone and meets again.
 */
final class Merge {
    private Merge() {}

    /** A lineage as heard of. */
    private record Candidate(Lineage lineage, int memberCount) {
        boolean isBetterThan(Candidate other) {
            if (lineage.continued() != other.lineage.continued()) {
                return other.lineage.continued();
            }
            if (memberCount != other.memberCount) {
                return memberCount > other.memberCount;
            }
            return lineage.compareTo(other.lineage) < 0;
        }
    }

    /** Does what is due for a lone node that looks for company. */
    static void drive(Turn turn) {
        if (!turn.home.isLone() || turn.isLeaving() || !(turn.freeze instanceof Freeze.Thawed)) {
            turn.crossing = Crossing.STAYING;
            return;
        }
        Optional<Candidate> best = best(turn);
        if (best.isPresent() && turn.progress.isBusy()) {
            turn.pending("this trainer works alone: it joins nobody before its next step begins");
            turn.crossing = Crossing.STAYING;
            return;
        }
        switch (turn.crossing) {
            case Crossing.Staying() -> best.ifPresent(target -> ask(turn, target.lineage(), turn.now));
            case Crossing.Joining joining -> goOn(turn, joining, best);
        }
    }

    private static void goOn(Turn turn, Crossing.Joining joining, Optional<Candidate> best) {
        if (best.isEmpty()) {
            turn.crossing = Crossing.STAYING;
            turn.pending("");
            return;
        }
        boolean isHeld = turn.now - joining.sinceNanos() < turn.config.joining().targetNanos()
                && !dwellers(turn, joining.target()).isEmpty();
        Lineage target = isHeld ? joining.target() : best.get().lineage();
        if (!target.equals(joining.target())) {
            ask(turn, target, turn.now);
        } else if (turn.now - joining.sentNanos() >= turn.config.joining().repeatNanos()) {
            ask(turn, target, joining.sinceNanos());
        }
    }

    private static void ask(Turn turn, Lineage target, long since) {
        LineageRecord known = turn.record(target);
        if (known == null && turn.seats().size() >= Turn.SEATS_MAX && !makeRoom(turn)) {
            return;
        }
        LineageRecord record = known == null
                ? LineageRecord.asking(target, turn.self.incarnation())
                : known.entering(turn.self.incarnation());
        if (!record.equals(known)) {
            turn.persist(record);
        }
        turn.crossing = new Crossing.Joining(target, since, turn.now);
        var join = new Message.Join(target, turn.self.role(), turn.self.group(), turn.progress.phase());
        dwellers(turn, target).forEach(node -> turn.send(node, join));
    }

    /** Gives up the vote that was idle longest. */
    private static boolean makeRoom(Turn turn) {
        Optional<Lineage> oldest = turn.seats().entrySet().stream()
                .filter(entry -> !entry.getKey().equals(turn.home.lineage()))
                .min((one, other) -> Long.compare(
                        one.getValue().idleNanos() - turn.now, other.getValue().idleNanos() - turn.now))
                .map(Map.Entry::getKey);
        oldest.ifPresent(turn::forget);
        return oldest.isPresent();
    }

    static void onNotYet(Turn turn, Message.NotYet notYet) {
        if (turn.crossing instanceof Crossing.Joining joining
                && joining.target().equals(notYet.lineage())) {
            turn.pending(notYet.reason());
        }
    }

    /** Whether this lone node asked for entry there and {@code view} grants it. */
    static boolean isAdmittedBy(Turn turn, View view) {
        return turn.home.isLone()
                && turn.crossing instanceof Crossing.Joining joining
                && joining.target().equals(view.lineage())
                && view.member(turn.self.node())
                        .filter(me -> me.incarnation() == turn.self.incarnation() && me.entryEpoch() == view.epoch())
                        .isPresent();
    }

    /** Why the master should end this lineage of several for a better one; empty if it should not. */
    static Optional<String> dissolution(Turn turn) {
        boolean isMaster = turn.isSelf(turn.view().members().getFirst());
        if (turn.home.isLone() || !isMaster || turn.now - turn.admission.dissolveNotBeforeNanos() < 0) {
            return Optional.empty();
        }
        return best(turn)
                .filter(_ -> ViewRules.groupNames(turn.view()).stream()
                        .allMatch(group -> Standing.busy(turn, group).isEmpty()))
                .map(target -> "lineage " + target.lineage().shortText() + " is better");
    }

    /** Whether this lineage should end for a better one as soon as its groups let it. */
    static boolean isDrawn(Turn turn) {
        return best(turn).isPresent();
    }

    /** The best lineage heard of, if it is better than the own one. */
    private static Optional<Candidate> best(Turn turn) {
        var best = new Candidate(turn.home.lineage(), turn.view().members().size());
        for (Peer peer : turn.peers().values()) {
            if (isDwelling(turn, peer) && !peer.livesIn(turn.home.lineage())) {
                Presence presence = peer.presence().orElseThrow();
                var heard = new Candidate(presence.lineage(), presence.memberCount());
                if (heard.isBetterThan(best)) {
                    best = heard;
                }
            }
        }
        return best.lineage().equals(turn.home.lineage()) ? Optional.empty() : Optional.of(best);
    }

    /** Heard of lately, and neither suspected nor stalled nor about to go. */
    private static boolean isDwelling(Turn turn, Peer peer) {
        return peer.linked()
                && !peer.suspected()
                && !peer.leaving()
                && peer.presence().filter(presence -> !presence.stalled()).isPresent()
                && turn.now - peer.heardNanos() <= turn.config.joining().freshNanos();
    }

    private static List<NodeId> dwellers(Turn turn, Lineage lineage) {
        var nodes = new ArrayList<NodeId>();
        turn.peers().forEach((node, peer) -> {
            if (isDwelling(turn, peer) && peer.livesIn(lineage)) {
                nodes.add(node);
            }
        });
        return nodes;
    }
}
