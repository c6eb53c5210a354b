package io.hearth.election.view.step;

import io.hearth.election.Ballot;
import io.hearth.election.ElectionConfig;
import io.hearth.election.ElectionEvent;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.MessageRejection;
import io.hearth.election.MessageRejections;
import io.hearth.election.Resolver;
import io.hearth.election.View;
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
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.state.ViewState;
import io.hearth.election.vote.Voting;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * One transition under construction: the parts of the state, each replaced as a whole, and the effects so far. It lives for one step on
 * one thread; the parts are immutable.
 */
public final class Transition {
    /** Most nodes known. */
    public static final int PEERS_MAX = 1_024;

    /** Most lineages known. */
    public static final int LINEAGES_MAX = 64;

    /** The spans for the silence in force. */
    public ElectionConfig config;

    private final ElectionConfig configured;
    private long silenceNanos;
    public final Resolver resolver;
    public final ViewState.Self self;

    /** Machine time, in nanoseconds. */
    public final long now;

    private final ViewState.Clock clock;
    private final List<ViewEffect> effects = new ArrayList<>();
    private long draws;
    private SortedMap<Lineage, KnownLineage> lineages;
    private SortedMap<NodeId, Peer> peers;

    public int foundings;
    public long foundNotBeforeNanos;
    public long enterNotBeforeNanos;
    public long retainedNanos;
    public String diskFault;
    public Voting voting;
    public HearingState hearing;
    public RestState resting;
    public Admission admission;
    public CurrentView current;
    public Freeze freeze;
    public Campaign campaign;
    public Change change;
    public JoinState join;
    public LeaveState leave;
    public QuorumLoss stall;
    public StepBarrierHold hold;
    public ViewState.Progress progress;
    public Lapses lapses;
    public SortedSet<PeerId> doubled;
    public SortedSet<PeerId> excluded;
    private String pending;
    private MessageRejections refusals;

    public Transition(ElectionConfig config, Resolver resolver, ViewState state, ViewState.Clock clock) {
        this.configured = config;
        this.silenceNanos = state.silenceNanos();
        this.config = config.stretched(silenceNanos);
        this.resolver = resolver;
        this.self = state.self();
        this.clock = clock;
        this.now = clock.steppedNanos() - clock.lostNanos();
        this.draws = state.draws();
        this.foundings = state.foundings();
        this.lineages = state.lineages();
        this.foundNotBeforeNanos = state.disk().foundNotBeforeNanos();
        this.enterNotBeforeNanos = state.disk().enterNotBeforeNanos();
        this.retainedNanos = state.disk().retainedNanos();
        this.diskFault = state.disk().fault();
        this.voting = state.voting();
        this.hearing = state.hearing();
        this.resting = state.resting();
        this.peers = state.peers();
        this.admission = state.admission();
        this.current = state.current();
        this.freeze = state.freeze();
        this.campaign = state.campaign();
        this.change = state.change();
        this.join = state.join();
        this.leave = state.leave();
        this.stall = state.stall();
        this.hold = state.hold();
        this.progress = state.progress();
        this.lapses = state.lapses();
        this.doubled = state.doubled();
        this.excluded = state.excluded();
        this.pending = state.pending();
        this.refusals = state.refusals();
    }

    public ViewState state() {
        var disk = new ViewState.Disk(foundNotBeforeNanos, enterNotBeforeNanos, retainedNanos, diskFault);
        return new ViewState(
                self,
                clock,
                silenceNanos,
                draws,
                foundings,
                lineages,
                voting,
                disk,
                peers,
                admission,
                current,
                freeze,
                campaign,
                change,
                hearing,
                join,
                leave,
                stall,
                resting,
                hold,
                progress,
                lapses,
                doubled,
                excluded,
                pending,
                refusals);
    }

    /** Brings another span of silence into force, with all spans that must outlast it. */
    public void silence(long nanos) {
        silenceNanos = nanos;
        config = configured.stretched(nanos);
    }

    public List<ViewEffect> effects() {
        return effects;
    }

    public void effect(ViewEffect effect) {
        effects.add(effect);
    }

    public void send(NodeId to, Message message) {
        effects.add(new ViewEffect.Send(to, message));
    }

    public void announce(ElectionEvent event) {
        effects.add(new ViewEffect.Announce(event));
    }

    public void refuse(MessageRejection refusal) {
        refusals = refusals.plus(refusal);
    }

