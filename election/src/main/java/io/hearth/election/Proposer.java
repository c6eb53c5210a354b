package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.Comparator;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Drives this node's own ballots, once {@link Candidacy} started one: collects promises and acceptances, commits.
 */
final class Proposer {
    private Proposer() {}

    /** Does what is due. */
    static void drive(Turn turn) {
        if (turn.isLeaving() || turn.crossing instanceof Crossing.Joining) {
            turn.campaign = Campaign.NONE;
            turn.change = turn.change.needed(Optional.empty(), turn.now);
            return;
        }
        turn.change = turn.change.needed(Needs.of(turn), turn.now);
        switch (turn.campaign) {
            case Campaign.None() -> Candidacy.consider(turn);
            case Campaign.Preparing preparing -> {
                if (!isOver(turn, preparing.ballot(), preparing.timing())) {
                    repeat(turn, preparing);
                    advance(turn);
                }
            }
            case Campaign.Accepting accepting -> {
                if (!isOver(turn, accepting.ballot(), accepting.timing())) {
                    repeat(turn, accepting);
                }
            }
        }
    }

    private static boolean isOver(Turn turn, Ballot ballot, Campaign.Timing timing) {
        if (turn.now - timing.beganNanos() < timing.lifeNanos()) {
            return false;
        }
        turn.campaign = Campaign.NONE;
        turn.announce(
                new ElectionEvent.TimedOut(turn.home.lineage(), turn.view().epoch(), ballot));
        return true;
    }

    private static boolean isRepeatDue(Turn turn, Campaign.Timing timing) {
        return turn.now - timing.sentNanos() >= turn.config.ballots().repeatNanos();
    }

    private static void repeat(Turn turn, Campaign.Preparing preparing) {
        if (isRepeatDue(turn, preparing.timing())) {
            turn.campaign = preparing.sent(turn.now);
            for (Member member : turn.view().members()) {
                if (!turn.isSelf(member) && !preparing.answers().containsKey(member.node())) {
                    turn.send(member.node(), new Message.Prepare(turn.view(), preparing.ballot()));
                }
            }
        }
    }

    private static void repeat(Turn turn, Campaign.Accepting accepting) {
        if (isRepeatDue(turn, accepting.timing())) {
            turn.campaign = accepting.sent(turn.now);
            sendAccept(turn, accepting);
        }
    }

    private static void sendAccept(Turn turn, Campaign.Accepting accepting) {
        for (Member voter : turn.view().voters()) {
            if (!accepting.votes().contains(voter.node())) {
                turn.send(voter.node(), new Message.Accept(turn.view(), accepting.ballot(), accepting.next()));
            }
        }
    }

    static void onOwnPromise(Turn turn, Message.Promise promise) {
        if (turn.campaign instanceof Campaign.Preparing preparing
                && preparing.ballot().equals(promise.ballot())) {
            turn.campaign =
                    preparing.answered(turn.self.node(), new Campaign.Answer(promise.accepted(), promise.status()));
            advance(turn);
        }
    }

    static void onPromise(Turn turn, NodeId from, long incarnation, Message.Promise promise) {
        if (!(turn.campaign instanceof Campaign.Preparing preparing)
                || !isAbout(turn, promise.lineage(), promise.epoch(), promise.ballot(), preparing.ballot())) {
            turn.refuse(Refusal.STRAY_ANSWER);
            return;
        }
        Optional<Member> member = turn.view().member(from);
        if (member.isEmpty()) {
            turn.refuse(Refusal.STRAY_ANSWER);
            return;
        }
        if (promise.accepted().isPresent()
                && (ViewRules.fault(promise.accepted().get().view()).isPresent()
                        || ViewRules.successorFault(
                                        turn.view(), promise.accepted().get().view())
                                .isPresent())) {
            turn.refuse(Refusal.BAD_VIEW);
            return;
        }
        boolean isItself = member.get().incarnation() == incarnation; // a restarted one only votes
        turn.campaign = preparing.answered(
                from, new Campaign.Answer(promise.accepted(), isItself ? promise.status() : Optional.empty()));
        advance(turn);
    }

