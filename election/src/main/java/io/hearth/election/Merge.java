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
        if (!turn.home.isLone() || turn.isLeaving() || turn.isDoubled() || !(turn.freeze instanceof Freeze.Thawed)) {
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
            case Crossing.Staying() -> best.ifPresent(target -> enter(turn, target.lineage()));
            case Crossing.Entering entering -> {
                if (!turn.voting.isEntering(entering.target())) {
                    turn.crossing = Crossing.STAYING; // the queue was full
                }
            }
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
            enter(turn, target);
        } else if (turn.now - joining.sentNanos() >= turn.config.joining().repeatNanos()) {
            ask(turn, joining);
        }
    }

    /** The machine's record is on disk before it asks: its seat is what the view lists. */
    private static void enter(Turn turn, Lineage target) {
        if (turn.now - turn.enterNotBeforeNanos >= 0) {
            turn.crossing = new Crossing.Entering(target, turn.now);
            VoteQueue.submit(turn, new VoterTask.Enter(target, turn.drawSeat()));
        }
    }

    static void onEntered(Turn turn, Lineage target, VoterAnswer answer) {
        if (answer instanceof VoterAnswer.Entered(long seat, Optional<View> onDisk)) {
            KnownLineage known = turn.known(target).orElseGet(() -> KnownLineage.of(seat, Optional.empty(), turn.now));
            turn.know(target, known.seated(seat, turn.now));
            onDisk.ifPresent(view -> Learner.learn(turn, view, new ViewSource.Disk()));
        }
        switch (turn.crossing) {
            case Crossing.Entering entering when entering.target().equals(target) -> mayAsk(turn, target, answer);
            case Crossing.Joining joining
            when joining.target().equals(target) -> {
                if (answer instanceof VoterAnswer.Entered(long seat, Optional<View> _) && seat != joining.seat()) {
                    ask(turn, joining.seated(seat)); // the record that it asked with is gone, and there is another
                }
            }
            case Crossing.Staying _, Crossing.Entering _, Crossing.Joining _ -> {}
        }
    }

    private static void mayAsk(Turn turn, Lineage target, VoterAnswer answer) {
        if (answer instanceof VoterAnswer.Entered(long seat, Optional<View> _)) {
            ask(turn, new Crossing.Joining(target, seat, turn.now, turn.now));
        } else {
            turn.crossing = Crossing.STAYING;
            turn.enterNotBeforeNanos = turn.now + turn.config.joining().refusedNanos();
            turn.pending("this machine cannot write its vote record");
        }
    }

    private static void ask(Turn turn, Crossing.Joining joining) {
        turn.crossing = joining.sent(turn.now);
        var join = new Message.Join(
                joining.target(), joining.seat(), turn.self.role(), turn.self.group(), turn.progress.phase());
        dwellers(turn, joining.target()).forEach(node -> turn.send(node, join));
    }

    static void onNotYet(Turn turn, Message.NotYet notYet) {
        if (turn.crossing instanceof Crossing.Joining joining
                && joining.target().equals(notYet.lineage())) {
            turn.pending(notYet.reason());
        }
    }

    /**
     * Whether this lone node asked for entry there and {@code view}, newer than all it knows, grants exactly what it asked for. A view
     * that was known before it asked admits nobody: it may list this node as it was long ago.
     */
    static boolean isAdmittedBy(Turn turn, View view) {
        return isAnswered(turn, view)
                && turn.crossing instanceof Crossing.Joining joining
                && view.member(turn.self.node())
                        .equals(Optional.of(new Member(
                                turn.self.node(),
                                turn.self.incarnation(),
                                view.epoch(),
                                turn.self.role(),
                                turn.self.group(),
                                joining.seat())));
    }

    /** Whether {@code view} lists this start where it asked, and not as what it asked for. */
    static boolean isMistaken(Turn turn, View view) {
        return isAnswered(turn, view)
                && view.member(turn.self.node())
                        .filter(me -> me.incarnation() == turn.self.incarnation())
                        .isPresent()
                && !isAdmittedBy(turn, view);
    }

    private static boolean isAnswered(Turn turn, View view) {
        return turn.home.isLone()
                && turn.crossing instanceof Crossing.Joining joining
                && joining.target().equals(view.lineage());
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
        for (Map.Entry<NodeId, Peer> known : turn.peers().entrySet()) {
            Peer peer = known.getValue();
            if (!turn.hasNoVote(known.getKey().peer())
                    && !peer.livesIn(turn.home.lineage())
                    && isDwelling(turn, peer)
                    && (turn.home.isLone() || isSettled(turn, peer))) {
                Presence presence = peer.presence().orElseThrow();
                if (isStale(turn, peer, presence)) {
                    continue;
                }
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

    /** Who just came back may live in a lineage that is over, and learns it from the first who answer: no cluster ends for it yet. */
    private static boolean isSettled(Turn turn, Peer peer) {
        long since = Math.max(peer.linkSinceNanos(), peer.awakeNanos());
        return turn.now - since >= turn.config.joining().freshNanos();
    }

    /** The word of a node that just woke: it tells of a view that this node knows a successor of. */
    private static boolean isStale(Turn turn, Peer peer, Presence presence) {
        return turn.known(presence.lineage())
                .filter(known -> peer.heardNanos() - known.learnedNanos() > 0
                        && known.view()
                                .filter(newest -> newest.epoch() > presence.epoch())
                                .isPresent())
                .isPresent();
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
