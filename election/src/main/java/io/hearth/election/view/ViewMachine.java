package io.hearth.election.view;

import io.hearth.core.Bytes;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.election.ElectionConfig;
import io.hearth.election.ElectionEvent;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Message;
import io.hearth.election.MessageRejection;
import io.hearth.election.MessageRejections;
import io.hearth.election.Resolver;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.election.vote.Voter;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.election.vote.Voting;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Agrees on who is in, and so on the master: the view change.
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
 * resting    Awake --own pause over 700 ms--&gt; Until now + 600 ms --then--&gt; Awake
 * crossing   Staying --alone, better lineage heard--&gt; Entering: Vote(Enter) --on disk--&gt; Joining: Join, repeatedly
 * departure  Staying --Leave--&gt; Draining --others have all, 5 s--&gt; Asking --out, 10 s--&gt; Gone: Left
 * doubled    Single --own identity is used elsewhere--&gt; Doubled, for good: Leave, Removed, a lone lineage
 * excluded   --machines of the view were put out--&gt; a view without them is due; Removed, a lone lineage where the rest is no quorum
 * hold       free    --lead and somebody is ready to enter, or alone and going elsewhere--&gt; Hold --in, gone, 5 s--&gt; free
 * stall      Flowing --no quorum heard, or needed change not made for 5 s--&gt; Stalled --a view, a quorum--&gt; Flowing
 * </pre>
 *
 * <p>Each row group is a class of its own: {@link Acceptor}, {@link VoteQueue}, {@link Proposer} (with {@link ViewChangeReasons}, {@link
 * BallotTrigger} and {@link Successor}), {@link Learner}, {@link LostVotes}, {@link Hearing}, {@link Resting}, {@link Admissions}, {@link
 * Merge}, {@link StepBarrier}, {@link Leaving}, {@link Doubling}, {@link Exclusion}, {@link QuorumLosses}; {@link MemberStatus} reads how members stand.
 *
 * <p>Source: L. Lamport, Paxos Made Simple (2001), section 2; reconfiguration by the predecessor's voters as in Lamport, Malkhi
 * and Zhou, Vertical Paxos (2009). Rejected: a log (Raft), since only the newest membership matters and a log needs a leader
 * before the first entry; gossip membership (SWIM), which may hold two memberships at once; a lease-holding coordinator, which
 * is a single point of failure for as long as its lease.
 *
 * <p>The machine's time stands still while the node sleeps, so that a waking node judges nobody by its own absence.
 */
public final class ViewMachine implements Machine<ViewState, ViewMachine.Event, ViewMachine.Effect> {
    private static final long TICK_QUIET_NANOS = 100_000_000L;
    private static final long TICK_BUSY_NANOS = 20_000_000L;
    private static final long SWEEP_NANOS = 1_000_000_000L;

    private final ElectionConfig config;
    private final Resolver resolver;

    public ViewMachine(ElectionConfig config, Resolver resolver) {
        this.config = config;
        this.resolver = resolver;
    }

    /**
     * What a start of a node begins with.
     *
     * @param wallMillis wall clock, for the birth time of lineages only
     * @param records all sound records of this machine found on disk
     * @param incarnation higher than that of every start before, on disk already
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

    /** What may happen. */
    public sealed interface Event {
        /** A link to a node is up; its identity and incarnation were proven. */
        record Linked(NodeId node, long incarnation) implements Event {}

        /** The link to that start of a node is down; {@code why} is for people and may be empty. */
        record Unlinked(NodeId node, long incarnation, String why) implements Event {
            public Unlinked(NodeId node, long incarnation) {
                this(node, incarnation, "");
            }
        }

        /** The failure detector gives a node up. */
        record Suspected(NodeId node, long incarnation) implements Event {}

        /** Nobody listens any more where a suspected node's link led to. */
        record Refused(NodeId node, long incarnation) implements Event {}

        /** The failure detector hears a node again. */
        record Trusted(NodeId node, long incarnation) implements Event {}

