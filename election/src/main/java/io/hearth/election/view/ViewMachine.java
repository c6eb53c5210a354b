package io.hearth.election.view;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.election.ElectionConfig;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.MessageRejection;
import io.hearth.election.MessageRejections;
import io.hearth.election.Resolver;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.election.view.ballot.Acceptor;
import io.hearth.election.view.ballot.Proposer;
import io.hearth.election.view.entry.Admissions;
import io.hearth.election.view.entry.StepBarrier;
import io.hearth.election.view.lineage.Learner;
import io.hearth.election.view.lineage.Leaving;
import io.hearth.election.view.lineage.LostVotes;
import io.hearth.election.view.lineage.Merge;
import io.hearth.election.view.lineage.VoteQueue;
import io.hearth.election.view.opinion.Hearing;
import io.hearth.election.view.opinion.MemberStatus;
import io.hearth.election.view.opinion.PeerTracker;
import io.hearth.election.view.state.Admission;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.Change;
import io.hearth.election.view.state.CurrentView;
import io.hearth.election.view.state.Freeze;
import io.hearth.election.view.state.HearingState;
import io.hearth.election.view.state.JoinState;
import io.hearth.election.view.state.KnownLineage;
import io.hearth.election.view.state.Lapses;
import io.hearth.election.view.state.LeaveState;
import io.hearth.election.view.state.Peer;
import io.hearth.election.view.state.QuorumLoss;
import io.hearth.election.view.state.RestState;
import io.hearth.election.view.state.StepBarrierHold;
import io.hearth.election.view.state.Suspicion;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.election.view.state.ViewState;
import io.hearth.election.view.step.Transition;
import io.hearth.election.vote.Voter;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.election.vote.Voting;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The view change: agrees on the members, and thereby on the master.
 *
 * <p>Single-decree Paxos once per epoch: the acceptors of epoch e+1 are the machines of view e, one vote each. A process lives in one
 * lineage; its machine may vote in several. Votes are cast by the {@link Voter} from the record on disk, under the lock that all
 * processes of the machine share; the machine here only queues them. One transition as a table (left: where; then event,
 * condition, outcome):
 *
 * <pre>
 * acceptor   Prepare, older view       Commit(newest) back
 *            Prepare, where I live     Freeze, then Here with status; listed but elsewhere: Here without
 *            Prepare, machine listed   Vote(Promise); then Promise, Refuse, Commit or Gone
 *            Accept, machine listed    Vote(Accept); then Accepted, Refuse, Commit or Gone
 * freeze     Thawed   --Prepare--&gt;     Freezing --Frozen event--&gt; Frozen --successor learned--&gt; Thawed
 * campaign   None      --need, quorum heard, turn--&gt; Candidate: Vote(own promise)
 *            Candidate --on disk, no other drives--&gt; Preparing: Prepare to all members and machines
 *            Preparing --quorum promised, and all unsuspected answered or 2 s--&gt; Accepting: Accept to all, Vote(own)
 *            Accepting --quorum of one ballot--&gt; None: view learned, Commit to old and new members
 *            all       --other's higher ballot, Refuse, 2.4 s--&gt; None
 *            Candidate, Preparing --no quorum heard, own pause--&gt; None
 * learner    Commit, newer, I am in as I entered   Install; Vote(Learn)
 *            Commit, newer, I am not               Removed; a lone lineage: Install, Vote(Found)
 *            Commit of the lineage I ask, admits me exactly as I asked  Install
 * lost votes Gone of so many machines that the rest is no quorum, own seat dead   Removed; a lone lineage
 * hearing    Quorum --too few machines heard--&gt; Lost --enough--&gt; Returning --all, 3 s quiet, 8 s--&gt; Quorum
 * resting    Awake --own pause over 700 ms, idle: 3/8 of the silence--&gt; Until now + 600 ms --then--&gt; Awake
 * join       Staying --alone, better lineage heard--&gt; Entering: Vote(Enter) --on disk--&gt; Joining: Join, repeatedly
 * leave      Staying --Leave--&gt; Draining --others have all, 5 s--&gt; Asking --out, 10 s--&gt; Gone: Left
 * doubled    Single --own identity is used elsewhere--&gt; Doubled, for good: Leave, Removed, a lone lineage
 * excluded   --machines of the view were put out--&gt; a view without them is due; Removed, a lone lineage where the rest is no quorum
 * hold       free    --lead and somebody is ready to enter, or alone and going elsewhere--&gt; Hold --in, gone, 5 s--&gt; free
 * stall      Flowing --no quorum heard, or needed change not made for 5 s--&gt; Stalled --a view, a quorum--&gt; Flowing
 * </pre>
 *
 * <p>Each row group is a class of its own. Room {@code ballot}: {@link Acceptor}, {@link Proposer} (with {@code ViewChangeReasons}, {@code
 * BallotTrigger} and {@code Successor}). Room {@code lineage}: {@link VoteQueue}, {@link Learner}, {@link LostVotes}, {@link Merge}, {@link
 * Leaving}. Room {@code entry}: {@link Admissions}, {@link StepBarrier}. Room {@code opinion}: {@link Hearing}, and {@link MemberStatus},
 * which reads how members stand. Next to this class: {@link VoteAnswers}, {@link Resting}, {@link Doubling}, {@link Exclusion}, {@link
 * QuorumLosses}. All of them work on one {@link Transition}.
 *
 * <p>Source: L. Lamport, Paxos Made Simple (2001), section 2; reconfiguration by the predecessor's voters as in Lamport, Malkhi
 * and Zhou, Vertical Paxos (2009). Rejected: a log (Raft), since only the newest membership matters and a log needs a leader
 * before the first entry; gossip membership (SWIM), which may hold two memberships at once; a lease-holding coordinator, which
 * is a single point of failure for as long as its lease.
 *
 * <p>The machine's time stops while the node sleeps, so that a waking node judges no peer by its own absence.
 */
