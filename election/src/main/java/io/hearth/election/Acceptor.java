package io.hearth.election;

import io.hearth.core.Bytes;
import io.hearth.election.ViewMachine.Effect;
import io.hearth.identity.NodeId;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Answers Prepare and Accept, in two parts. The process answers at once: where it lives, Prepare freezes it, for good until a
 * successor of the view is learned. The machine answers through the voter, on disk before the answer leaves, in every lineage that
 * lists it.
 */
final class Acceptor {
    private Acceptor() {}

    static void onPrepare(Turn turn, NodeId from, long incarnation, Message.Prepare prepare) {
        View view = prepare.view();
        if (!isSound(turn, from, incarnation, view, prepare.ballot()) || !isUpToDate(turn, from, view)) {
            return;
        }
        boolean believes = meets(turn, from, view, prepare.ballot());
        if (Standing.isAbandoner(turn, from)) {
            turn.refuse(Refusal.ABANDONER);
            return;
        }
        if (livesIn(turn, view)) {
            giveWay(turn, from, prepare.ballot(), believes);
            freezeAndAnswer(turn, prepare.ballot());
        } else if (view.member(turn.self.node()).isPresent()) {
            turn.send(from, new Message.Here(view.lineage(), view.epoch(), prepare.ballot(), Optional.empty()));
        }
        if (believes && view.seat(turn.self.node().peer()) != 0 && !turn.isDoubled()) {
            VoteQueue.submit(turn, new VoterTask.Promise(view, prepare.ballot()));
        }
    }

    static void onAccept(Turn turn, NodeId from, long incarnation, Message.Accept accept) {
        View view = accept.view();
        if (!isSound(turn, from, incarnation, view, accept.ballot())) {
            return;
        }
        if (ViewRules.fault(accept.next()).isPresent()
                || ViewRules.successorFault(view, accept.next()).isPresent()) {
            turn.refuse(Refusal.BAD_VIEW);
            return;
        }
        if (!isUpToDate(turn, from, view) || !meets(turn, from, view, accept.ballot())) {
            return;
        }
        if (livesIn(turn, view)) {
            giveWay(turn, from, accept.ballot(), true);
        }
        if (view.seat(turn.self.node().peer()) != 0 && !turn.isDoubled()) {
            VoteQueue.submit(turn, new VoterTask.Accept(view, accept.ballot(), accept.next()));
        }
    }

    private static boolean isSound(Turn turn, NodeId from, long incarnation, View view, Ballot ballot) {
        if (ViewRules.fault(view).isPresent()) {
            turn.refuse(Refusal.BAD_VIEW);
            return false;
        }
        boolean isProposer = ballot.proposer().equals(from)
                && view.member(from)
                        .filter(member -> member.incarnation() == incarnation)
                        .isPresent();
        if (!isProposer) {
            turn.refuse(Refusal.FOREIGN_BALLOT);
        }
        return isProposer;
    }

    /**
     * Takes the committed view that a ballot is about as known, or sends the newer one back.
     *
     * @return whether {@code view} is the newest view that this process knows of its lineage, or it knows none and asks the disk
     */
    private static boolean isUpToDate(Turn turn, NodeId from, View view) {
        Optional<View> known = turn.known(view.lineage()).flatMap(KnownLineage::view);
        if (known.isPresent() && known.get().epoch() > view.epoch()) {
            turn.send(from, new Message.Commit(known.get()));
            return false;
        }
        Learner.hear(turn, from, view);
        Optional<View> taught = turn.known(view.lineage()).flatMap(KnownLineage::view);
        return taught.isEmpty() || taught.get().equals(view); // else counted where it was noticed
    }

    /**
     * Counts the round, unless its sender can bring no ballot to an end.
     *
     * @return whether the machine may vote: not for a round far above all known ones. The process answers all the same, because a member
     *     that missed the ballots before would be left out otherwise
     */
    private static boolean meets(Turn turn, NodeId from, View view, Ballot ballot) {
        KnownLineage known = turn.known(view.lineage()).orElseGet(() -> KnownLineage.of(0, Optional.empty(), turn.now));
        boolean believes = known.believes(ballot.round(), turn.now);
        if (!livesIn(turn, view) || canDrive(turn, from)) {
            turn.know(view.lineage(), known.met(ballot.round(), turn.now));
        }
        if (!believes) {
            turn.refuse(Refusal.FAR_ROUND);
        }
        return believes;
    }

    private static boolean canDrive(Turn turn, NodeId from) {
        return turn.view()
                .member(from)
                .filter(member -> Standing.canPropose(turn, member))
                .isPresent();
    }

    /** The data threads stopped and the collectives said how far they are. */
    static void onFrozen(Turn turn, Freeze.Freezing freezing, Optional<Bytes> status) {
        var frozen = new Freeze.Frozen(status, turn.now);
        turn.freeze = frozen;
        freezing.asked().values().forEach(ballot -> answer(turn, frozen, ballot));
    }

    /** Brings the answer of this process to a ballot on its way: at once if frozen already, else after the freeze. */
    static void freezeAndAnswer(Turn turn, Ballot ballot) {
        switch (turn.freeze) {
            case Freeze.Thawed() -> {
                turn.freeze = new Freeze.Freezing(new TreeMap<>()).asked(ballot);
                turn.effect(new Effect.Freeze(turn.home.lineage(), turn.view().epoch()));
            }
            case Freeze.Freezing freezing -> turn.freeze = freezing.asked(ballot);
            case Freeze.Frozen frozen -> answer(turn, frozen, ballot);
        }
    }

    private static void answer(Turn turn, Freeze.Frozen frozen, Ballot ballot) {
        boolean isDone = turn.departure instanceof Departure.Asking; // while draining, others still need its results
        var status = Optional.of(new Message.Status(isDone, frozen.status().orElse(Bytes.EMPTY)));
        if (ballot.proposer().equals(turn.self.node())) {
            Proposer.onOwnStatus(turn, ballot, status);
        } else {
            turn.send(
                    ballot.proposer(),
                    new Message.Here(turn.home.lineage(), turn.view().epoch(), ballot, status));
        }
    }

    /**
     * The sender drives the change now, if it can bring one to an end. An own lower ballot ends. An own higher ballot goes on, even
     * while its promise is on its way to the disk: once it is there, the own machine votes for no lower one. An own ballot also goes on
     * if this machine does not vote for the sender's round: otherwise a liar could make this node begin ballots without end.
     */
    private static void giveWay(Turn turn, NodeId from, Ballot ballot, boolean believes) {
        if (!canDrive(turn, from)) {
            return;
        }
        boolean isHigher = switch (turn.campaign) {
            case Campaign.None() -> false;
            case Campaign.Candidate candidate -> candidate.ballot().compareTo(ballot) < 0;
            case Campaign.Preparing preparing -> preparing.ballot().compareTo(ballot) < 0;
            case Campaign.Accepting accepting -> accepting.ballot().compareTo(ballot) < 0;
        };
        turn.campaign = isHigher && believes ? Campaign.NONE : turn.campaign;
        turn.change = turn.change.drivenBy(from, turn.now);
    }

    private static boolean livesIn(Turn turn, View view) {
        return turn.home.lineage().equals(view.lineage())
                && view.member(turn.self.node())
                        .filter(member -> member.incarnation() == turn.self.incarnation())
                        .isPresent();
    }
}
