package io.hearth.election;

import io.hearth.election.ViewMachine.Effect;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Gives the voter one task at a time and acts on its answers: a vote leaves only when the disk has it, and nothing else waits for
 * the disk.
 */
final class VoteQueue {
    private VoteQueue() {}

    static void submit(Turn turn, VoterTask task) {
        turn.voting = turn.voting.with(task);
        next(turn);
    }

    static void onVoted(Turn turn, VoterTask task, VoterAnswer answer) {
        if (!turn.voting.running().equals(Optional.of(task))) {
            turn.refuse(Refusal.STRAY_ANSWER);
            return;
        }
        turn.voting = turn.voting.idle();
        if (answer.isOnDisk() || answer instanceof VoterAnswer.Refused) {
            turn.change = turn.change.voted(turn.self.node().peer(), !(task instanceof VoterTask.Promise));
        }
        if (answer instanceof VoterAnswer.Failed(String why)) {
            turn.diskFault = why;
        } else if (answer.isOnDisk() || answer instanceof VoterAnswer.Retained) {
            turn.diskFault = ""; // an answer that wrote nothing says nothing about the disk
        }
        switch (task) {
            case VoterTask.Promise(View view, Ballot ballot) -> promised(turn, view, ballot, answer);
            case VoterTask.Accept accept -> accepted(turn, accept, answer);
            case VoterTask.Enter(Lineage lineage, long _) -> Merge.onEntered(turn, lineage, answer);
            case VoterTask.Found(View view) -> founded(turn, view, answer);
            case VoterTask.Learn(View view) -> common(turn, view, answer);
            case VoterTask.Retain _ -> {
                if (answer instanceof VoterAnswer.Retained(var without)) {
                    without.forEach(lineage -> withoutRecord(turn, lineage));
                }
            }
        }
        next(turn);
    }

    private static void next(Turn turn) {
        while (turn.voting.running().isEmpty() && !turn.voting.waiting().isEmpty()) {
            VoterTask task = turn.voting.waiting().getFirst();
            turn.voting = turn.voting.rest(1);
            if (isWanted(turn, task)) {
                turn.voting = turn.voting.runs(task);
                turn.effect(new Effect.Vote(task));
            }
        }
    }

    /** Looks again when a task's turn comes: much may have happened since it was queued. */
    private static boolean isWanted(Turn turn, VoterTask task) {
        return switch (task) {
            case VoterTask.Promise(View view, Ballot ballot) ->
                !isOwn(turn, ballot) || Candidacy.isStillWanted(turn, view, ballot);
            case VoterTask.Accept accept ->
                !isOwn(turn, accept.ballot())
                        || (turn.campaign instanceof Campaign.Accepting accepting
                                && accepting.ballot().equals(accept.ballot()));
            case VoterTask.Learn(View view) ->
                turn.known(view.lineage()).flatMap(KnownLineage::view).equals(Optional.of(view));
            case VoterTask.Enter _, VoterTask.Found _, VoterTask.Retain _ -> true;
        };
    }

    private static boolean isOwn(Turn turn, Ballot ballot) {
        return ballot.proposer().equals(turn.self.node());
    }

    private static void promised(Turn turn, View view, Ballot ballot, VoterAnswer answer) {
        if (answer instanceof VoterAnswer.Promised(Optional<Proposal> accepted)) {
            if (isOwn(turn, ballot)) {
                Proposer.onOwnPromise(turn, view, ballot, accepted);
            } else {
                turn.send(ballot.proposer(), new Message.Promise(view.lineage(), view.epoch(), ballot, accepted));
            }
            return;
        }
        voteRefused(turn, view, ballot, answer);
    }

    private static void accepted(Turn turn, VoterTask.Accept task, VoterAnswer answer) {
        View view = task.view();
        if (answer instanceof VoterAnswer.Accepted) {
            if (isOwn(turn, task.ballot())) {
                Proposer.onOwnAccepted(turn, view, task.ballot());
            } else {
                turn.send(task.ballot().proposer(), new Message.Accepted(view.lineage(), view.epoch(), task.ballot()));
            }
            return;
        }
        voteRefused(turn, view, task.ballot(), answer);
    }