public final class ViewMachine implements Machine<ViewState, ViewEvent, ViewEffect> {
    private static final long TICK_QUIET_NANOS = 100_000_000L;
    private static final long TICK_BUSY_NANOS = 20_000_000L;
    private static final long TICKS_OF_A_SILENCE = 15;
    private static final long IDLE_TICKS_OF_A_SILENCE = 8;
    private static final long SWEEP_NANOS = 1_000_000_000L;

    private final ElectionConfig config;
    private final Resolver resolver;

    public ViewMachine(ElectionConfig config, Resolver resolver) {
        this.config = config;
        this.resolver = resolver;
    }

    /**
     * The input of a start of a node.
     *
     * @param wallMillis wall clock, for the birth time of lineages only
     * @param records all sound records of this machine found on disk
     * @param incarnation higher than that of every earlier start, on disk already
     * @param group empty for agents; at most {@link ViewRules#GROUP_CHARACTERS_MAX} characters
     * @param seed of random waits; any number that differs between nodes
     */
    public record Start(
            long wallMillis,
            List<LineageRecord> records,
            NodeId node,
            long incarnation,
            Role role,
            String group,
            long seed) {
        public Start {
            records = List.copyOf(records);
            if (!ViewRules.isNumber(incarnation) || !ViewRules.isGroupName(group)) {
                throw new IllegalArgumentException("need incarnation 1 to 2^48 and a group of at most "
                        + ViewRules.GROUP_CHARACTERS_MAX + " of a-z, 0-9 and '-', got " + incarnation + " and "
                        + group.length()
                        + " characters");
            }
        }
    }

    /** The first transition: a lone lineage, and votes in all lineages of the records. */
    public Step<ViewState, ViewEffect> start(Start start, long nowNanos) {
        var self = new ViewState.Self(
                start.node(),
                start.incarnation(),
                start.role(),
                start.group(),
                start.wallMillis(),
                nowNanos,
                start.seed());
        var lineage = new Lineage(false, start.wallMillis(), start.node(), start.incarnation(), 0);
        View first = Learner.firstView(self, resolver, lineage, 1);
        var state = new ViewState(
                self,
                new ViewState.Clock(nowNanos, 0, nowNanos, nowNanos),
                config.silenceNanos(),
                0,
                0,
                lineages(start, nowNanos),
                Voting.IDLE,
                new ViewState.Disk(nowNanos, nowNanos, nowNanos, ""),
                new TreeMap<>(),
                Admission.nobody(nowNanos),
                CurrentView.founded(first, nowNanos),
                Freeze.THAWED,
                Campaign.NONE,
                Change.none(nowNanos),
                HearingState.QUORUM,
                JoinState.STAYING,
                LeaveState.STAYING,
                QuorumLoss.FLOWING,
                RestState.AWAKE,
                StepBarrierHold.none(nowNanos),
                new ViewState.Progress(-1, GroupPhase.FRESH),
                Lapses.NONE,
                new TreeSet<>(),
                new TreeSet<>(),
                "",
                MessageRejections.NONE);
        var transition = new Transition(config, resolver, state, state.clock());
        Learner.found(transition, false);
        return new Step<>(transition.state(), transition.effects());
    }

