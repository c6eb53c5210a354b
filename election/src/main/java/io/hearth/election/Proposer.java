package io.hearth.election;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Drives this node's own ballots, once {@link Candidacy} started one: collects promises and acceptances, commits.
 */
final class Proposer {
    /** How many spans of silence longer a change waits for answers while the network is in doubt: a liar may feign gaps for ever. */
    private static final long DOUBTED_SPANS = 2;

    private Proposer() {}

    /** Does what is due. */
    static void drive(Turn turn) {
        if (turn.isLeaving() || !(turn.crossing instanceof Crossing.Staying)) {
            turn.campaign = Campaign.NONE;
            turn.change = turn.change.needed(Optional.empty(), turn.now);
            return;
        }
        turn.change = turn.change.needed(Needs.of(turn), turn.now);
        blame(turn);
        switch (turn.campaign) {
            case Campaign.None() -> {
                if (turn.change.needed().isEmpty()
                        || !(turn.hearing instanceof Hearing.Quorum)
                        || Candidacy.isDrivenByAnother(turn)) {
                    turn.change = turn.change.unasked();
                }
                Candidacy.consider(turn);
            }
            case Campaign.Candidate candidate -> {
                if (!turn.voting.contains(new VoterTask.Promise(turn.view(), candidate.ballot()))) {
                    turn.campaign = Campaign.NONE; // the queue was full
                }
            }
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

    /** Notes who was heard all the time and did not bring its ballot to an end. */
    private static void blame(Turn turn) {
        Optional<Member> driver = turn.change.driver().flatMap(turn.view()::member);
        if (driver.isPresent()
                && turn.hearing instanceof Hearing.Quorum // else it dropped its ballot for a reason
                && Needs.isOrphaned(turn)
                && couldGoOn(turn, driver.get())) {
            NodeId node = driver.get().node();
            turn.peer(node).ifPresent(peer -> turn.peer(node, peer.abandons(turn.now)));
            turn.change = turn.change.abandoned();
        }
    }

    /** It was heard without a gap since it last drove the change, still is, and was not blamed a moment ago. */
    private static boolean couldGoOn(Turn turn, Member driver) {
        return Standing.canPropose(turn, driver)
                && Standing.known(turn, driver)
                        .filter(peer -> peer.awakeNanos() - turn.change.drivenNanos() < 0
                                && turn.now - peer.heardNanos() < turn.config.silenceNanos() / 2
                                && !peer.abandonments()
                                        .isWithin(turn.config.ballots().orphanNanos(), turn.now))
                        .isPresent();
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

    /** Also to those who answered: they stand frozen, and take a change of which they hear nothing for abandoned. */
    private static void repeat(Turn turn, Campaign.Preparing preparing) {
        if (!isRepeatDue(turn, preparing.timing())) {
            return;
        }
        turn.campaign = preparing.sent(turn.now);
        var prepare = new Message.Prepare(turn.view(), preparing.ballot());
        for (Member member : turn.view().members()) {
            if (!turn.isSelf(member)) {
                turn.send(member.node(), prepare);
            }
        }
        for (NodeId other : turn.otherProcesses()) {
            if (!preparing.promises().containsKey(other.peer())) {
                turn.send(other, prepare);
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
        var accept = new Message.Accept(turn.view(), accepting.ballot(), accepting.next());
        for (Member member : turn.view().members()) {
            if (!turn.isSelf(member) && !accepting.votes().contains(member.machine())) {
                turn.send(member.node(), accept);
            }
        }
        for (NodeId other : turn.otherProcesses()) {
            if (!accepting.votes().contains(other.peer())) {
                turn.send(other, accept);
            }
        }
    }

    static void onOwnPromise(Turn turn, View view, Ballot ballot, Optional<Proposal> accepted) {
        if (turn.campaign instanceof Campaign.Candidate candidate
                && candidate.ballot().equals(ballot)
                && turn.view().equals(view)) {
            Candidacy.promised(turn, candidate, accepted);
            advance(turn);
        }
    }

    static void onOwnStatus(Turn turn, Ballot ballot, Optional<Message.Status> status) {
        if (turn.campaign instanceof Campaign.Preparing preparing
                && preparing.ballot().equals(ballot)) {
            turn.campaign = preparing.answered(turn.self.node(), status);
            advance(turn);
        }
    }

    static void onOwnRefused(Turn turn, View view, Ballot ballot, Ballot promised) {
        if (turn.view().equals(view)) {
            turn.meetRound(promised.round());
            if (turn.campaign instanceof Campaign.Open open && open.ballot().equals(ballot)) {
                refused(turn, open, turn.self.node().peer());
            } else if (turn.campaign instanceof Campaign.Candidate candidate
                    && candidate.ballot().equals(ballot)) {
                retreat(turn);
            }
        }
    }

    /** A member froze for this ballot. */
    static void onHere(Turn turn, NodeId from, long incarnation, Message.Here here) {
        Optional<Member> member = turn.view().member(from);
        if (!(turn.campaign instanceof Campaign.Preparing preparing)
                || !isAbout(turn, here.lineage(), here.epoch(), here.ballot(), preparing.ballot())
                || member.isEmpty()) {
            turn.refuse(Refusal.STRAY_ANSWER);
            return;
        }
        boolean isItself = member.get().incarnation() == incarnation; // a restarted one is not to be kept
        if (isItself && here.status().filter(status -> !status.leaving()).isPresent()) {
            turn.peer(from).filter(Peer::leaving).ifPresent(peer -> turn.peer(from, peer.asksToLeave(false)));
        }
        turn.campaign = preparing.answered(from, isItself ? here.status() : Optional.empty());
        advance(turn);
    }

    /** A machine promised, by any of its processes. */
    static void onPromise(Turn turn, NodeId from, Message.Promise promise) {
        if (!(turn.campaign instanceof Campaign.Preparing preparing)
                || !isAbout(turn, promise.lineage(), promise.epoch(), promise.ballot(), preparing.ballot())
                || !isVoter(turn, from)) {
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
        turn.campaign = preparing.promised(from.peer(), promise.accepted());
        turn.change = turn.change.voted(from.peer(), false);
        advance(turn);
    }

    /** Whether the node's machine votes about the view. Its own machine's votes come from the disk, never from a message. */
    private static boolean isVoter(Turn turn, NodeId from) {
        PeerId machine = from.peer();
        return turn.view().seat(machine) != 0
                && !machine.equals(turn.self.node().peer());
    }

    private static boolean isAbout(Turn turn, Lineage lineage, long epoch, Ballot ballot, Ballot own) {
        return ballot.equals(own) && epoch == turn.view().epoch() && lineage.equals(turn.home.lineage());
    }

    /** Goes on to Accept when a quorum promised and everybody who may still answer did, or was waited for long enough. */
    private static void advance(Turn turn) {
        if (!(turn.campaign instanceof Campaign.Preparing preparing)
                || !turn.view().isQuorum(preparing.promises().keySet())
                || !Standing.hasQuorum(turn, turn.config.silenceNanos() / 2)
                || isWorthWaiting(turn, preparing)) {
            return;
        }
        Optional<View> next = preparing.promises().values().stream()
                .flatMap(Optional::stream)
                .max(Comparator.comparing(Proposal::ballot))
                .map(Proposal::view)
                .or(() -> Successor.of(turn, preparing));
        if (next.isEmpty()) {
            retreat(turn);
            return;
        }
        var accepting = new Campaign.Accepting(
                preparing.ballot(), Candidacy.timing(turn), next.get(), new TreeSet<>(), new TreeSet<>());
        turn.campaign = accepting;
        turn.change = turn.change.asked(Standing.otherVoters(turn), true, turn.now);
        turn.change = turn.change.asked(List.of(turn.self.node().peer()), true, turn.now);
        sendAccept(turn, accepting);
        VoteQueue.submit(turn, new VoterTask.Accept(turn.view(), accepting.ballot(), accepting.next()));
    }

    private static boolean isWorthWaiting(Turn turn, Campaign.Preparing preparing) {
        boolean mayReturn = Standing.isNetworkInDoubt(turn);
        long answerNanos = turn.config.ballots().answerNanos();
        long doubtNanos = answerNanos + DOUBTED_SPANS * turn.config.silenceNanos();
        boolean isInTime = turn.now - preparing.timing().beganNanos() < answerNanos
                || (mayReturn
                        && turn.now - turn.change.neededNanos() < doubtNanos); // an outage is no time to answer in
        return isInTime
                && turn.view().members().stream()
                        .anyMatch(member -> !preparing.answers().containsKey(member.node())
                                && !Exclusion.isOut(turn, member)
                                && ((mayReturn && !Standing.isRefused(turn, member))
                                        || !Standing.isSilent(turn, member))
                                && !Standing.isRestarted(turn, member)
                                && !Standing.isElsewhere(turn, member));
    }

    static void onAccepted(Turn turn, NodeId from, Message.Accepted accepted) {
        if (!(turn.campaign instanceof Campaign.Accepting accepting)
                || !isAbout(turn, accepted.lineage(), accepted.epoch(), accepted.ballot(), accepting.ballot())
                || !isVoter(turn, from)) {
            turn.refuse(Refusal.STRAY_ANSWER);
            return;
        }
        voted(turn, accepting, from.peer());
    }

    static void onOwnAccepted(Turn turn, View view, Ballot ballot) {
        if (turn.campaign instanceof Campaign.Accepting accepting
                && accepting.ballot().equals(ballot)
                && turn.view().equals(view)) {
            voted(turn, accepting, turn.self.node().peer());
        }
    }

    private static void voted(Turn turn, Campaign.Accepting accepting, PeerId machine) {
        Campaign.Accepting more = accepting.voted(machine);
        turn.campaign = more;
        turn.change = turn.change.voted(machine, true);
        View view = turn.view();
        if (!view.isQuorum(more.votes())) {
            return;
        }
        View next = more.next();
        var audience = new TreeSet<NodeId>();
        view.members().forEach(member -> audience.add(member.node()));
        next.members().forEach(member -> audience.add(member.node()));
        audience.remove(turn.self.node());
        Learner.learn(turn, next, new ViewSource.Own());
        audience.forEach(node -> turn.send(node, new Message.Commit(next)));
    }

    /** A machine promised a later ballot. One machine ends no ballot by its word. */
    static void onRefuse(Turn turn, NodeId from, Message.Refuse refuse) {
        if (!(turn.campaign instanceof Campaign.Open open)
                || open.ballot().compareTo(refuse.promised()) >= 0
                || refuse.epoch() != turn.view().epoch()
                || !refuse.lineage().equals(turn.home.lineage())
                || !isVoter(turn, from)) {
            turn.refuse(Refusal.STRAY_ANSWER);
            return;
        }
        turn.meetRound(refuse.promised().round());
        turn.change = turn.change.voted(from.peer(), true);
        refused(turn, open, from.peer());
    }

    /** The other machines may still be a quorum, also when it is the own one that promised another process a later ballot. */
    private static void refused(Turn turn, Campaign.Open open, PeerId machine) {
        Campaign.Open left = open.refused(machine);
        turn.campaign = left;
        var others = new TreeSet<>(turn.view().machines());
        others.removeAll(left.refusers());
        if (!turn.view().isQuorum(others)) {
            retreat(turn);
        }
    }

    static void retreat(Turn turn) {
        ElectionConfig.Ballots spans = turn.config.ballots();
        turn.campaign = Campaign.NONE;
        turn.change = turn.change.notBefore(turn.now + spans.retryNanos() + turn.draw(spans.retrySpreadNanos()));
    }
}
