package io.hearth.election.view.ballot;

import io.hearth.election.Ballot;
import io.hearth.election.ElectionConfig;
import io.hearth.election.ElectionEvent;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.MessageRejection;
import io.hearth.election.Proposal;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.election.ViewSource;
import io.hearth.election.view.lineage.Learner;
import io.hearth.election.view.lineage.VoteQueue;
import io.hearth.election.view.opinion.MemberStatus;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.HearingState;
import io.hearth.election.view.state.JoinState;
import io.hearth.election.view.state.Peer;
import io.hearth.election.view.step.Transition;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Drives this node's own ballots, once {@link BallotTrigger} started one: collects promises and acceptances, commits.
 */
public final class Proposer {
    /** Extra spans of silence for which a change waits for answers while the network is in doubt; bounded, since a liar may feign gaps. */
    private static final long DOUBTED_SPANS = 2;

    private Proposer() {}

    /** Does what is due. */
    public static void drive(Transition transition) {
        if (transition.isLeaving() || !(transition.join instanceof JoinState.Staying)) {
            transition.campaign = Campaign.NONE;
            transition.change = transition.change.needed(Optional.empty(), transition.now);
            return;
        }
        transition.change = transition.change.needed(ViewChangeReasons.of(transition), transition.now);
        blame(transition);
        switch (transition.campaign) {
            case Campaign.None() -> {
                if (transition.change.needed().isEmpty()
                        || !(transition.hearing instanceof HearingState.Quorum)
                        || MemberStatus.isDrivenByAnother(transition)) {
                    transition.change = transition.change.unasked();
                }
                BallotTrigger.consider(transition);
            }
            case Campaign.Candidate candidate -> {
                if (!transition.voting.contains(new VoterTask.Promise(transition.view(), candidate.ballot()))) {
                    transition.campaign = Campaign.NONE; // the queue was full
                }
            }
            case Campaign.Preparing preparing -> {
                if (!isOver(transition, preparing.ballot(), preparing.timing())) {
                    repeat(transition, preparing);
                    advance(transition);
                }
            }
            case Campaign.Accepting accepting -> {
                if (!isOver(transition, accepting.ballot(), accepting.timing())) {
                    repeat(transition, accepting);
                }
            }
        }
    }

    /** Notes a driver that was heard all the time and did not finish its ballot. */
    private static void blame(Transition transition) {
        Optional<Member> driver = transition.change.driver().flatMap(transition.view()::member);
        if (driver.isPresent()
                && transition.hearing instanceof HearingState.Quorum // else it had a reason to drop its ballot
                && ViewChangeReasons.isOrphaned(transition)
                && couldGoOn(transition, driver.get())) {
            NodeId node = driver.get().node();
            transition.peer(node).ifPresent(peer -> transition.peer(node, peer.abandons(transition.now)));
            transition.change = transition.change.abandoned();
        }
    }

    /** Whether the driver was heard without a gap since it last drove the change, and was not blamed just before. */
    private static boolean couldGoOn(Transition transition, Member driver) {
        return MemberStatus.canPropose(transition, driver)
                && MemberStatus.known(transition, driver)
                        .filter(peer -> peer.awakeNanos() - transition.change.drivenNanos() < 0
                                && transition.now - peer.heardNanos() < transition.config.silenceNanos() / 2
                                && !peer.abandonments()
                                        .isWithin(transition.config.ballots().orphanNanos(), transition.now))
                        .isPresent();
    }

    private static boolean isOver(Transition transition, Ballot ballot, Campaign.Timing timing) {
        if (transition.now - timing.beganNanos() < timing.lifeNanos()) {
            return false;
        }
        transition.campaign = Campaign.NONE;
        transition.announce(new ElectionEvent.TimedOut(
                transition.current.lineage(), transition.view().epoch(), ballot));
        return true;
    }

    private static boolean isRepeatDue(Transition transition, Campaign.Timing timing) {
        return transition.now - timing.sentNanos()
                >= transition.config.ballots().repeatNanos();
    }

    /** Repeats also go to members that answered: they are frozen, and take a silent change for abandoned. */
    private static void repeat(Transition transition, Campaign.Preparing preparing) {
        if (!isRepeatDue(transition, preparing.timing())) {
            return;
        }
        transition.campaign = preparing.sent(transition.now);
        var prepare = new Message.Prepare(transition.view(), preparing.ballot());
        for (Member member : transition.view().members()) {
            if (!transition.isSelf(member)) {
                transition.send(member.node(), prepare);
            }
        }
        for (NodeId other : transition.otherProcesses()) {
            if (!preparing.promises().containsKey(other.peer())) {
                transition.send(other, prepare);
            }
        }
    }