    /** The lineages of earlier starts' records; those in which the machine's vote still matters come first. */
    private static SortedMap<Lineage, KnownLineage> lineages(Start start, long nowNanos) {
        var lineages = new TreeMap<Lineage, KnownLineage>();
        start.records().stream()
                .sorted(Comparator.comparing(
                        record -> !record.isListed(start.node().peer())))
                .limit(Transition.LINEAGES_MAX - 1)
                .forEach(record ->
                        lineages.put(record.lineage(), KnownLineage.of(record.seat(), record.view(), nowNanos)));
        return lineages;
    }

    @Override
    public Step<ViewState, ViewEffect> step(ViewState state, ViewEvent event, long nowNanos) {
        if (state.hasLeft()) {
            return Step.quiet(state);
        }
        var transition = new Transition(config, resolver, state, clock(state, event, nowNanos));
        if (nowNanos - state.clock().steppedNanos() > gapNanos(state)) {
            Resting.begin(transition);
            transition.lapses =
                    transition.lapses.paused(nowNanos - state.clock().steppedNanos(), transition.now);
        }
        if (event instanceof ViewEvent.Tick && transition.now - state.clock().sweptNanos() >= SWEEP_NANOS) {
            Admissions.sweep(transition);
        }
        dispatch(transition, event);
        Exclusion.drive(transition);
        Resting.drive(transition);
        VoteQueue.drive(transition);
        Leaving.drive(transition);
        Merge.drive(transition);
        StepBarrier.drive(transition);
        Hearing.drive(transition);
        Proposer.drive(transition);
        QuorumLosses.drive(transition);
        return new Step<>(transition.state(), transition.effects());
    }

    private void dispatch(Transition transition, ViewEvent event) {
        switch (event) {
            case ViewEvent.Linked(NodeId node, long incarnation) -> PeerTracker.onLinked(transition, node, incarnation);
            case ViewEvent.Unlinked(NodeId node, long incarnation, String why) ->
                PeerTracker.onUnlinked(transition, node, incarnation, why);
            case ViewEvent.Suspected(NodeId node, long incarnation) ->
                PeerTracker.onOpinion(transition, node, incarnation, Suspicion.SILENT);
            case ViewEvent.ProcessEnded(NodeId node, long incarnation) ->
                PeerTracker.onOpinion(transition, node, incarnation, Suspicion.REFUSED);
            case ViewEvent.Trusted(NodeId node, long incarnation) ->
                PeerTracker.onOpinion(transition, node, incarnation, Suspicion.NONE);
            case ViewEvent.SilenceChosen(long nanos) -> transition.silence(nanos);
            case ViewEvent.Received(NodeId from, long incarnation, Message message) -> {
                if (PeerTracker.meet(transition, from, incarnation)) {
                    transition
                            .peer(from)
                            .filter(Peer::suspected)
                            .ifPresent(peer -> transition.peer(from, peer.heard(transition.now)));
                    if (MemberStatus.counts(transition, from, message)) {
                        receive(transition, from, incarnation, message);
                    } else {
                        transition.refuse(
                                transition.excluded.contains(from.peer())
                                        ? MessageRejection.EXCLUDED
                                        : MessageRejection.DOUBLED);
                    }
                }
            }
            case ViewEvent.Frozen frozen -> {
                if (transition.freeze instanceof Freeze.Freezing freezing
                        && frozen.lineage().equals(transition.current.lineage())
                        && frozen.epoch() == transition.view().epoch()) {
                    transition.progress = new ViewState.Progress(frozen.doneUpTo(), transition.progress.phase());
                    Acceptor.onFrozen(transition, freezing, frozen.status());
                }
            }
            case ViewEvent.Progress(long doneUpTo, GroupPhase phase) ->
                transition.progress = new ViewState.Progress(doneUpTo, phase);
            case ViewEvent.GroupBroken(NodeId peer, String why) -> {
                if (transition.view().member(peer).isPresent()
                        && !transition.current.isLone()) { // else it is late and belongs to a former view
                    transition.change = transition.change.broken(why);
                }
            }
            case ViewEvent.Doubled(SortedSet<PeerId> machines) -> Doubling.onDoubled(transition, machines);
            case ViewEvent.Excluded(SortedSet<PeerId> machines) -> Exclusion.onExcluded(transition, machines);
            case ViewEvent.Voted(VoterTask task, VoterAnswer answer) -> VoteAnswers.onVoted(transition, task, answer);
            case ViewEvent.Resign() -> Leaving.onResign(transition);
            case ViewEvent.Leave() -> Leaving.onLeave(transition);
            case ViewEvent.Tick() -> {}
        }
    }