    private static boolean isAbout(Turn turn, Lineage lineage, long epoch, Ballot ballot, Ballot own) {
        return ballot.equals(own) && epoch == turn.view().epoch() && lineage.equals(turn.home.lineage());
    }

    /** Goes on to Accept when a quorum promised and everybody who may still answer did, or was waited for long enough. */
    private static void advance(Turn turn) {
        if (!(turn.campaign instanceof Campaign.Preparing preparing)
                || !turn.view().isQuorum(preparing.answers().keySet())
                || isWorthWaiting(turn, preparing)) {
            return;
        }
        Optional<View> next = preparing.answers().values().stream()
                .flatMap(answer -> answer.accepted().stream())
                .max(Comparator.comparing(Proposal::ballot))
                .map(Proposal::view)
                .or(() -> Successor.of(turn, preparing));
        if (next.isEmpty()) {
            retreat(turn);
            return;
        }
        turn.persist(turn.homeRecord().accept(new Proposal(preparing.ballot(), next.get())));
        var votes = new TreeSet<NodeId>();
        votes.add(turn.self.node());
        var accepting =
                new Campaign.Accepting(preparing.ballot(), preparing.timing().sent(turn.now), next.get(), votes);
        turn.campaign = accepting;
        sendAccept(turn, accepting);
        commitIfChosen(turn, accepting);
    }

    private static boolean isWorthWaiting(Turn turn, Campaign.Preparing preparing) {
        return turn.now - preparing.timing().beganNanos()
                        < turn.config.ballots().answerNanos()
                && turn.view().members().stream()
                        .anyMatch(member -> !preparing.answers().containsKey(member.node())
                                && !Standing.isSilent(turn, member)
                                && !Standing.isRestarted(turn, member)
                                && !Standing.isElsewhere(turn, member));
    }

    static void onAccepted(Turn turn, NodeId from, Message.Accepted accepted) {
        if (!(turn.campaign instanceof Campaign.Accepting accepting)
                || !isAbout(turn, accepted.lineage(), accepted.epoch(), accepted.ballot(), accepting.ballot())
                || turn.view().member(from).isEmpty()) {
            turn.refuse(Refusal.STRAY_ANSWER);
            return;
        }
        Campaign.Accepting more = accepting.voted(from);
        turn.campaign = more;
        commitIfChosen(turn, more);
    }

    private static void commitIfChosen(Turn turn, Campaign.Accepting accepting) {
        View view = turn.view();
        if (!view.isQuorum(accepting.votes())) {
            return;
        }
        View next = accepting.next();
        var audience = new TreeSet<NodeId>();
        view.members().forEach(member -> audience.add(member.node()));
        next.members().forEach(member -> audience.add(member.node()));
        audience.remove(turn.self.node());
        Learner.learn(turn, next);
        audience.forEach(node -> turn.send(node, new Message.Commit(next)));
    }

    static void onRefuse(Turn turn, NodeId from, Message.Refuse refuse) {
        boolean isMine = switch (turn.campaign) {
            case Campaign.None() -> false;
            case Campaign.Preparing preparing -> preparing.ballot().compareTo(refuse.promised()) < 0;
            case Campaign.Accepting accepting -> accepting.ballot().compareTo(refuse.promised()) < 0;
        };
        if (!isMine
                || refuse.epoch() != turn.view().epoch()
                || !refuse.lineage().equals(turn.home.lineage())
                || turn.view().member(from).isEmpty()) {
            turn.refuse(Refusal.STRAY_ANSWER);
            return;
        }
        turn.change = turn.change.saw(refuse.promised().round());
        retreat(turn);
    }

    private static void retreat(Turn turn) {
        ElectionConfig.Ballots spans = turn.config.ballots();
        turn.campaign = Campaign.NONE;
        turn.change = turn.change.notBefore(turn.now + spans.retryNanos() + turn.draw(spans.retrySpreadNanos()));
    }
}
