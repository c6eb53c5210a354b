package io.hearth.election;

import io.hearth.core.Bytes;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Agrees on who is in, and so on the master: the view change.
 *
 * <p>Single-decree Paxos once per epoch: the acceptors of epoch e+1 are the voters of view e, one for each machine. A node
 * lives in one lineage and may vote in several. One transition as a table (left: where; then event, condition, outcome):
 *
 * <pre>
 * acceptor   Prepare, older view       Commit(newest) back
 *            Prepare, below promise    Refuse
 *            Prepare, else             Persist; at home: Freeze, then Promise with status; elsewhere: Promise without
 *            Accept, not below promise Persist; Accepted
 * freeze     Thawed   --promise--&gt;     Freezing --Frozen event--&gt; Frozen --successor learned--&gt; Thawed
 * campaign   None     --need, turn--&gt;  Preparing: Persist own promise; Prepare to all members
 *            Preparing --quorum, and all unsuspected answered or 2 s--&gt; Accepting: Persist; Accept to all voters
 *            Accepting --quorum of one ballot--&gt; None: view learned, Commit to old and new members
 *            Preparing, Accepting --other's ballot, Refuse, 2.4 s--&gt; None
 * learner    Commit, newer, I am in as I entered   Persist; Install
 *            Commit, newer, I am not               Removed; a lone lineage: Persist; Install
 *            Commit of the lineage I ask, admits me  Persist; Forget lone lineage; Install
 * crossing   Staying  --alone, better lineage heard--&gt; Joining: Persist entry; Join, again and again
 * departure  Staying  --Leave--&gt; Draining --others have all, 5 s--&gt; Asking --out, 10 s--&gt; Gone: Left
 * hold       free     --lead and somebody is ready to enter, or alone and going elsewhere--&gt; Hold --in, gone, 5 s--&gt; free
 * stall      Flowing  --no quorum heard, or needed change not made for 5 s--&gt; Stalled --a view, a quorum--&gt; Flowing
 * </pre>
 *
 * <p>Each row group is a class of its own: {@link Acceptor}, {@link Proposer} (with {@link Needs}, {@link Candidacy} and {@link Successor}), {@link
 * Learner}, {@link Admissions}, {@link Merge}, {@link Holding}, {@link Leaving}, {@link Stalls}; {@link Standing} reads how members stand.
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
     * @param records all sound records of this slot found on disk
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
                throw new IllegalArgumentException("need incarnation 1 to 2^53 and a group of at most "
                        + ViewRules.GROUP_CHARACTERS_MAX + " printable characters, got " + incarnation + " and "
                        + group.length()
                        + " characters");
            }
        }
    }

    /** What may happen. */
    public sealed interface Event {
        /** A link to a node is up; its identity and incarnation were proven. */
        record Linked(NodeId node, long incarnation) implements Event {}

        /** The link to that start of a node is down. */
        record Unlinked(NodeId node, long incarnation) implements Event {}

        /** The failure detector gives a node up. */
        record Suspected(NodeId node, long incarnation) implements Event {}

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
        record GroupBroken(String why) implements Event {}

        /**
         * This node's application was given an error that the others of its group do not have: it is out, and comes back
         * as if it were new.
         */
        record Resign() implements Event {}

        /** This node wants to go. */
        record Leave() implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** What the shell carries out, in order, each before the next. */
    public sealed interface Effect {
        /** Write aside, fsync, rename, fsync the folder: on disk before the next effect. */
        record Persist(LineageRecord record) implements Effect {}

        /** Delete the record. */
        record Forget(Lineage lineage) implements Effect {}

        /** On the link to {@code to}; lost if there is none. */
        record Send(NodeId to, Message message) implements Effect {}

        /** Stop all data threads of all groups, take the status, answer {@link Event.Frozen}. */
        record Freeze(Lineage lineage, long epoch) implements Effect {}

        /** A committed view that lists this node; data threads may run. */
        record Install(View view) implements Effect {}

        /** All open work ends: this node is in no view with others any more. {@code why} is for people. */
        record Removed(String why) implements Effect {}

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
        var over = new ArrayList<Effect>();
        SortedMap<Lineage, Seat> seats = seats(start, nowNanos, over);
        var lineage = new Lineage(false, start.wallMillis(), start.node(), start.incarnation(), 0);
        var state = new ViewState(
                self,
                new ViewState.Clock(nowNanos, 0, nowNanos, nowNanos),
                0,
                0,
                seats,
                new TreeMap<>(),
                Admission.nobody(nowNanos),
                Home.founded(Learner.firstView(self, resolver, lineage), nowNanos),
                Freeze.THAWED,
                Campaign.NONE,
                Change.none(nowNanos),
                Crossing.STAYING,
                Departure.STAYING,
                Stall.FLOWING,
                Hold.none(nowNanos),
                new ViewState.Progress(-1, GroupPhase.FRESH),
                "",
                Refusals.NONE);
        var turn = new Turn(config, resolver, state, state.clock());
        over.forEach(turn::effect);
        Learner.found(turn, false);
        return new Step<>(turn.state(), turn.effects());
    }

    /** Votes of earlier starts; lineages in which only this node was left are over. */
    private static SortedMap<Lineage, Seat> seats(Start start, long nowNanos, List<Effect> over) {
        var seats = new TreeMap<Lineage, Seat>();
        start.records().stream()
                .sorted(Comparator.comparing(record -> !record.isListed(start.node())))
                .forEach(record -> {
                    boolean isOwn = record.isOwnedBy(start.node());
                    boolean isUnknown = isOwn && record.view().orElseThrow().epoch() == 1;
                    if (isUnknown || seats.size() >= Turn.SEATS_MAX - 1) {
                        over.add(new Effect.Forget(record.lineage()));
                    } else {
                        LineageRecord sound = isOwn ? record.ended() : record;
                        seats.put(record.lineage(), new Seat(sound, nowNanos));
                        if (isOwn) {
                            over.add(new Effect.Persist(sound));
                        }
                    }
                });
        return seats;
    }

    @Override
    public Step<ViewState, Effect> step(ViewState state, Event event, long nowNanos) {
        if (state.hasLeft()) {
            return Step.quiet(state);
        }
        var turn = new Turn(config, resolver, state, clock(state.clock(), event, nowNanos));
        if (event instanceof Event.Tick && turn.now - state.clock().sweptNanos() >= SWEEP_NANOS) {
            sweep(turn);
        }
        dispatch(turn, event);
        Leaving.drive(turn);
        Merge.drive(turn);
        Holding.drive(turn);
        Proposer.drive(turn);
        Stalls.drive(turn);
        return new Step<>(turn.state(), turn.effects());
    }

    private void dispatch(Turn turn, Event event) {
        switch (event) {
            case Event.Linked(NodeId node, long incarnation) -> Acquaintance.onLinked(turn, node, incarnation);
            case Event.Unlinked(NodeId node, long incarnation) -> Acquaintance.onUnlinked(turn, node, incarnation);
            case Event.Suspected(NodeId node, long incarnation) ->
                Acquaintance.onOpinion(turn, node, incarnation, true);
            case Event.Trusted(NodeId node, long incarnation) -> Acquaintance.onOpinion(turn, node, incarnation, false);
            case Event.Received(NodeId from, long incarnation, Message message) -> {
                if (Acquaintance.meet(turn, from, incarnation)) {
                    receive(turn, from, incarnation, message);
                }
            }
            case Event.Frozen frozen -> {
                if (turn.freeze instanceof Freeze.Freezing
                        && frozen.lineage().equals(turn.home.lineage())
                        && frozen.epoch() == turn.view().epoch()) {
                    turn.progress = new ViewState.Progress(frozen.doneUpTo(), turn.progress.phase());
                    Acceptor.onFrozen(turn, frozen.status());
                }
            }
            case Event.Progress(long doneUpTo, GroupPhase phase) ->
                turn.progress = new ViewState.Progress(doneUpTo, phase);
            case Event.GroupBroken(String why) -> {
                if (!turn.home.isLone()) { // else it is late, of a view that this node is out of
                    turn.change = turn.change.broken(why);
                }
            }
            case Event.Resign() -> Leaving.onResign(turn);
            case Event.Leave() -> Leaving.onLeave(turn);
            case Event.Tick() -> {}
        }
    }

    private void receive(Turn turn, NodeId from, long incarnation, Message message) {
        switch (message) {
            case Message.Heartbeat heartbeat -> Acquaintance.onHeartbeat(turn, from, incarnation, heartbeat.presence());
            case Message.Prepare prepare -> Acceptor.onPrepare(turn, from, incarnation, prepare);
            case Message.Promise promise -> Proposer.onPromise(turn, from, incarnation, promise);
            case Message.Accept accept -> Acceptor.onAccept(turn, from, incarnation, accept);
            case Message.Accepted accepted -> Proposer.onAccepted(turn, from, accepted);
            case Message.Refuse refuse -> Proposer.onRefuse(turn, from, refuse);
            case Message.Commit commit -> Learner.onCommit(turn, from, commit);
            case Message.Join join -> Admissions.onJoin(turn, from, incarnation, join);
            case Message.NotYet notYet -> Merge.onNotYet(turn, notYet);
            case Message.Leave leave -> Leaving.onLeave(turn, from, leave);
        }
    }

    /** Forgets joiners and removals of long ago, and records that cannot matter any more. */
    private void sweep(Turn turn) {
        Admissions.sweep(turn);
        for (Seat seat : List.copyOf(turn.seats().values())) {
            Lineage lineage = seat.record().lineage();
            boolean isTarget = turn.crossing instanceof Crossing.Joining joining
                    && joining.target().equals(lineage);
            if (!lineage.equals(turn.home.lineage())
                    && !isTarget
                    && !seat.record().isListed(turn.self.node())
                    && turn.now - seat.idleNanos() >= config.keepRecordNanos()) {
                turn.forget(lineage);
            }
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
                || !(state.crossing() instanceof Crossing.Staying)
                || !(state.departure() instanceof Departure.Staying);
        long tick = isBusy ? TICK_BUSY_NANOS : TICK_QUIET_NANOS;
        long sinceTick = nowNanos - state.clock().lostNanos() - state.clock().tickedNanos();
        return Math.max(0, tick - sinceTick);
    }
}
