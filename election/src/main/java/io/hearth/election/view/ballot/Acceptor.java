package io.hearth.election.view.ballot;

import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.election.Message;
import io.hearth.election.MessageRejection;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.election.view.lineage.Learner;
import io.hearth.election.view.lineage.VoteQueue;
import io.hearth.election.view.opinion.MemberStatus;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.Freeze;
import io.hearth.election.view.state.KnownLineage;
import io.hearth.election.view.state.LeaveState;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.step.Transition;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Answers Prepare and Accept, in two parts. The process answers at once: in its home lineage, Prepare freezes it until it learns a
 * successor of the view. The machine answers through the voter, with the vote on disk before the answer leaves, in every lineage that
 * lists it.
 */
public final class Acceptor {
    private Acceptor() {}

    public static void onPrepare(Transition transition, NodeId from, long incarnation, Message.Prepare prepare) {
        View view = prepare.view();
        if (!isSound(transition, from, incarnation, view, prepare.ballot()) || !isUpToDate(transition, from, view)) {
            return;
        }
        boolean believes = meets(transition, from, view, prepare.ballot());
        if (MemberStatus.isAbandoner(transition, from)) {
            transition.refuse(MessageRejection.ABANDONER);
            return;
        }
        if (livesIn(transition, view)) {
            giveWay(transition, from, prepare.ballot(), believes);
            freezeAndAnswer(transition, prepare.ballot());
        } else if (view.member(transition.self.node()).isPresent()) {
            transition.send(from, new Message.Here(view.lineage(), view.epoch(), prepare.ballot(), Optional.empty()));
        }
        if (believes && view.seat(transition.self.node().peer()) != 0 && !transition.isDoubled()) {
            VoteQueue.submit(transition, new VoterTask.Promise(view, prepare.ballot()));
        }
    }

    public static void onAccept(Transition transition, NodeId from, long incarnation, Message.Accept accept) {
        View view = accept.view();
        if (!isSound(transition, from, incarnation, view, accept.ballot())) {
            return;
        }
        if (ViewRules.fault(accept.next()).isPresent()
                || ViewRules.successorFault(view, accept.next()).isPresent()) {
            transition.refuse(MessageRejection.BAD_VIEW);
            return;
        }
        if (!isUpToDate(transition, from, view) || !meets(transition, from, view, accept.ballot())) {
            return;
        }
        if (livesIn(transition, view)) {
            giveWay(transition, from, accept.ballot(), true);
        }
        if (view.seat(transition.self.node().peer()) != 0 && !transition.isDoubled()) {
            VoteQueue.submit(transition, new VoterTask.Accept(view, accept.ballot(), accept.next()));
        }
    }

    private static boolean isSound(Transition transition, NodeId from, long incarnation, View view, Ballot ballot) {
        if (ViewRules.fault(view).isPresent()) {
            transition.refuse(MessageRejection.BAD_VIEW);
            return false;
        }
        boolean isProposer = ballot.proposer().equals(from)
                && view.member(from)
                        .filter(member -> member.incarnation() == incarnation)
                        .isPresent();
        if (!isProposer) {
            transition.refuse(MessageRejection.FOREIGN_BALLOT);
        }
        return isProposer;
    }

    /**
     * Learns the committed view that a ballot is about, or sends the newer one back.
     *
     * @return whether {@code view} is the newest view that this process knows of its lineage, or it knows none and must ask the disk
     */
    private static boolean isUpToDate(Transition transition, NodeId from, View view) {
        Optional<View> known = transition.known(view.lineage()).flatMap(KnownLineage::view);
        if (known.isPresent() && known.get().epoch() > view.epoch()) {
            transition.send(from, new Message.Commit(known.get()));
            return false;
        }
        Learner.hear(transition, from, view);
        Optional<View> taught = transition.known(view.lineage()).flatMap(KnownLineage::view);
        return taught.isEmpty() || taught.get().equals(view); // else the conflict is counted where it was noticed
    }