        /** A message came; author and incarnation are the link's. */
        record Received(NodeId from, long incarnation, Message message) implements Event {}

        /**
         * All data threads stopped for {@link Effect.Freeze}, and then this was taken.
         *
         * @param status of the collectives, at most {@link Resolver#BYTES_MAX} bytes; empty for a node without
         * @param doneUpTo as in {@link Progress}
         */
        record Frozen(Lineage lineage, long epoch, Optional<Bytes> status, long doneUpTo) implements Event {}

        /**
         * The collectives of the own group went on.
         *
         * @param doneUpTo all up to this number are done; -1 for none
         * @param phase what they are doing now
         */
        record Progress(long doneUpTo, GroupPhase phase) implements Event {}

        /** A data stream between two members that both stay broke: the group needs new ones. */
        record GroupBroken(NodeId peer, String why) implements Event {}

        /**
         * This node's application was given an error that the others of its group do not have: it is out, and comes back
         * as if it were new.
         */
        record Resign() implements Event {}

        /**
         * Two computers each use the identity of one of these machines, and of no other: what is not listed is not doubled any
         * more. For this node's own machine that is final.
         */
        record Doubled(SortedSet<PeerId> machines) implements Event {}

        /** These machines, this node's own not among them, are out of the namespace by the word of a person; no others are. */
        record Excluded(SortedSet<PeerId> machines) implements Event {}

        /** The voter is done with the task that {@link Effect.Vote} gave it last. */
        record Voted(VoterTask task, VoterAnswer answer) implements Event {}

        /** This node wants to go. */
        record Leave() implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** What the shell carries out, in order, each before the next. */
    public sealed interface Effect {
        /** Give the task to the voter, which answers with {@link Event.Voted}. One at a time; nothing else waits for it. */
        record Vote(VoterTask task) implements Effect {}

        /** On the link to {@code to}; lost if there is none. */
        record Send(NodeId to, Message message) implements Effect {}

        /** Stop all data threads of all groups, take the status, answer {@link Event.Frozen}. */
        record Freeze(Lineage lineage, long epoch) implements Effect {}

        /** A committed view that lists this node; data threads may run. */
        record Install(View view) implements Effect {}

        /** All open work ends: this node is in no view with others any more. {@code why} is for people. */
        record Removed(Cause cause, String why) implements Effect {
            /** How it came. */
            public enum Cause {
                /** The others went on without this node. */
                REMOVED,
                /** No successor of the view can be decided any more, or this node went on alone on purpose. */
                LINEAGE_LOST,
                /** Another computer uses the identity of this one: it walked out, and joins no other node before its restart. */
                DOUBLED
            }
        }

        /** Whether frames of data are dropped and none are sent: this node was asleep or paused a moment ago. */
        record Rest(boolean resting) implements Effect {}

        /** The process may exit. */
        record Left() implements Effect {}

        /** For observers. */
        record Announce(ElectionEvent event) implements Effect {}

        /** Whether the own group's next step has to wait: somebody is to enter before it, or this node is to go elsewhere. */
        record Hold(boolean held) implements Effect {}

        /** Why this node is not admitted where it asks; empty when there is nothing to say any more. */
        record Pending(String reason) implements Effect {}
    }