    private static void repeat(Transition transition, Campaign.Accepting accepting) {
        if (isRepeatDue(transition, accepting.timing())) {
            transition.campaign = accepting.sent(transition.now);
            sendAccept(transition, accepting);
        }
    }

    private static void sendAccept(Transition transition, Campaign.Accepting accepting) {
        var accept = new Message.Accept(transition.view(), accepting.ballot(), accepting.next());
        for (Member member : transition.view().members()) {
            if (!transition.isSelf(member) && !accepting.votes().contains(member.machine())) {
                transition.send(member.node(), accept);
            }
        }
        for (NodeId other : transition.otherProcesses()) {
            if (!accepting.votes().contains(other.peer())) {
                transition.send(other, accept);
            }
        }
    }

    public static void onOwnPromise(Transition transition, View view, Ballot ballot, Optional<Proposal> accepted) {
        if (transition.campaign instanceof Campaign.Candidate candidate
                && candidate.ballot().equals(ballot)
                && transition.view().equals(view)) {
            BallotTrigger.promised(transition, candidate, accepted);
            advance(transition);
        }
    }

    static void onOwnStatus(Transition transition, Ballot ballot, Optional<Message.Status> status) {
        if (transition.campaign instanceof Campaign.Preparing preparing
                && preparing.ballot().equals(ballot)) {
            transition.campaign = preparing.answered(transition.self.node(), status);
            advance(transition);
        }
    }

    public static void onOwnRefused(Transition transition, View view, Ballot ballot, Ballot promised) {
        if (transition.view().equals(view)) {
            transition.meetRound(promised.round());
            if (transition.campaign instanceof Campaign.Open open
                    && open.ballot().equals(ballot)) {
                refused(transition, open, transition.self.node().peer());
            } else if (transition.campaign instanceof Campaign.Candidate candidate
                    && candidate.ballot().equals(ballot)) {
                retreat(transition);
            }
        }
    }

    /** A member froze for this ballot. */
    public static void onHere(Transition transition, NodeId from, long incarnation, Message.Here here) {
        Optional<Member> member = transition.view().member(from);
        if (!(transition.campaign instanceof Campaign.Preparing preparing)
                || !isAbout(transition, here.lineage(), here.epoch(), here.ballot(), preparing.ballot())
                || member.isEmpty()) {
            transition.refuse(MessageRejection.STRAY_ANSWER);
            return;
        }
        boolean isItself = member.get().incarnation() == incarnation; // a restarted member is not kept
        if (isItself && here.status().filter(status -> !status.leaving()).isPresent()) {
            transition
                    .peer(from)
                    .filter(Peer::leaving)
                    .ifPresent(peer -> transition.peer(from, peer.asksToLeave(false)));
        }
        transition.campaign = preparing.answered(from, isItself ? here.status() : Optional.empty());
        advance(transition);
    }

    /** A machine promised, through any of its processes. */
    public static void onPromise(Transition transition, NodeId from, Message.Promise promise) {
        if (!(transition.campaign instanceof Campaign.Preparing preparing)
                || !isAbout(transition, promise.lineage(), promise.epoch(), promise.ballot(), preparing.ballot())
                || !isVoter(transition, from)) {
            transition.refuse(MessageRejection.STRAY_ANSWER);
            return;
        }
        if (promise.accepted().isPresent()
                && (ViewRules.fault(promise.accepted().get().view()).isPresent()
                        || ViewRules.successorFault(
                                        transition.view(),
                                        promise.accepted().get().view())
                                .isPresent())) {
            transition.refuse(MessageRejection.BAD_VIEW);
            return;
        }
        transition.campaign = preparing.promised(from.peer(), promise.accepted());
        transition.change = transition.change.voted(from.peer(), false);
        advance(transition);
    }

    /** Whether the node's machine votes about the view. Its own machine's votes come from the disk, never from a message. */
    private static boolean isVoter(Transition transition, NodeId from) {
        PeerId machine = from.peer();
        return transition.view().seat(machine) != 0
                && !machine.equals(transition.self.node().peer());
    }

    private static boolean isAbout(Transition transition, Lineage lineage, long epoch, Ballot ballot, Ballot own) {
        return ballot.equals(own) && epoch == transition.view().epoch() && lineage.equals(transition.current.lineage());
    }

