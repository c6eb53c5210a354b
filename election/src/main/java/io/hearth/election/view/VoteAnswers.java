package io.hearth.election.view;

import io.hearth.election.Ballot;
import io.hearth.election.ElectionEvent;
import io.hearth.election.Lineage;
import io.hearth.election.Message;
import io.hearth.election.MessageRejection;
import io.hearth.election.Proposal;
import io.hearth.election.View;
import io.hearth.election.ViewSource;
import io.hearth.election.view.ballot.Proposer;
import io.hearth.election.view.lineage.Learner;
import io.hearth.election.view.lineage.LostVotes;
import io.hearth.election.view.lineage.Merge;
import io.hearth.election.view.lineage.VoteQueue;
import io.hearth.election.view.step.Transition;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Optional;

/** Acts on the answers of the voter. A vote leaves only once it is on disk. */
final class VoteAnswers {
    private VoteAnswers() {}

    static void onVoted(Transition transition, VoterTask task, VoterAnswer answer) {
        if (!transition.voting.running().equals(Optional.of(task))) {
            transition.refuse(MessageRejection.STRAY_ANSWER);
            return;
        }
        transition.voting = transition.voting.idle();
        if (answer.isOnDisk() || answer instanceof VoterAnswer.Refused) {
            transition.change =
                    transition.change.voted(transition.self.node().peer(), !(task instanceof VoterTask.Promise));
        }
        if (answer instanceof VoterAnswer.Failed(String why)) {
            transition.diskFault = why;
        } else if (answer.isOnDisk() || answer instanceof VoterAnswer.Retained) {
            transition.diskFault = ""; // an answer without a write proves nothing about the disk
        }
        switch (task) {
            case VoterTask.Promise(View view, Ballot ballot) -> promised(transition, view, ballot, answer);
            case VoterTask.Accept accept -> accepted(transition, accept, answer);
            case VoterTask.Enter(Lineage lineage, long _) -> Merge.onEntered(transition, lineage, answer);
            case VoterTask.Found(View view) -> founded(transition, view, answer);
            case VoterTask.Learn(View view) -> common(transition, view, answer);
            case VoterTask.Retain _ -> {
                if (answer instanceof VoterAnswer.Retained(var without)) {
                    without.forEach(lineage -> withoutRecord(transition, lineage));
                }
            }
        }
        VoteQueue.next(transition);
    }

    private static void promised(Transition transition, View view, Ballot ballot, VoterAnswer answer) {
        if (answer instanceof VoterAnswer.Promised(Optional<Proposal> accepted)) {
            if (transition.isOwn(ballot)) {
                Proposer.onOwnPromise(transition, view, ballot, accepted);
            } else {
                transition.send(ballot.proposer(), new Message.Promise(view.lineage(), view.epoch(), ballot, accepted));
            }
            return;
        }
        voteRefused(transition, view, ballot, answer);
    }

    private static void accepted(Transition transition, VoterTask.Accept task, VoterAnswer answer) {
        View view = task.view();
        if (answer instanceof VoterAnswer.Accepted) {
            if (transition.isOwn(task.ballot())) {
                Proposer.onOwnAccepted(transition, view, task.ballot());
            } else {
                transition.send(
                        task.ballot().proposer(), new Message.Accepted(view.lineage(), view.epoch(), task.ballot()));
            }
            return;
        }
        voteRefused(transition, view, task.ballot(), answer);
    }

    private static void voteRefused(Transition transition, View view, Ballot ballot, VoterAnswer answer) {
        NodeId proposer = ballot.proposer();
        boolean isOwn = transition.isOwn(ballot);
        switch (answer) {
            case VoterAnswer.Refused(Ballot promised) -> {
                if (isOwn) {
                    Proposer.onOwnRefused(transition, view, ballot, promised);
                } else {
                    transition.send(proposer, new Message.Refuse(view.lineage(), view.epoch(), promised));
                }
            }
            case VoterAnswer.Newer(View newer) -> {
                if (!isOwn) {
                    transition.send(proposer, new Message.Commit(newer));
                }
            }
            case VoterAnswer.NoSeat() -> {
                PeerId machine = transition.self.node().peer();
                if (!isOwn && view.seat(machine) != 0) {
                    transition.send(proposer, new Message.Gone(view.lineage(), view.epoch(), view.seat(machine)));
                }
            }
            case VoterAnswer.Conflict()
            when !isOwn ->
                transition.announce(new ElectionEvent.Conflict(
                        new ViewSource.Told(proposer),
                        "a ballot of " + proposer.shortText() + " is about another view " + view.epoch()
                                + " of lineage " + view.lineage().shortText()
                                + ", or another proposal, than this machine's record holds: one of the two is forged"));
            default -> {
                if (isOwn) {
                    Proposer.retreat(transition);
                }
            }
        }
        common(transition, view, answer);
    }

    /** Handles what any answer about a view may bring. */
    private static void common(Transition transition, View view, VoterAnswer answer) {
        switch (answer) {
            case VoterAnswer.Newer(View newer) -> Learner.learn(transition, newer, new ViewSource.Disk());
            case VoterAnswer.NoSeat() -> {
                if (transition.current.view().equals(view)) { // an older view may list a seat of an earlier record
                    LostVotes.giveUp(transition, "this machine's vote was lost: its record is missing or damaged");
                }
            }
            case VoterAnswer.Conflict() -> transition.refuse(MessageRejection.CONFLICT);
            default -> {}
        }
    }

    private static void founded(Transition transition, View view, VoterAnswer answer) {
        if (!transition.current.lineage().equals(view.lineage())) {
            return;
        }
        if (answer instanceof VoterAnswer.Written) {
            transition.current = transition.current.recorded();
        } else {
            transition.foundNotBeforeNanos =
                    transition.now + transition.config.joining().refusedNanos();
            common(transition, view, answer);
        }
    }

    private static void withoutRecord(Transition transition, Lineage lineage) {
        if (transition.current.lineage().equals(lineage) && transition.current.isRecorded()) {
            LostVotes.giveUp(transition, "this machine's vote was lost: its record was deleted");
        }
    }
}
