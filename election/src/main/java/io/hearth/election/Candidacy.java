package io.hearth.election;

import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decides when this node starts a ballot: it sees a need, hears a quorum, no other node drives the change, and those before it had
 * their chance.
 *
 * <p>A ballot is kept apart from all others by its round and this node's id, and the promise of its own machine is on disk before
 * Prepare leaves, so not even a restart repeats one.
 */
final class Candidacy {
    private Candidacy() {}

    /** Starts a ballot if there is need of one and it is this node's turn. */
    static void consider(Turn turn) {
        Change change = turn.change;
        if (change.needed().isEmpty()
                || turn.now - change.notBeforeNanos() < 0
                || !(turn.hearing instanceof Hearing.Quorum)
                || !turn.home.isRecorded()
                || isDrivenByAnother(turn)) {
            return;
        }
        List<Member> proposers = Standing.proposers(turn);
        int number = 0;
        while (number < proposers.size() && !turn.isSelf(proposers.get(number))) {
            number++;
        }
        ElectionConfig.Ballots spans = turn.config.ballots();
        if (turn.now - change.neededNanos() >= Math.min(number * spans.staggerNanos(), spans.staggerMostNanos())) {
            start(turn, change.needed().get());
        }
    }

    /** Another proposer is given time, unless it is suspected. */
    static boolean isDrivenByAnother(Turn turn) {
        Change change = turn.change;
        return change.driver().isPresent()
                && turn.now - change.drivenNanos() < turn.config.ballots().orphanNanos()
                && turn.view()
                        .member(change.driver().get())
                        .filter(driver -> Standing.canPropose(turn, driver))
                        .isPresent();
    }

    private static void start(Turn turn, String why) {
        long seen = turn.known(turn.home.lineage()).map(KnownLineage::roundSeen).orElse(0L);
        if (seen >= Ballot.ROUND_MAX || turn.view().epoch() + 1 >= ViewRules.NUMBER_MAX) {
            return; // there is no number for it; what a record cannot hold is not proposed
        }
        var ballot = new Ballot(seen + 1, turn.self.node());
        turn.useRound(ballot.round());
        turn.campaign = new Campaign.Candidate(ballot, why);
        turn.change = turn.change.asked(List.of(turn.self.node().peer()), false, turn.now);
        turn.announce(new ElectionEvent.Started(turn.home.lineage(), turn.view().epoch(), ballot, why));
        VoteQueue.submit(turn, new VoterTask.Promise(turn.view(), ballot));
    }

    /** Looks again when the turn of the own promise comes: others may drive the change by now. */
    static boolean isStillWanted(Turn turn, View view, Ballot ballot) {
        if (!turn.view().equals(view)
                || !(turn.campaign instanceof Campaign.Candidate candidate)
                || !candidate.ballot().equals(ballot)) {
            return false;
        }
        if (isDrivenByAnother(turn)) {
            turn.campaign = Campaign.NONE;
            return false;
        }
        return true;
    }

    /** The own machine promised: now the others are asked, unless the reason went while the disk took its time. */
    static void promised(Turn turn, Campaign.Candidate candidate, Optional<Proposal> accepted) {
        if (accepted.isEmpty() && Needs.of(turn).isEmpty()) {
            turn.campaign = Campaign.NONE;
            return;
        }
        var preparing = new Campaign.Preparing(
                        candidate.ballot(), timing(turn), new TreeMap<>(), new TreeMap<>(), new TreeSet<>())
                .promised(turn.self.node().peer(), accepted);
        turn.campaign = preparing;
        turn.change = turn.change.asked(Standing.otherVoters(turn), false, turn.now);
        var prepare = new Message.Prepare(turn.view(), candidate.ballot());
        turn.sendToMachines(prepare);
        Acceptor.freezeAndAnswer(turn, candidate.ballot());
    }

    static Campaign.Timing timing(Turn turn) {
        ElectionConfig.Ballots spans = turn.config.ballots();
        return new Campaign.Timing(turn.now, spans.lifeNanos() + turn.draw(spans.lifeSpreadNanos()), turn.now);
    }
}