    /**
     * Notes the round, unless its sender cannot finish a ballot.
     *
     * @return whether the machine may vote: not for a round far above all known ones. The process answers even then, because otherwise a
     *     member that missed earlier ballots would be left out
     */
    private static boolean meets(Transition transition, NodeId from, View view, Ballot ballot) {
        KnownLineage known =
                transition.known(view.lineage()).orElseGet(() -> KnownLineage.of(0, Optional.empty(), transition.now));
        boolean believes = known.believes(ballot.round(), transition.now);
        if (!livesIn(transition, view) || canDrive(transition, from)) {
            transition.know(view.lineage(), known.met(ballot.round(), transition.now));
        }
        if (!believes) {
            transition.refuse(MessageRejection.FAR_ROUND);
        }
        return believes;
    }

    private static boolean canDrive(Transition transition, NodeId from) {
        return transition
                .view()
                .member(from)
                .filter(member -> MemberStatus.canPropose(transition, member))
                .isPresent();
    }

    /** The data threads stopped and the collectives took their status. */
    public static void onFrozen(Transition transition, Freeze.Freezing freezing, Optional<Bytes> status) {
        var frozen = new Freeze.Frozen(status, transition.now);
        transition.freeze = frozen;
        freezing.asked().values().forEach(ballot -> answer(transition, frozen, ballot));
    }

    /** Answers a ballot for this process: at once if it is frozen already, else after the freeze. */
    static void freezeAndAnswer(Transition transition, Ballot ballot) {
        switch (transition.freeze) {
            case Freeze.Thawed() -> {
                transition.freeze = new Freeze.Freezing(new TreeMap<>()).asked(ballot);
                transition.effect(new ViewEffect.Freeze(
                        transition.current.lineage(), transition.view().epoch()));
            }
            case Freeze.Freezing freezing -> transition.freeze = freezing.asked(ballot);
            case Freeze.Frozen frozen -> answer(transition, frozen, ballot);
        }
    }

    private static void answer(Transition transition, Freeze.Frozen frozen, Ballot ballot) {
        boolean isDone = transition.leave instanceof LeaveState.Asking; // while draining, others still need its results
        var status = Optional.of(new Message.Status(isDone, frozen.status().orElse(Bytes.EMPTY)));
        if (transition.isOwn(ballot)) {
            Proposer.onOwnStatus(transition, ballot, status);
        } else {
            transition.send(
                    ballot.proposer(),
                    new Message.Here(
                            transition.current.lineage(), transition.view().epoch(), ballot, status));
        }
    }

    /**
     * The sender drives the change now, if it can finish one. A lower ballot of this node ends. A higher ballot of this node goes on, even
     * while its promise is being written: once it is on disk, this machine votes for no lower one. A ballot of this node also goes on if
     * this machine does not vote for the sender's round; otherwise a liar could make this node begin ballots without end.
     */
    private static void giveWay(Transition transition, NodeId from, Ballot ballot, boolean believes) {
        if (!canDrive(transition, from)) {
            return;
        }
        boolean isHigher = switch (transition.campaign) {
            case Campaign.None() -> false;
            case Campaign.Candidate candidate -> candidate.ballot().compareTo(ballot) < 0;
            case Campaign.Preparing preparing -> preparing.ballot().compareTo(ballot) < 0;
            case Campaign.Accepting accepting -> accepting.ballot().compareTo(ballot) < 0;
        };
        transition.campaign = isHigher && believes ? Campaign.NONE : transition.campaign;
        transition.change = transition.change.drivenBy(from, transition.now);
    }

    private static boolean livesIn(Transition transition, View view) {
        return transition.current.lineage().equals(view.lineage())
                && view.member(transition.self.node())
                        .filter(member -> member.incarnation() == transition.self.incarnation())
                        .isPresent();
    }
}