    /** Reports once why entry is not granted yet. */
    public void pending(String reason) {
        if (!pending.equals(reason)) {
            pending = reason;
            effects.add(new ViewEffect.Pending(reason));
        }
    }

    /** A number from 0 to {@code bound} - 1, the same in every replay. */
    public long draw(long bound) {
        draws++;
        return new SplittableRandom(self.seed() + draws * 0x9E3779B97F4A7C15L).nextLong(bound);
    }

    public long wallMillis() {
        return self.wallMillis() + (clock.steppedNanos() - self.startedNanos()) / 1_000_000;
    }

    /** 63 random bits that name a new record. */
    public long drawSeat() {
        return 1 + draw(Long.MAX_VALUE);
    }

    public SortedMap<Lineage, KnownLineage> lineages() {
        return lineages;
    }

    /** This process's knowledge of a lineage; empty if, as far as it knows, its machine has no part in it. */
    public Optional<KnownLineage> known(Lineage lineage) {
        return Optional.ofNullable(lineages.get(lineage));
    }

    public void know(Lineage lineage, KnownLineage known) {
        var more = new TreeMap<>(lineages);
        more.put(lineage, known);
        if (more.size() > LINEAGES_MAX) {
            more.keySet().stream()
                    .filter(other -> !isInUse(other) && !other.equals(lineage))
                    .min(Comparator.comparingLong(
                            other -> more.getOrDefault(other, known).usedNanos() - now))
                    .ifPresent(more::remove);
        }
        lineages = more;
    }

    private boolean isInUse(Lineage lineage) {
        return lineage.equals(current.lineage())
                || (join instanceof JoinState.Entering entering
                        && entering.target().equals(lineage))
                || (join instanceof JoinState.Joining joining
                        && joining.target().equals(lineage));
    }

    /** A ballot of this node for the successor of its view begins with that round. */
    public void useRound(long round) {
        known(current.lineage()).ifPresent(known -> know(current.lineage(), known.began(round)));
    }

    /** Notes another node's ballot of that round for the successor of this node's view. */
    public void meetRound(long round) {
        known(current.lineage()).ifPresent(known -> know(current.lineage(), known.met(round, now)));
    }

    public SortedMap<NodeId, Peer> peers() {
        return peers;
    }

    public Optional<Peer> peer(NodeId node) {
        return Optional.ofNullable(peers.get(node));
    }

    public void peer(NodeId node, Peer peer) {
        var more = new TreeMap<>(peers);
        more.put(node, peer);
        peers = more;
    }

    public void forgetPeer(NodeId node) {
        var fewer = new TreeMap<>(peers);
        fewer.remove(node);
        peers = fewer;
    }

    public View view() {
        return current.view();
    }

    /** Whether that machine has no vote that counts: two computers use its identity, or it was put out. */
    public boolean hasNoVote(PeerId machine) {
        return doubled.contains(machine) || excluded.contains(machine);
    }

    /** Whether a person put a member's machine out of the namespace. */
    public boolean isOut(Member member) {
        return excluded.contains(member.machine());
    }

    /** Whether another computer uses this node's identity too. */
    public boolean isDoubled() {
        return doubled.contains(self.node().peer());
    }

    public boolean isSelf(Member member) {
        return member.node().equals(self.node());
    }

    /** Whether this node began the ballot. */
    public boolean isOwn(Ballot ballot) {
        return ballot.proposer().equals(self.node());
    }

    public boolean isLeaving() {
        return !(leave instanceof LeaveState.Staying);
    }

    /** Sends to all members of the view but this node. */
    public void sendToMembers(Message message) {
        for (Member member : view().members()) {
            if (!isSelf(member)) {
                send(member.node(), message);
            }
        }
    }

    /** Sends to all members of the view, and to the other linked processes of their machines, which can vote too. */
    public void sendToMachines(Message message) {
        sendToMembers(message);
        otherProcesses().forEach(node -> send(node, message));
    }

    /** Linked processes of machines of the view that are no members. Those of this node's own machine are not needed. */
    public List<NodeId> otherProcesses() {
        var others = new ArrayList<NodeId>();
        peers.forEach((node, peer) -> {
            boolean isVoter = view().seat(node.peer()) != 0
                    && !node.peer().equals(self.node().peer());
            if (isVoter && peer.linked() && view().member(node).isEmpty()) {
                others.add(node);
            }
        });
        return others;
    }
}
