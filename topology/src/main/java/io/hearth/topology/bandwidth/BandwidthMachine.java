package io.hearth.topology.bandwidth;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Decides when this node measures the bandwidth to which peer. Of two nodes the smaller id asks; one measurement covers both directions.
 *
 * <pre>
 *            due, idle, within budget                Heard(ACCEPT)
 *   (free) ---------------------------&gt; asked -----------------------&gt; running --Ended--&gt; (free)
 *     |                                   |  DECLINE, no answer          ^   |
 *     |                                   +---------&gt; (free, later)      |   +-- Busy: Stop, (free, later)
 *     +------------------ Heard(ASK), idle: ACCEPT ----------------------+
 * </pre>
 *
 * <p>Rules:
 *
 * <ul>
 *   <li>A node takes part in one measurement at a time: two at once would share its port, and each would see half of it.
 *   <li>No measurement begins while a collective runs on this node, and one that runs is stopped when a collective begins.
 *   <li>Measurements take at most {@link Limits#share} of the time of this node's port, averaged by a token bucket. The bucket starts
 *       full, so that a new cluster is measured soon. A slow link takes only a part of its port.
 *   <li>A new link is measured {@value #FIRST_SAMPLES} times, because the code and the processor of a young process make a measurement too
 *       low; and again while the newest measurement is much higher. The estimate is {@link RateEstimate}. The pauses between them are
 *       random and grow with the number of peers, because other pairs may share a line with this one, and then each sees half of it.
 *   <li>A link without any rate comes first, and the second and third measurement of others leave half of the bucket to such links; a
 *       quarter, for peers to come, once there is none.
 *   <li>A rate is measured again when it is old, and sooner when a measurement was much lower or the caller doubts the rate.
 *   <li>What collectives show replaces the estimate at once ({@link SeenRates}, {@link OutRates}). It is measured again as soon as a doubtful
 *       rate: a plan that spares a slow link leaves little traffic there to show that the link recovered.
 * </ul>
 */
public final class BandwidthMachine
        implements Machine<BandwidthMachine.State, BandwidthMachine.Event, BandwidthMachine.Effect> {
    private static final int BUSY_DOUBLINGS_MAX = 2;
    private static final int FIRST_SAMPLES = 3;
    private static final int SPREAD = 4;
    private static final int DOUBTS =
            16; // measurements in the time of a refresh; so even doubtful links stay below 1 %

    private final NodeId self;
    private final Limits limits;

    /** Why a measurement gave no rate. */
    private enum Trouble {
        /** One of the two nodes was busy, or became busy. */
        BUSY,
        /** No answer, or no end. */
        SILENT
    }

    public BandwidthMachine(NodeId self, Limits limits) {
        this.self = self;
        this.limits = limits;
    }

    /**
     * Times and bounds; all positive.
     *
     * @param refreshNanos age at which a rate is measured again
     * @param answerNanos longest wait for an answer
     * @param lastsNanosMax longest measurement, opening of its stream included
     * @param trainsNanosMax longest time in which a measurement moves data
     * @param retryNanos pause after a failure; it doubles up to {@code refreshNanos}, and at most to four times after a node was busy
     * @param share part of the port's time that measurements may take, above 0 and at most 1
     * @param burstNanos time that measurements may take at once
     * @param peersMax most peers of which the machine keeps a record
     */
    public record Limits(
            long refreshNanos,
            long answerNanos,
            long lastsNanosMax,
            long trainsNanosMax,
            long retryNanos,
            double share,
            long burstNanos,
            int peersMax) {
        private static final long SECOND = 1_000_000_000;

        /** Refresh after 10 minutes; 1 % of the time, 6 s at once. */
        public static final Limits DEFAULTS =
                new Limits(600 * SECOND, 2 * SECOND, 5 * SECOND, SECOND, SECOND / 2, 0.01, 6 * SECOND, 1_024);

        public Limits {
            if (refreshNanos < 1
                    || answerNanos < 1
                    || lastsNanosMax < 1
                    || trainsNanosMax < 1
                    || retryNanos < 1
                    || retryNanos > refreshNanos
                    || !(share > 0 && share <= 1)
                    || burstNanos < 1
                    || peersMax < 1) {
                throw new IllegalArgumentException("limits of measurements must be positive, share at most 1 and"
                        + " retry at most refresh; got refresh " + refreshNanos + ", answer " + answerNanos + ", lasts "
                        + lastsNanosMax + ", trains " + trainsNanosMax + ", retry " + retryNanos + ", share " + share
                        + ", burst " + burstNanos
                        + " and peers " + peersMax);
            }
        }
    }

    /** Inputs. */
    public sealed interface Event {
        /**
         * A link to a peer is up.
         *
         * @param ageNanos age of the newest known rate; {@link Long#MAX_VALUE} if none is known
         */
        record Linked(NodeId peer, long ageNanos) implements Event {}

        /** The link to a peer ended. */
        record Unlinked(NodeId peer) implements Event {}

        /** Whether a collective runs on this node, or may at any moment. */
        record Busy(boolean busy) implements Event {}

        /** A peer's message. */
        record Heard(NodeId peer, BandwidthMessage message) implements Event {}

        /** The stream of a measurement is open, and bytes begin to move. What came before took no time of the port. */
        record Began(NodeId peer, long number) implements Event {}

        /**
         * The shell's part of a measurement ended.
         *
         * @param result empty if it was stopped or failed
         */
        record Ended(NodeId peer, long number, Optional<Bandwidth> result) implements Event {}

        /**
         * Collectives showed rates of the link.
         *
         * @param out bytes per second to the peer, above 0; empty if they showed none
         * @param in bytes per second from the peer, likewise
         */
        record Observed(NodeId peer, OptionalLong out, OptionalLong in) implements Event {}

        /** The known rate may be wrong, or may not last. */
        record Doubted(NodeId peer) implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** What the shell must do. */
    public sealed interface Effect {
        /** Send a message over the control link. */
        record Say(NodeId peer, BandwidthMessage message) implements Effect {}

        /** Open the stream of a measurement and run it; answer with {@link Event.Ended}. */
        record Run(NodeId peer, long number, boolean asked) implements Effect {}

        /** Stop the measurement that runs; its {@link Event.Ended} is ignored. */
        record Stop(NodeId peer, long number) implements Effect {}

        /** A link was measured: the estimate from all its measurements, with the loss of the newest. */
        record Measured(NodeId peer, Bandwidth bandwidth) implements Effect {}

        /** Collectives showed these rates. */
        record Seen(NodeId peer, OptionalLong out, OptionalLong in) implements Effect {}
    }

    /**
     * What is planned for a peer.
     *
     * @param dueNanos when this node asks for the next measurement
     * @param failures attempts in a row without a rate, at most 20
     * @param samples measurements of this link so far, at most {@value #FIRST_SAMPLES}; the last of these raised no rate much
     * @param out rate to the peer
     * @param in rate from the peer
     */
    public record Peer(long dueNanos, int failures, int samples, RateEstimate out, RateEstimate in) {
        Peer due(long nanos, int failed) {
            return new Peer(nanos, failed, samples, out, in);
        }

        Peer with(Bandwidth measured) {
            RateEstimate outNow = out.with(measured.outBytesPerSecond());
            RateEstimate inNow = in.with(measured.inBytesPerSecond());
            boolean rises = outNow.isMuchHigherThan(out) || inNow.isMuchHigherThan(in);
            int samplesMax = rises ? FIRST_SAMPLES - 1 : FIRST_SAMPLES;
            return new Peer(dueNanos, 0, Math.min(samplesMax, samples + 1), outNow, inNow);
        }

        /** With what collectives showed, which their observer has confirmed already. */
        Peer seen(OptionalLong outNow, OptionalLong inNow) {
            return new Peer(
                    dueNanos,
                    failures,
                    samples,
                    outNow.isPresent() ? new RateEstimate(outNow.getAsLong(), 0) : out,
                    inNow.isPresent() ? new RateEstimate(inNow.getAsLong(), 0) : in);
        }

        /** Whether the next measurement decides about a much lower rate. */
        boolean isDoubtful() {
            return out.isDoubtful() || in.isDoubtful();
        }

        /** Rate of the faster direction; 0 if none is known. */
        long fastest() {
            return Math.max(out.bytesPerSecond(), in.bytesPerSecond());
        }
    }

    /**
     * The measurement in which this node takes part.
     *
     * @param running whether its stream may be open; else this node waits for an answer
     * @param asked whether this node asked for it
     * @param sinceNanos when it entered this state
     * @param movesSinceNanos when its bytes began to move; empty before
     */
    public record Active(
            NodeId peer, long number, boolean running, boolean asked, long sinceNanos, OptionalLong movesSinceNanos) {
        Active moves(long nowNanos) {
            return new Active(peer, number, running, asked, sinceNanos, OptionalLong.of(nowNanos));
        }

        boolean runs(NodeId which, long its) {
            return running && peer.equals(which) && number == its;
        }
    }

    /**
     * The state.
     *
     * @param peers linked peers
     * @param number of the next measurement
     * @param budgetNanos time that measurements may take at {@code budgetAtNanos}
     */
    public record State(
            SortedMap<NodeId, Peer> peers,
            Optional<Active> active,
            boolean busy,
            long number,
            long budgetNanos,
            long budgetAtNanos) {
        public State {
            peers = Collections.unmodifiableSortedMap(new TreeMap<>(peers));
        }
    }

    /** The state of a node without links. */
    public State start(long nowNanos) {
        return new State(Collections.emptySortedMap(), Optional.empty(), false, 0, limits.burstNanos, nowNanos);
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        var draft = new Draft(state, nowNanos);
        switch (event) {
            case Event.Linked(NodeId peer, long ageNanos) -> draft.linked(peer, ageNanos);
            case Event.Unlinked(NodeId peer) -> draft.unlinked(peer);
            case Event.Busy(boolean busy) -> draft.busy(busy);
            case Event.Heard(NodeId peer, BandwidthMessage message) -> draft.heard(peer, message);
            case Event.Began(NodeId peer, long number) -> draft.began(peer, number);
            case Event.Ended ended -> draft.ended(ended);
            case Event.Observed observed -> draft.observed(observed);
            case Event.Doubted(NodeId peer) -> draft.doubted(peer);
            case Event.Tick() -> draft.expire();
        }
        draft.ask();
        return draft.step();
    }

    @Override
    public long sleepNanos(State state, long nowNanos) {
        if (state.active.isPresent()) {
            Active active = state.active.get();
            long limit = active.running ? limits.lastsNanosMax : limits.answerNanos;
            return Math.max(0, active.sinceNanos + limit - nowNanos);
        }
        if (state.busy) {
            return Long.MAX_VALUE;
        }
        long sleep = Long.MAX_VALUE;
        for (var entry : state.peers.entrySet()) {
            if (asks(entry.getKey())) {
                Peer peer = entry.getValue();
                long wait = budgetWaitNanos(state, reservedNanos(peer, state.peers), nowNanos);
                sleep = Math.min(sleep, Math.max(wait, Math.max(0, peer.dueNanos - nowNanos)));
            }
        }
        return sleep;
    }

    private boolean asks(NodeId peer) {
        return self.compareTo(peer) < 0;
    }

    private long budget(State state, long nowNanos) {
        double earned = (double) (nowNanos - state.budgetAtNanos) * limits.share;
        return (long) Math.min((double) limits.burstNanos, (double) state.budgetNanos + earned);
    }

    /** What a measurement of this peer must leave of the budget. */
    private long reservedNanos(Peer peer, SortedMap<NodeId, Peer> peers) {
        if (peer.samples == 0 || peer.samples == FIRST_SAMPLES) {
            return 0;
        }
        boolean isOneUnknown = peers.values().stream().anyMatch(other -> other.samples == 0 && other.fastest() == 0);
        return limits.burstNanos / (isOneUnknown ? 2 : 4);
    }

    /** Time until more than that is left of the budget. */
    private long budgetWaitNanos(State state, long reservedNanos, long nowNanos) {
        long left = budget(state, nowNanos) - reservedNanos;
        return left > 0 ? 0 : (long) ((double) (1 - left) / limits.share) + 1;
    }

    /** One transition under construction. */
    private final class Draft {
        private final State before;
        private final long nowNanos;
        private final SortedMap<NodeId, Peer> peers;
        private final List<Effect> effects = new ArrayList<>();
        private Optional<Active> active;
        private boolean busy;
        private long number;
        private long budgetNanos;

        Draft(State state, long nowNanos) {
            this.before = state;
            this.nowNanos = nowNanos;
            this.peers = new TreeMap<>(state.peers);
            this.active = state.active;
            this.busy = state.busy;
            this.number = state.number;
            this.budgetNanos = budget(state, nowNanos);
        }

        Step<State, Effect> step() {
            boolean spends = budgetNanos != budget(before, nowNanos);
            return new Step<>(
                    new State(
                            peers,
                            active,
                            busy,
                            number,
                            spends ? budgetNanos : before.budgetNanos,
                            spends ? nowNanos : before.budgetAtNanos),
                    effects);
        }

        void linked(NodeId peer, long ageNanos) {
            if (peers.size() < limits.peersMax && !peer.equals(self)) {
                long freshNanos = Math.max(0, limits.refreshNanos - Math.max(0, ageNanos));
                int samples = freshNanos > 0 ? FIRST_SAMPLES : 0;
                peers.put(peer, new Peer(nowNanos + freshNanos, 0, samples, RateEstimate.NONE, RateEstimate.NONE));
            }
        }

        void unlinked(NodeId peer) {
            peers.remove(peer);
            stop(peer);
        }

        void busy(boolean now) {
            busy = now;
            if (busy && active.isPresent()) {
                NodeId peer = active.get().peer;
                later(peer, Trouble.BUSY);
                stop(peer);
            }
        }

        void doubted(NodeId peer) {
            Peer known = peers.get(peer);
            if (known != null) {
                peers.put(peer, soon(known));
            }
        }

        private Peer soon(Peer known) {
            long wait = Math.min(known.dueNanos - nowNanos, limits.refreshNanos / DOUBTS);
            return known.due(nowNanos + wait, known.failures);
        }

        void heard(NodeId peer, BandwidthMessage message) {
            if (!peers.containsKey(peer)) {
                return; // its link ended meanwhile
            }
            switch (message.type()) {
                case ASK -> {
                    boolean takesPart = !busy && active.isEmpty() && budgetNanos > 0;
                    say(
                            peer,
                            takesPart ? BandwidthMessage.Type.ACCEPT : BandwidthMessage.Type.DECLINE,
                            message.number());
                    if (takesPart) {
                        run(peer, message.number(), false);
                    }
                }
                case ACCEPT -> {
                    if (awaits(peer, message.number())) {
                        run(peer, message.number(), true);
                    }
                }
                case DECLINE -> {
                    if (awaits(peer, message.number())) {
                        active = Optional.empty();
                        later(peer, Trouble.BUSY);
                    }
                }
            }
        }

        private boolean awaits(NodeId peer, long asked) {
            return active.filter(now -> now.peer.equals(peer) && now.asked && !now.running && now.number == asked)
                    .isPresent();
        }

        private void run(NodeId peer, long which, boolean asked) {
            active = Optional.of(new Active(peer, which, true, asked, nowNanos, OptionalLong.empty()));
            effects.add(new Effect.Run(peer, which, asked));
        }

        private void say(NodeId peer, BandwidthMessage.Type type, long which) {
            effects.add(new Effect.Say(peer, new BandwidthMessage(type, which)));
        }

        void began(NodeId peer, long which) {
            if (active.filter(now -> now.runs(peer, which)).isPresent()) {
                active = Optional.of(active.get().moves(nowNanos));
            }
        }

        void ended(Event.Ended ended) {
            if (active.filter(now -> now.runs(ended.peer(), ended.number())).isEmpty()) {
                return;
            }
            Peer known = peers.get(ended.peer());
            if (known != null && ended.result().isPresent()) {
                Bandwidth measured = ended.result().get();
                Peer next = known.with(measured);
                peers.put(ended.peer(), next.due(nowNanos + pauseNanos(ended.peer(), next), 0));
                spend();
                effects.add(new Effect.Measured(
                        ended.peer(),
                        new Bandwidth(next.out.bytesPerSecond(), next.in.bytesPerSecond(), measured.lossPermille())));
            } else {
                spend();
                later(ended.peer(), Trouble.BUSY);
            }
        }

        /** Ends the active measurement, and takes the port's time in which it moved bytes from the budget. */
        private void spend() {
            active.ifPresent(now -> now.movesSinceNanos.ifPresent(since -> {
                long took = Math.min(nowNanos - since, limits.trainsNanosMax);
                budgetNanos -= (long) ((double) took * partOfPort(now.peer));
            }));
            active = Optional.empty();
        }

        /** The rate of a link, in parts of that of the fastest one; 1 if it is not known. */
        private double partOfPort(NodeId peer) {
            long rate = Optional.ofNullable(peers.get(peer)).map(Peer::fastest).orElse(0L);
            long fastest =
                    peers.values().stream().mapToLong(Peer::fastest).max().orElse(0);
            return rate == 0 ? 1 : (double) rate / (double) fastest;
        }

        private void stop(NodeId peer) {
            active.filter(now -> now.peer.equals(peer)).ifPresent(now -> {
                if (now.running) {
                    effects.add(new Effect.Stop(peer, now.number));
                }
                spend();
            });
        }

        void expire() {
            if (active.isEmpty()) {
                return;
            }
            Active now = active.get();
            long limit = now.running ? limits.lastsNanosMax : limits.answerNanos;
            if (nowNanos - now.sinceNanos >= limit) {
                stop(now.peer);
                later(now.peer, Trouble.SILENT);
            }
        }

        void observed(Event.Observed observed) {
            Peer known = peers.get(observed.peer());
            if (known != null) {
                peers.put(observed.peer(), soon(known.seen(observed.out(), observed.in())));
                effects.add(new Effect.Seen(observed.peer(), observed.out(), observed.in()));
            }
        }

        /** Plans the next attempt. A random part keeps nodes that declined one another from asking in step. */
        private void later(NodeId peer, Trouble trouble) {
            Peer known = peers.get(peer);
            if (known != null) {
                int doublings = Math.min(known.failures, trouble == Trouble.SILENT ? 20 : BUSY_DOUBLINGS_MAX);
                long pause = Math.min(limits.refreshNanos, limits.retryNanos << doublings);
                long at = nowNanos + pause + random(peer, limits.retryNanos);
                peers.put(peer, known.due(at, Math.min(known.failures + 1, 20)));
            }
        }

        private long pauseNanos(NodeId peer, Peer measured) {
            if (measured.samples < FIRST_SAMPLES) {
                return limits.retryNanos + random(peer, SPREAD * limits.retryNanos * peers.size());
            }
            return measured.isDoubtful() ? limits.refreshNanos / DOUBTS : limits.refreshNanos;
        }

        private long random(NodeId peer, long bound) {
            long seed = self.hashCode() * 31L + peer.hashCode() + number * 961L + nowNanos;
            return new SplittableRandom(seed).nextLong(bound);
        }

        private boolean mayMeasure(Peer peer) {
            return peer.dueNanos - nowNanos <= 0 && budgetNanos > reservedNanos(peer, peers);
        }

        /** Asks the peer that is due the longest, one without a rate before all others, if this node may measure now. */
        void ask() {
            if (busy || active.isPresent()) {
                return;
            }
            Optional<NodeId> next = peers.entrySet().stream()
                    .filter(entry -> asks(entry.getKey()) && mayMeasure(entry.getValue()))
                    .min(Comparator.comparingInt(
                                    (Map.Entry<NodeId, Peer> entry) -> Math.min(1, entry.getValue().samples))
                            .thenComparingLong(entry -> entry.getValue().dueNanos - nowNanos))
                    .map(Map.Entry::getKey);
            next.ifPresent(peer -> {
                active = Optional.of(new Active(peer, number, false, true, nowNanos, OptionalLong.empty()));
                say(peer, BandwidthMessage.Type.ASK, number);
                number++;
            });
        }
    }
}
