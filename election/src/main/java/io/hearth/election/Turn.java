package io.hearth.election;

import io.hearth.election.ViewMachine.Effect;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One transition in the making: the parts of the state, each replaced as a whole, and the effects so far. Lives for one step on
 * one thread; the parts themselves are immutable.
 */
final class Turn {
    /** Most nodes known. */
    static final int PEERS_MAX = 1_024;

    /** Most lineages voted in. */
    static final int SEATS_MAX = 64;

    final ElectionConfig config;
    final Resolver resolver;
    final ViewState.Self self;

    /** Machine time, in nanoseconds. */
    final long now;

    private final ViewState.Clock clock;
    private final List<Effect> effects = new ArrayList<>();
    private long draws;
    private SortedMap<Lineage, Seat> seats;
    private SortedMap<NodeId, Peer> peers;

    int foundings;
    Admission admission;
    Home home;
    Freeze freeze;
    Campaign campaign;
    Change change;
    Crossing crossing;
    Departure departure;
    Stall stall;
    Hold hold;
    ViewState.Progress progress;
    private String pending;
    private Refusals refusals;

    Turn(ElectionConfig config, Resolver resolver, ViewState state, ViewState.Clock clock) {
        this.config = config;
        this.resolver = resolver;
        this.self = state.self();
        this.clock = clock;
        this.now = clock.steppedNanos() - clock.lostNanos();
        this.draws = state.draws();
        this.foundings = state.foundings();
        this.seats = state.seats();
        this.peers = state.peers();
        this.admission = state.admission();
        this.home = state.home();
        this.freeze = state.freeze();
        this.campaign = state.campaign();
        this.change = state.change();
        this.crossing = state.crossing();
        this.departure = state.departure();
        this.stall = state.stall();
        this.hold = state.hold();
        this.progress = state.progress();
        this.pending = state.pending();
        this.refusals = state.refusals();
    }

    ViewState state() {
        return new ViewState(
                self, clock, draws, foundings, seats, peers, admission, home, freeze, campaign, change, crossing,
                departure, stall, hold, progress, pending, refusals);
    }

    List<Effect> effects() {
        return effects;
    }

    void effect(Effect effect) {
        effects.add(effect);
    }

    void send(NodeId to, Message message) {
        effects.add(new Effect.Send(to, message));
    }

    void announce(ElectionEvent event) {
        effects.add(new Effect.Announce(event));
    }

    void refuse(Refusal refusal) {
        refusals = refusals.plus(refusal);
    }

    /** Says why entry is not granted yet; says it once. */
    void pending(String reason) {
        if (!pending.equals(reason)) {
            pending = reason;
            effects.add(new Effect.Pending(reason));
        }
    }

    /** A number from 0 to {@code bound} - 1, the same in every replay. */
    long draw(long bound) {
        draws++;
        return new SplittableRandom(self.seed() + draws * 0x9E3779B97F4A7C15L).nextLong(bound);
    }

    long wallMillis() {
        return self.wallMillis() + (clock.steppedNanos() - self.startedNanos()) / 1_000_000;
    }

    SortedMap<Lineage, Seat> seats() {
        return seats;
    }

    @Nullable
    LineageRecord record(Lineage lineage) {
        Seat seat = seats.get(lineage);
        return seat == null ? null : seat.record();
    }

    /** The record of the lineage in which this node lives; it always has one. */
    LineageRecord homeRecord() {
        LineageRecord record = record(home.lineage());
        if (record == null) {
            throw new AssertionError("no record of the home lineage " + home.lineage());
        }
        return record;
    }

    /** Durable before any later effect. */
    void persist(LineageRecord record) {
        var more = new TreeMap<>(seats);
        more.put(record.lineage(), new Seat(record, now));
        seats = more;
        effects.add(new Effect.Persist(record));
    }

    /** Gives up a vote for good. */
    void forget(Lineage lineage) {
        var fewer = new TreeMap<>(seats);
        fewer.remove(lineage);
        seats = fewer;
        effects.add(new Effect.Forget(lineage));
    }

    SortedMap<NodeId, Peer> peers() {
        return peers;
    }

    Optional<Peer> peer(NodeId node) {
        return Optional.ofNullable(peers.get(node));
    }

    void peer(NodeId node, Peer peer) {
        var more = new TreeMap<>(peers);
        more.put(node, peer);
        peers = more;
    }

    void forgetPeer(NodeId node) {
        var fewer = new TreeMap<>(peers);
        fewer.remove(node);
        peers = fewer;
    }

    View view() {
        return home.view();
    }

    boolean isSelf(Member member) {
        return member.node().equals(self.node());
    }

    boolean isLeaving() {
        return !(departure instanceof Departure.Staying);
    }

    /** To all members of the view but this node. */
    void sendToMembers(Message message) {
        for (Member member : view().members()) {
            if (!isSelf(member)) {
                send(member.node(), message);
            }
        }
    }
}
