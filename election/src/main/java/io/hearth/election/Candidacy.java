package io.hearth.election;

import java.util.List;
import java.util.TreeMap;

/**
 * Decides when this node starts a ballot: it sees a need, nobody else drives the change, and those before it had their chance.
 *
 * <p>A ballot is kept apart from all others by its round and this node's id, and its promise to itself is on disk before Prepare
 * leaves, so not even a restart repeats one.
 */
final class Candidacy {
    private Candidacy() {}

    /** Starts a ballot if there is need of one and it is this node's turn. */
    static void consider(Turn turn) {
        Change change = turn.change;
        if (change.needed().isEmpty() || turn.now - change.notBeforeNanos() < 0 || isDrivenByAnother(turn)) {
            return;
        }
        List<Member> proposers = Standing.proposers(turn);
        int number = 0;
        while (number < proposers.size() && !turn.isSelf(proposers.get(number))) {
            number++;
        }
        if (turn.now - change.neededNanos() >= number * turn.config.ballots().staggerNanos()) {
            start(turn, change.needed().get());
        }
    }

    private static boolean isDrivenByAnother(Turn turn) {
        Change change = turn.change;
        return change.driver().isPresent()
                && turn.now - change.drivenNanos() < turn.config.ballots().orphanNanos()
                && turn.view()
                        .member(change.driver().get())
                        .filter(driver -> Standing.canPropose(turn, driver))
                        .isPresent();
    }

    private static void start(Turn turn, String why) {
        LineageRecord record = turn.homeRecord();
        long round = Math.max(
                        turn.change.roundSeen(),
                        record.promised().map(Ballot::round).orElse(0L))
                + 1;
        if (round > Ballot.ROUND_MAX) {
            return;
        }
        var ballot = new Ballot(round, turn.self.node());
        turn.persist(record.promise(ballot));
        ElectionConfig.Ballots spans = turn.config.ballots();
        long life = spans.lifeNanos() + turn.draw(spans.lifeSpreadNanos());
        turn.campaign = new Campaign.Preparing(ballot, new Campaign.Timing(turn.now, life, turn.now), new TreeMap<>());
        turn.announce(new ElectionEvent.Started(turn.home.lineage(), turn.view().epoch(), ballot, why));
        turn.sendToMembers(new Message.Prepare(turn.view(), ballot));
        Acceptor.freezeAndAnswer(turn);
    }
}