    private void receive(Transition transition, NodeId from, long incarnation, Message message) {
        switch (message) {
            case Message.Heartbeat heartbeat ->
                PeerTracker.onHeartbeat(transition, from, incarnation, heartbeat.presence());
            case Message.Prepare prepare -> Acceptor.onPrepare(transition, from, incarnation, prepare);
            case Message.Here here -> Proposer.onHere(transition, from, incarnation, here);
            case Message.Promise promise -> Proposer.onPromise(transition, from, promise);
            case Message.Gone gone -> LostVotes.onGone(transition, from, gone);
            case Message.Accept accept -> Acceptor.onAccept(transition, from, incarnation, accept);
            case Message.Accepted accepted -> Proposer.onAccepted(transition, from, accepted);
            case Message.Refuse refuse -> Proposer.onRefuse(transition, from, refuse);
            case Message.Commit commit -> Learner.onCommit(transition, from, commit);
            case Message.Join join -> Admissions.onJoin(transition, from, incarnation, join);
            case Message.NotYet notYet -> Merge.onNotYet(transition, notYet);
            case Message.Leave leave -> Leaving.onLeave(transition, from, leave);
        }
    }

    /**
     * After a longer pause of its own this node rests. A view without trainers has no data that could arrive late, so there the limit grows
     * with the span of silence.
     */
    private long gapNanos(ViewState state) {
        return isTraining(state) ? config.gapNanos() : Math.max(config.gapNanos(), state.silenceNanos() * 3 / 8);
    }

    /** Time between ticks while nothing is under way: longer spans need fewer, but a tick that is a little late must not look like a pause. */
    private long quietNanos(ViewState state) {
        long ticks = isTraining(state) ? TICKS_OF_A_SILENCE : IDLE_TICKS_OF_A_SILENCE;
        return Math.max(TICK_QUIET_NANOS, Math.min(state.silenceNanos() / ticks, gapNanos(state) / 2));
    }

    private static boolean isTraining(ViewState state) {
        for (Member member : state.view().members()) {
            if (member.role() == Role.TRAINER) {
                return true;
            }
        }
        return false;
    }

    private ViewState.Clock clock(ViewState state, ViewEvent event, long nowNanos) {
        ViewState.Clock before = state.clock();
        long gap = nowNanos - before.steppedNanos();
        long quiet = quietNanos(state);
        boolean stoodStill = gap > 2 * quiet; // a tick was due long ago
        long lost = before.lostNanos() + (stoodStill ? gap - quiet : 0);
        long now = nowNanos - lost;
        boolean isTick = event instanceof ViewEvent.Tick;
        boolean isSweep = isTick && now - before.sweptNanos() >= SWEEP_NANOS;
        return new ViewState.Clock(
                nowNanos, lost, isTick ? now : before.tickedNanos(), isSweep ? now : before.sweptNanos());
    }

    @Override
    public long sleepNanos(ViewState state, long nowNanos) {
        boolean isBusy = !(state.campaign() instanceof Campaign.None)
                || state.isFrozen()
                || state.change().needed().isPresent()
                || !(state.join() instanceof JoinState.Staying)
                || !(state.leave() instanceof LeaveState.Staying)
                || !(state.resting() instanceof RestState.Awake)
                || !(state.hearing() instanceof HearingState.Quorum);
        long tick = isBusy ? TICK_BUSY_NANOS : quietNanos(state);
        long sinceTick = nowNanos - state.clock().lostNanos() - state.clock().tickedNanos();
        return Math.max(0, tick - sinceTick);
    }
}
