package io.hearth.election.view;

import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Presence;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.election.ViewSource;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
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
    static void drive(Transition transition) {
        if (!transition.current.isLone()
                || transition.isLeaving()
                || transition.isDoubled()
                || !(transition.freeze instanceof Freeze.Thawed)) {
            transition.crossing = JoinState.STAYING;
            return;
        }
        Optional<Candidate> best = best(transition);
        if (best.isPresent() && transition.progress.isBusy()) {
            transition.pending("this trainer works alone: it joins nobody before its next step begins");
            transition.crossing = JoinState.STAYING;
            return;
        }
        switch (transition.crossing) {
            case JoinState.Staying() -> best.ifPresent(target -> enter(transition, target.lineage()));
            case JoinState.Entering entering -> {
                if (!transition.voting.isEntering(entering.target())) {
                    transition.crossing = JoinState.STAYING; // the queue was full
                }
            }
            case JoinState.Joining joining -> goOn(transition, joining, best);
        }
    }

    private static void goOn(Transition transition, JoinState.Joining joining, Optional<Candidate> best) {
        if (best.isEmpty()) {
            transition.crossing = JoinState.STAYING;
            transition.pending("");
            return;
        }
        boolean isHeld = transition.now - joining.sinceNanos()
                        < transition.config.joining().targetNanos()
                && !dwellers(transition, joining.target()).isEmpty();
        Lineage target = isHeld ? joining.target() : best.get().lineage();
        if (!target.equals(joining.target())) {
            enter(transition, target);
        } else if (transition.now - joining.sentNanos()
                >= transition.config.joining().repeatNanos()) {
            ask(transition, joining);
        }
    }

    /** The machine's record is on disk before it asks: its seat is what the view lists. */
    private static void enter(Transition transition, Lineage target) {
        if (transition.now - transition.enterNotBeforeNanos >= 0) {
            transition.crossing = new JoinState.Entering(target, transition.now);
            VoteQueue.submit(transition, new VoterTask.Enter(target, transition.drawSeat()));
        }
    }

    static void onEntered(Transition transition, Lineage target, VoterAnswer answer) {
        if (answer instanceof VoterAnswer.Entered(long seat, Optional<View> onDisk)) {
            KnownLineage known =
                    transition.known(target).orElseGet(() -> KnownLineage.of(seat, Optional.empty(), transition.now));
            transition.know(target, known.seated(seat, transition.now));
            onDisk.ifPresent(view -> Learner.learn(transition, view, new ViewSource.Disk()));
        }
        switch (transition.crossing) {
            case JoinState.Entering entering
            when entering.target().equals(target) -> mayAsk(transition, target, answer);
            case JoinState.Joining joining
            when joining.target().equals(target) -> {
                if (answer instanceof VoterAnswer.Entered(long seat, Optional<View> _) && seat != joining.seat()) {
                    ask(
                            transition,
                            joining.seated(seat)); // the record that it asked with is gone, and there is another
                }
            }
            case JoinState.Staying _, JoinState.Entering _, JoinState.Joining _ -> {}
        }
    }

    private static void mayAsk(Transition transition, Lineage target, VoterAnswer answer) {
        if (answer instanceof VoterAnswer.Entered(long seat, Optional<View> _)) {
            ask(transition, new JoinState.Joining(target, seat, transition.now, transition.now));
        } else {
            transition.crossing = JoinState.STAYING;
            transition.enterNotBeforeNanos =
                    transition.now + transition.config.joining().refusedNanos();
            transition.pending("this machine cannot write its vote record");
        }
    }

    private static void ask(Transition transition, JoinState.Joining joining) {
        transition.crossing = joining.sent(transition.now);
        var join = new Message.Join(
                joining.target(),
                joining.seat(),
                transition.self.role(),
                transition.self.group(),
                transition.progress.phase());
        dwellers(transition, joining.target()).forEach(node -> transition.send(node, join));
    }

    static void onNotYet(Transition transition, Message.NotYet notYet) {
        if (transition.crossing instanceof JoinState.Joining joining
                && joining.target().equals(notYet.lineage())) {
            transition.pending(notYet.reason());
        }
    }

    /**
     * Whether this lone node asked for entry there and {@code view}, newer than all it knows, grants exactly what it asked for. A view
     * that was known before it asked admits nobody: it may list this node as it was long ago.
     */
    static boolean isAdmittedBy(Transition transition, View view) {
        return isAnswered(transition, view)
                && transition.crossing instanceof JoinState.Joining joining
                && view.member(transition.self.node())
                        .equals(Optional.of(new Member(
                                transition.self.node(),
                                transition.self.incarnation(),
                                view.epoch(),
                                transition.self.role(),
                                transition.self.group(),
                                joining.seat())));
    }

    /** Whether {@code view} lists this start where it asked, and not as what it asked for. */
    static boolean isMistaken(Transition transition, View view) {
        return isAnswered(transition, view)
                && view.member(transition.self.node())
                        .filter(me -> me.incarnation() == transition.self.incarnation())
                        .isPresent()
                && !isAdmittedBy(transition, view);
    }

    private static boolean isAnswered(Transition transition, View view) {
        return transition.current.isLone()
                && transition.crossing instanceof JoinState.Joining joining
                && joining.target().equals(view.lineage());
    }

    /** Why the master should end this lineage of several for a better one; empty if it should not. */
    static Optional<String> dissolution(Transition transition) {
        boolean isMaster = transition.isSelf(transition.view().members().getFirst());
        if (transition.current.isLone()
                || !isMaster
                || transition.now - transition.admission.dissolveNotBeforeNanos() < 0) {
            return Optional.empty();
        }
        return best(transition)
                .filter(_ -> ViewRules.groupNames(transition.view()).stream()
                        .allMatch(group -> MemberStatus.busy(transition, group).isEmpty()))
                .map(target -> "lineage " + target.lineage().shortText() + " is better");
    }

    /** Whether this lineage should end for a better one as soon as its groups let it. */
    static boolean isDrawn(Transition transition) {
        return best(transition).isPresent();
    }

    /** The best lineage heard of, if it is better than the own one. */
    private static Optional<Candidate> best(Transition transition) {
        var best = new Candidate(
                transition.current.lineage(), transition.view().members().size());
        for (Map.Entry<NodeId, Peer> known : transition.peers().entrySet()) {
            Peer peer = known.getValue();
            if (!transition.hasNoVote(known.getKey().peer())
                    && !peer.livesIn(transition.current.lineage())
                    && isDwelling(transition, peer)
                    && (transition.current.isLone() || isSettled(transition, peer))) {
                Presence presence = peer.presence().orElseThrow();
                if (isStale(transition, peer, presence)) {
                    continue;
                }
                var heard = new Candidate(presence.lineage(), presence.memberCount());
                if (heard.isBetterThan(best)) {
                    best = heard;
                }
            }
        }
        return best.lineage().equals(transition.current.lineage()) ? Optional.empty() : Optional.of(best);
    }

    /** Heard of lately, and neither suspected nor stalled nor about to go. */
    private static boolean isDwelling(Transition transition, Peer peer) {
        return peer.linked()
                && !peer.suspected()
                && !peer.leaving()
                && peer.presence().filter(presence -> !presence.stalled()).isPresent()
                && transition.now - peer.heardNanos()
                        <= transition.config.joining().freshNanos();
    }

    /** Who just came back may live in a lineage that is over, and learns it from the first who answer: no cluster ends for it yet. */
    private static boolean isSettled(Transition transition, Peer peer) {
        long since = Math.max(peer.linkSinceNanos(), peer.awakeNanos());
        return transition.now - since >= transition.config.joining().freshNanos();
    }

    /** The word of a node that just woke: it tells of a view that this node knows a successor of. */
    private static boolean isStale(Transition transition, Peer peer, Presence presence) {
        return transition
                .known(presence.lineage())
                .filter(known -> peer.heardNanos() - known.learnedNanos() > 0
                        && known.view()
                                .filter(newest -> newest.epoch() > presence.epoch())
                                .isPresent())
                .isPresent();
    }

    private static List<NodeId> dwellers(Transition transition, Lineage lineage) {
        var nodes = new ArrayList<NodeId>();
        transition.peers().forEach((node, peer) -> {
            if (isDwelling(transition, peer) && peer.livesIn(lineage)) {
                nodes.add(node);
            }
        });
        return nodes;
    }
}