    private static void voteRefused(Turn turn, View view, Ballot ballot, VoterAnswer answer) {
        NodeId proposer = ballot.proposer();
        boolean isOwn = isOwn(turn, ballot);
        switch (answer) {
            case VoterAnswer.Refused(Ballot promised) -> {
                if (isOwn) {
                    Proposer.onOwnRefused(turn, view, ballot, promised);
                } else {
                    turn.send(proposer, new Message.Refuse(view.lineage(), view.epoch(), promised));
                }
            }
            case VoterAnswer.Newer(View newer) -> {
                if (!isOwn) {
                    turn.send(proposer, new Message.Commit(newer));
                }
            }
            case VoterAnswer.NoSeat() -> {
                PeerId machine = turn.self.node().peer();
                if (!isOwn && view.seat(machine) != 0) {
                    turn.send(proposer, new Message.Gone(view.lineage(), view.epoch(), view.seat(machine)));
                }
            }
            case VoterAnswer.Conflict()
            when !isOwn ->
                turn.announce(new ElectionEvent.Conflict(
                        new ViewSource.Told(proposer),
                        "a ballot of " + proposer.shortText() + " is about another view " + view.epoch()
                                + " of lineage " + view.lineage().shortText()
                                + ", or another proposal, than this machine's record holds: one of the two is forged"));
            default -> {
                if (isOwn) {
                    Proposer.retreat(turn);
                }
            }
        }
        common(turn, view, answer);
    }

    /** What every answer about a view of some lineage may bring. */
    private static void common(Turn turn, View view, VoterAnswer answer) {
        switch (answer) {
            case VoterAnswer.Newer(View newer) -> Learner.learn(turn, newer, new ViewSource.Disk());
            case VoterAnswer.NoSeat() -> {
                if (turn.home.view().equals(view)) { // an older view may list a seat of an earlier record
                    LostVotes.giveUp(turn, "this machine's vote was lost: its record is missing or damaged");
                }
            }
            case VoterAnswer.Conflict() -> turn.refuse(Refusal.CONFLICT);
            default -> {}
        }
    }

    private static void founded(Turn turn, View view, VoterAnswer answer) {
        if (!turn.home.lineage().equals(view.lineage())) {
            return;
        }
        if (answer instanceof VoterAnswer.Written) {
            turn.home = turn.home.recorded();
        } else {
            turn.foundNotBeforeNanos = turn.now + turn.config.joining().refusedNanos();
            common(turn, view, answer);
        }
    }

    private static void withoutRecord(Turn turn, Lineage lineage) {
        if (turn.home.lineage().equals(lineage) && turn.home.isRecorded()) {
            LostVotes.giveUp(turn, "this machine's vote was lost: its record was deleted");
        }
    }

    /** Does what is due: a founding that the disk refused is tried again, and once a minute old records are looked through. */
    static void drive(Turn turn) {
        if (!turn.home.isRecorded() && turn.now - turn.foundNotBeforeNanos >= 0) {
            var task = new VoterTask.Found(turn.home.first());
            if (!turn.voting.contains(task)) {
                submit(turn, task);
            }
        }
        if (turn.now - turn.retainedNanos >= turn.config.retainNanos()) {
            turn.retainedNanos = turn.now;
            var used = new TreeSet<Lineage>();
            used.add(turn.home.lineage());
            if (turn.crossing instanceof Crossing.Joining joining) {
                used.add(joining.target());
                submit(
                        turn,
                        new VoterTask.Enter(joining.target(), turn.drawSeat())); // the seat it asks with may be dead
            }
            used.forEach(lineage ->
                    turn.known(lineage).ifPresent(known -> turn.know(lineage, known.seated(known.seat(), turn.now))));
            submit(turn, new VoterTask.Retain(used));
            if (turn.home.isRecorded()) { // its seat may be another one by now, or its newest view not on disk
                submit(turn, new VoterTask.Learn(turn.view()));
            }
        }
    }
}