    /** The first transition: a lone lineage, and votes in all lineages of the records. */
    public Step<ViewState, Effect> start(Start start, long nowNanos) {
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
                Hearing.QUORUM,
                JoinState.STAYING,
                LeaveState.STAYING,
                QuorumLoss.FLOWING,
                Resting.AWAKE,
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

    /** What the records of earlier starts know; those in which the machine's vote still matters first. */
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
    public Step<ViewState, Effect> step(ViewState state, Event event, long nowNanos) {
        if (state.hasLeft()) {
            return Step.quiet(state);
        }
        var transition = new Transition(config, resolver, state, clock(state.clock(), event, nowNanos));
        if (nowNanos - state.clock().steppedNanos() > config.gapNanos()) {
            Resting.begin(transition);
            transition.lapses =
                    transition.lapses.paused(nowNanos - state.clock().steppedNanos(), transition.now);
        }
        if (event instanceof Event.Tick && transition.now - state.clock().sweptNanos() >= SWEEP_NANOS) {
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

    private void dispatch(Transition transition, Event event) {
        switch (event) {
            case Event.Linked(NodeId node, long incarnation) -> PeerTracker.onLinked(transition, node, incarnation);
            case Event.Unlinked(NodeId node, long incarnation, String why) ->
                PeerTracker.onUnlinked(transition, node, incarnation, why);
            case Event.Suspected(NodeId node, long incarnation) ->
                PeerTracker.onOpinion(transition, node, incarnation, Suspicion.SILENT);
            case Event.Refused(NodeId node, long incarnation) ->
                PeerTracker.onOpinion(transition, node, incarnation, Suspicion.REFUSED);
            case Event.Trusted(NodeId node, long incarnation) ->
                PeerTracker.onOpinion(transition, node, incarnation, Suspicion.NONE);
            case Event.Received(NodeId from, long incarnation, Message message) -> {
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
            case Event.Frozen frozen -> {
                if (transition.freeze instanceof Freeze.Freezing freezing
                        && frozen.lineage().equals(transition.current.lineage())
                        && frozen.epoch() == transition.view().epoch()) {
                    transition.progress = new ViewState.Progress(frozen.doneUpTo(), transition.progress.phase());
                    Acceptor.onFrozen(transition, freezing, frozen.status());
                }
            }
            case Event.Progress(long doneUpTo, GroupPhase phase) ->
                transition.progress = new ViewState.Progress(doneUpTo, phase);
            case Event.GroupBroken(NodeId peer, String why) -> {
                if (transition.view().member(peer).isPresent()
                        && !transition.current.isLone()) { // else it is late, of a former view
                    transition.change = transition.change.broken(why);
                }
            }
            case Event.Doubled(SortedSet<PeerId> machines) -> Doubling.onDoubled(transition, machines);
            case Event.Excluded(SortedSet<PeerId> machines) -> Exclusion.onExcluded(transition, machines);
            case Event.Voted(VoterTask task, VoterAnswer answer) -> VoteQueue.onVoted(transition, task, answer);
            case Event.Resign() -> Leaving.onResign(transition);
            case Event.Leave() -> Leaving.onLeave(transition);
            case Event.Tick() -> {}
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

    private ViewState.Clock clock(ViewState.Clock before, Event event, long nowNanos) {
        long gap = nowNanos - before.steppedNanos();
        boolean stoodStill = gap > 2 * TICK_QUIET_NANOS; // a tick was due long ago
        long lost = before.lostNanos() + (stoodStill ? gap - TICK_QUIET_NANOS : 0);
        long now = nowNanos - lost;
        boolean isTick = event instanceof Event.Tick;
        boolean isSweep = isTick && now - before.sweptNanos() >= SWEEP_NANOS;
        return new ViewState.Clock(
                nowNanos, lost, isTick ? now : before.tickedNanos(), isSweep ? now : before.sweptNanos());
    }

    @Override
    public long sleepNanos(ViewState state, long nowNanos) {
        boolean isBusy = !(state.campaign() instanceof Campaign.None)
                || state.isFrozen()
                || state.change().needed().isPresent()
                || !(state.crossing() instanceof JoinState.Staying)
                || !(state.departure() instanceof LeaveState.Staying)
                || !(state.resting() instanceof Resting.Awake)
                || !(state.hearing() instanceof Hearing.Quorum);
        long tick = isBusy ? TICK_BUSY_NANOS : TICK_QUIET_NANOS;
        long sinceTick = nowNanos - state.clock().lostNanos() - state.clock().tickedNanos();
        return Math.max(0, tick - sinceTick);
    }
}
