package io.hearth.election.view.ballot;

import io.hearth.election.Ballot;
import io.hearth.election.ElectionConfig;
import io.hearth.election.ElectionEvent;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Proposal;
import io.hearth.election.ViewRules;
import io.hearth.election.view.lineage.VoteQueue;
import io.hearth.election.view.opinion.MemberStatus;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.Change;
import io.hearth.election.view.state.HearingState;
import io.hearth.election.view.state.KnownLineage;
import io.hearth.election.view.step.Transition;
import io.hearth.election.vote.VoterTask;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decides when this node starts a ballot: it sees a reason, hears a quorum, no other node drives the change, and the members before it
 * had their turn.
 *
 * <p>The round and this node's id make a ballot unique. The promise of this node's machine is on disk before Prepare leaves, so not
 * even a restart repeats a ballot.
 */
public final class BallotTrigger {
    private BallotTrigger() {}

    /** Starts a ballot if there is a reason and it is this node's turn. */
    static void consider(Transition transition) {
        Change change = transition.change;
        if (change.needed().isEmpty()
                || transition.now - change.notBeforeNanos() < 0
                || !(transition.hearing instanceof HearingState.Quorum)
                || !transition.current.isRecorded()
                || MemberStatus.isDrivenByAnother(transition)) {
            return;
        }
        List<Member> proposers = MemberStatus.proposers(transition);
        int number = 0;
        while (number < proposers.size() && !transition.isSelf(proposers.get(number))) {
            number++;
        }
        ElectionConfig.Ballots spans = transition.config.ballots();
        if (transition.now - change.neededNanos()
                >= Math.min(number * spans.staggerNanos(), spans.staggerMostNanos())) {
            start(transition, change.needed().get());
        }
    }

    private static void start(Transition transition, String why) {
        long seen = transition
                .known(transition.current.lineage())
                .map(KnownLineage::roundSeen)
                .orElse(0L);
        if (seen >= Ballot.ROUND_MAX || transition.view().epoch() + 1 >= ViewRules.NUMBER_MAX) {
            return; // no round is left; a number that a record cannot hold is not proposed
        }
        var ballot = new Ballot(seen + 1, transition.self.node());
        transition.useRound(ballot.round());
        transition.campaign = new Campaign.Candidate(ballot, why);
        transition.change =
                transition.change.asked(List.of(transition.self.node().peer()), false, transition.now);
        transition.announce(new ElectionEvent.Started(
                transition.current.lineage(), transition.view().epoch(), ballot, why));
        VoteQueue.submit(transition, new VoterTask.Promise(transition.view(), ballot));
    }

    /** This node's machine promised: asks the others, unless the reason disappeared in the meantime. */
    static void promised(Transition transition, Campaign.Candidate candidate, Optional<Proposal> accepted) {
        if (accepted.isEmpty() && ViewChangeReasons.of(transition).isEmpty()) {
            transition.campaign = Campaign.NONE;
            return;
        }
        var preparing = new Campaign.Preparing(
                        candidate.ballot(), timing(transition), new TreeMap<>(), new TreeMap<>(), new TreeSet<>())
                .promised(transition.self.node().peer(), accepted);
        transition.campaign = preparing;
        transition.change = transition.change.asked(MemberStatus.otherVoters(transition), false, transition.now);
        var prepare = new Message.Prepare(transition.view(), candidate.ballot());
        transition.sendToMachines(prepare);
        Acceptor.freezeAndAnswer(transition, candidate.ballot());
    }

    static Campaign.Timing timing(Transition transition) {
        ElectionConfig.Ballots spans = transition.config.ballots();
        return new Campaign.Timing(
                transition.now, spans.lifeNanos() + transition.draw(spans.lifeSpreadNanos()), transition.now);
    }
}
