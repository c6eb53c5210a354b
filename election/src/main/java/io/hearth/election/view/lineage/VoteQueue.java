package io.hearth.election.view.lineage;

import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.election.Message;
import io.hearth.election.View;
import io.hearth.election.view.opinion.MemberStatus;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.JoinState;
import io.hearth.election.view.state.KnownLineage;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.step.Transition;
import io.hearth.election.vote.VoterTask;
import java.util.Optional;
import java.util.TreeSet;

/** Gives the voter one task at a time, so that no other work waits for the disk. */
public final class VoteQueue {
    private VoteQueue() {}

    /** Adds a task; it runs at once if the voter has none. */
    public static void submit(Transition transition, VoterTask task) {
        transition.voting = transition.voting.with(task);
        next(transition);
    }

    /** Gives the voter the next task that is still due, if it has none. */
    public static void next(Transition transition) {
        while (transition.voting.running().isEmpty()
                && !transition.voting.waiting().isEmpty()) {
            VoterTask task = transition.voting.next();
            transition.voting = transition.voting.without(task);
            if (isWanted(transition, task)) {
                transition.voting = transition.voting.runs(task);
                transition.effect(new ViewEffect.Vote(task));
            }
        }
    }

    /** Whether a task is still due when its turn comes. */
    private static boolean isWanted(Transition transition, VoterTask task) {
        return switch (task) {
            case VoterTask.Promise(View view, Ballot ballot) ->
                transition.isOwn(ballot) ? isOwnWanted(transition, view, ballot) : isOpen(transition, view, ballot);
            case VoterTask.Accept accept ->
                transition.isOwn(accept.ballot())
                        ? transition.campaign instanceof Campaign.Accepting accepting
                                && accepting.ballot().equals(accept.ballot())
                        : isOpen(transition, accept.view(), accept.ballot());
            case VoterTask.Learn(View view) ->
                transition.known(view.lineage()).flatMap(KnownLineage::view).equals(Optional.of(view));
            case VoterTask.Enter _, VoterTask.Found _, VoterTask.Retain _ -> true;
        };
    }

    /** Whether this node's queued promise is still due; another node may drive the change by now. */
    private static boolean isOwnWanted(Transition transition, View view, Ballot ballot) {
        if (!transition.view().equals(view)
                || !(transition.campaign instanceof Campaign.Candidate candidate)
                || !candidate.ballot().equals(ballot)) {
            return false;
        }
        if (MemberStatus.isDrivenByAnother(transition)) {
            transition.campaign = Campaign.NONE;
            return false;
        }
        return true;
    }

    /** Whether the successor of {@code view} may still be unknown. If it is known, the proposer gets it without the disk. */
    private static boolean isOpen(Transition transition, View view, Ballot ballot) {
        Optional<View> newer = transition
                .known(view.lineage())
                .flatMap(KnownLineage::view)
                .filter(newest -> newest.epoch() > view.epoch());
        newer.ifPresent(newest -> transition.send(ballot.proposer(), new Message.Commit(newest)));
        return newer.isEmpty();
    }

    /** Does what is due: retries a founding that the disk failed to write, and sweeps the records once a minute. */
    public static void drive(Transition transition) {
        if (!transition.current.isRecorded() && transition.now - transition.foundNotBeforeNanos >= 0) {
            var task = new VoterTask.Found(transition.current.first());
            if (!transition.voting.contains(task)) {
                submit(transition, task);
            }
        }
        if (transition.now - transition.retainedNanos >= transition.config.retainNanos()) {
            transition.retainedNanos = transition.now;
            var used = new TreeSet<Lineage>();
            used.add(transition.current.lineage());
            if (transition.join instanceof JoinState.Joining joining) {
                used.add(joining.target());
                submit(
                        transition,
                        new VoterTask.Enter(
                                joining.target(), transition.drawSeat())); // the seat it asks with may be dead
            }
            used.forEach(lineage -> transition
                    .known(lineage)
                    .ifPresent(known -> transition.know(lineage, known.seated(known.seat(), transition.now))));
            submit(transition, new VoterTask.Retain(used));
            if (transition.current.isRecorded()) { // its seat may have changed, or its newest view may not be on disk
                submit(transition, new VoterTask.Learn(transition.view()));
            }
        }
    }
}
