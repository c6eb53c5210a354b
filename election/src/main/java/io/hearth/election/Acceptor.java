package io.hearth.election;

import io.hearth.core.Bytes;
import io.hearth.election.ViewMachine.Effect;
import io.hearth.identity.NodeId;
import java.util.Optional;

/**
 * The voter: promises and accepts, on disk before it answers, in every lineage of which it has a record. Where it also lives, a
 * promise freezes it, for good until a successor of the view is learned.
 */
final class Acceptor {
    private Acceptor() {}

    static void onPrepare(Turn turn, NodeId from, long incarnation, Message.Prepare prepare) {
        View view = prepare.view();
        if (ViewRules.fault(view).isPresent()) {
            turn.refuse(Refusal.BAD_VIEW);
            return;
        }
        if (!isProposer(view, from, incarnation, prepare.ballot())) {
            turn.refuse(Refusal.FOREIGN_BALLOT);
            return;
        }
        if (isTaught(turn, from, view)) {
            promise(turn, from, view, prepare.ballot());
        }
    }

    private static void promise(Turn turn, NodeId from, View view, Ballot ballot) {
        LineageRecord record = turn.record(view.lineage());
        if (record == null) {
            throw new AssertionError("taught without a record");
        }
        if (record.forbids(ballot)) {
            turn.send(
                    from,
                    new Message.Refuse(
                            view.lineage(), view.epoch(), record.promised().orElseThrow()));
            return;
        }
        if (!record.promised().equals(Optional.of(ballot))) {
            record = record.promise(ballot);
            turn.persist(record);
        }
        if (livesIn(turn, view)) {
            giveWay(turn, from, ballot);
            freezeAndAnswer(turn);
        } else {
            turn.send(
                    from,
                    new Message.Promise(view.lineage(), view.epoch(), ballot, record.accepted(), Optional.empty()));
        }
    }

    static void onAccept(Turn turn, NodeId from, long incarnation, Message.Accept accept) {
        View view = accept.view();
        if (ViewRules.fault(view).isPresent()
                || ViewRules.fault(accept.next()).isPresent()
                || ViewRules.successorFault(view, accept.next()).isPresent()) {
            turn.refuse(Refusal.BAD_VIEW);
            return;
        }
        if (!isProposer(view, from, incarnation, accept.ballot())) {
            turn.refuse(Refusal.FOREIGN_BALLOT);
            return;
        }
        if (!isTaught(turn, from, view)) {
            return;
        }
        LineageRecord record = turn.record(view.lineage());
        if (record == null) {
            throw new AssertionError("taught without a record");
        }
        var proposal = new Proposal(accept.ballot(), accept.next());
        if (record.forbids(accept.ballot())) {
            turn.send(
                    from,
                    new Message.Refuse(
                            view.lineage(), view.epoch(), record.promised().orElseThrow()));
            return;
        }
        if (contradicts(record, proposal)) {
            turn.refuse(Refusal.CONFLICT);
            return;
        }
        if (!record.accepted().equals(Optional.of(proposal))) {
            turn.persist(record.accept(proposal));
        }
        if (livesIn(turn, view)) {
            giveWay(turn, from, accept.ballot());
        }
        turn.send(from, new Message.Accepted(view.lineage(), view.epoch(), accept.ballot()));
    }

    /** The data threads stopped and the collectives said how far they are. */
    static void onFrozen(Turn turn, Optional<Bytes> status) {
        turn.freeze = new Freeze.Frozen(status, turn.now);
        answer(turn);
    }

    /** Brings the answer to the ballot promised at home on its way: at once if frozen already, else after the freeze. */
    static void freezeAndAnswer(Turn turn) {
        switch (turn.freeze) {
            case Freeze.Thawed() -> {
                turn.freeze = new Freeze.Freezing();
                turn.effect(new Effect.Freeze(turn.home.lineage(), turn.view().epoch()));
            }
            case Freeze.Freezing() -> {}
            case Freeze.Frozen _ -> answer(turn);
        }
    }

    private static void answer(Turn turn) {
        if (!(turn.freeze instanceof Freeze.Frozen frozen)) {
            return;
        }
        LineageRecord record = turn.homeRecord();
        Ballot ballot = record.promised().orElseThrow();
        boolean isDone = turn.departure instanceof Departure.Asking; // while draining, others still need its results
        var status = new Message.Status(isDone, frozen.status().orElse(Bytes.EMPTY));
        var promise = new Message.Promise(
                record.lineage(), turn.view().epoch(), ballot, record.accepted(), Optional.of(status));
        if (ballot.proposer().equals(turn.self.node())) {
            Proposer.onOwnPromise(turn, promise);
        } else {
            turn.send(ballot.proposer(), promise);
        }
    }

    /** Another's ballot drives the change now; an own one ends. */
    private static void giveWay(Turn turn, NodeId from, Ballot ballot) {
        turn.campaign = Campaign.NONE;
        turn.change = turn.change.drivenBy(from, turn.now).saw(ballot.round());
    }

    /**
     * Takes the committed view that a ballot is about as known, or sends the newer one back.
     *
     * @return whether {@code view} is now the newest view known of its lineage and this node has a vote in it
     */
    private static boolean isTaught(Turn turn, NodeId from, View view) {
        LineageRecord record = turn.record(view.lineage());
        if (record == null) {
            turn.refuse(Refusal.NO_RECORD);
            return false;
        }
        if (record.view().isPresent() && record.view().get().epoch() > view.epoch()) {
            turn.send(from, new Message.Commit(record.view().get()));
            return false;
        }
        Learner.hear(turn, from, view);
        LineageRecord taught = turn.record(view.lineage());
        if (taught == null || !taught.view().equals(Optional.of(view))) {
            return false; // two views of one epoch: counted where it was noticed
        }
        boolean votes = view.member(turn.self.node())
                .filter(member -> record.entries().contains(member.incarnation()))
                .isPresent();
        if (!votes) {
            turn.refuse(Refusal.NO_VOTE);
        }
        return votes;
    }

    private static boolean isProposer(View view, NodeId from, long incarnation, Ballot ballot) {
        return ballot.proposer().equals(from)
                && view.member(from)
                        .filter(member -> member.incarnation() == incarnation)
                        .isPresent();
    }

    private static boolean contradicts(LineageRecord record, Proposal proposal) {
        return record.accepted().isPresent()
                && record.accepted().get().ballot().equals(proposal.ballot())
                && !record.accepted().get().view().equals(proposal.view());
    }

    private static boolean livesIn(Turn turn, View view) {
        return turn.home.lineage().equals(view.lineage())
                && view.member(turn.self.node())
                        .filter(member -> member.incarnation() == turn.self.incarnation())
                        .isPresent();
    }
}