    /** Sends Accept once a quorum promised and every member that may still answer did, or had time enough. */
    private static void advance(Transition transition) {
        if (!(transition.campaign instanceof Campaign.Preparing preparing)
                || !transition.view().isQuorum(preparing.promises().keySet())
                || !MemberStatus.hasQuorum(transition, transition.config.silenceNanos() / 2)
                || isWorthWaiting(transition, preparing)) {
            return;
        }
        Optional<View> next = preparing.promises().values().stream()
                .flatMap(Optional::stream)
                .max(Comparator.comparing(Proposal::ballot))
                .map(Proposal::view)
                .or(() -> Successor.of(transition, preparing));
        if (next.isEmpty()) {
            retreat(transition);
            return;
        }
        var accepting = new Campaign.Accepting(
                preparing.ballot(), BallotTrigger.timing(transition), next.get(), new TreeSet<>(), new TreeSet<>());
        transition.campaign = accepting;
        transition.change = transition.change.asked(MemberStatus.otherVoters(transition), true, transition.now);
        transition.change =
                transition.change.asked(List.of(transition.self.node().peer()), true, transition.now);
        sendAccept(transition, accepting);
        VoteQueue.submit(transition, new VoterTask.Accept(transition.view(), accepting.ballot(), accepting.next()));
    }

    private static boolean isWorthWaiting(Transition transition, Campaign.Preparing preparing) {
        boolean mayReturn = MemberStatus.isNetworkInDoubt(transition);
        long answerNanos = transition.config.ballots().answerNanos();
        long doubtNanos = answerNanos + DOUBTED_SPANS * transition.config.silenceNanos();
        boolean isInTime = transition.now - preparing.timing().beganNanos() < answerNanos
                || (mayReturn
                        && transition.now - transition.change.neededNanos()
                                < doubtNanos); // time during an outage does not count
        return isInTime
                && transition.view().members().stream()
                        .anyMatch(member -> !preparing.answers().containsKey(member.node())
                                && !transition.isOut(member)
                                && ((mayReturn && !MemberStatus.isRefused(transition, member))
                                        || !MemberStatus.isSilent(transition, member))
                                && !MemberStatus.isRestarted(transition, member)
                                && !MemberStatus.isElsewhere(transition, member));
    }

    public static void onAccepted(Transition transition, NodeId from, Message.Accepted accepted) {
        if (!(transition.campaign instanceof Campaign.Accepting accepting)
                || !isAbout(transition, accepted.lineage(), accepted.epoch(), accepted.ballot(), accepting.ballot())
                || !isVoter(transition, from)) {
            transition.refuse(MessageRejection.STRAY_ANSWER);
            return;
        }
        voted(transition, accepting, from.peer());
    }

    public static void onOwnAccepted(Transition transition, View view, Ballot ballot) {
        if (transition.campaign instanceof Campaign.Accepting accepting
                && accepting.ballot().equals(ballot)
                && transition.view().equals(view)) {
            voted(transition, accepting, transition.self.node().peer());
        }
    }

    private static void voted(Transition transition, Campaign.Accepting accepting, PeerId machine) {
        Campaign.Accepting more = accepting.voted(machine);
        transition.campaign = more;
        transition.change = transition.change.voted(machine, true);
        View view = transition.view();
        if (!view.isQuorum(more.votes())) {
            return;
        }
        View next = more.next();
        var audience = new TreeSet<NodeId>();
        view.members().forEach(member -> audience.add(member.node()));
        next.members().forEach(member -> audience.add(member.node()));
        audience.remove(transition.self.node());
        Learner.learn(transition, next, new ViewSource.Own());
        audience.forEach(node -> transition.send(node, new Message.Commit(next)));
    }

    /** A machine promised a later ballot. One machine's report alone ends no ballot. */
    public static void onRefuse(Transition transition, NodeId from, Message.Refuse refuse) {
        if (!(transition.campaign instanceof Campaign.Open open)
                || open.ballot().compareTo(refuse.promised()) >= 0
                || refuse.epoch() != transition.view().epoch()
                || !refuse.lineage().equals(transition.current.lineage())
                || !isVoter(transition, from)) {
            transition.refuse(MessageRejection.STRAY_ANSWER);
            return;
        }
        transition.meetRound(refuse.promised().round());
        transition.change = transition.change.voted(from.peer(), true);
        refused(transition, open, from.peer());
    }

    /** Whether the other machines may still be a quorum, even if this node's own machine promised a later ballot to another process. */
    private static void refused(Transition transition, Campaign.Open open, PeerId machine) {
        Campaign.Open left = open.refused(machine);
        transition.campaign = left;
        var others = new TreeSet<>(transition.view().machines());
        others.removeAll(left.refusers());
        if (!transition.view().isQuorum(others)) {
            retreat(transition);
        }
    }

    public static void retreat(Transition transition) {
        ElectionConfig.Ballots spans = transition.config.ballots();
        transition.campaign = Campaign.NONE;
        transition.change = transition.change.notBefore(
                transition.now + spans.retryNanos() + transition.draw(spans.retrySpreadNanos()));
    }
}
