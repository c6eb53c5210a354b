package io.hearth.election.health;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.election.Beat;
import io.hearth.election.Message;
import io.hearth.election.ViewRules;
import io.hearth.election.health.HealthState.Link;
import io.hearth.election.health.HealthState.Opinion;
import io.hearth.election.health.HealthState.Watched;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * The failure detector: decides when to send heartbeats and which peers are silent.
 *
 * <pre>
 * (none)             --linked--------------------------------------&gt; Unheard
 * Unheard, Alive     --silent for half the span, link lost---------&gt; Doubted
 * Unheard, Doubted   --any frame-----------------------------------&gt; Alive
 * any but Suspect    --silent for the span; link lost and refused,
 *                      or not back after the re-dial span----------&gt; Suspect (Suspected)
 * Suspect            --any frame, linked---------------------------&gt; Alive   (Trusted)
 * Suspect            --for long------------------------------------&gt; (none)  (removed)
 * all                --local gap-----------------------------------&gt; same, timers restarted (Awoke)
 * all                --step that comes late------------------------&gt; same, timers later by as much
 * any                --linked, newer incarnation-------------------&gt; Unheard, as new
 * Suspect, linked    --silent for two spans------------------------&gt; same, reconnect (Renew)
 * </pre>
 *
 * <p>The span of silence is the longest that this node or a member that it hears wishes, see {@link Silence}. Jitter widens it:
 * {@code silence * (1 + jitter / heartbeat)}, at most four times.
 * A suspicion only starts a view change; a member that answers the change is kept.
 *
 * <p>While no trainer is in the view, heartbeats among members are rarer ({@link HealthConfig.Idle}). A node tells all peers its wish when
 * that begins or ends, its view when it changes, and judges each peer by at least the wish of that peer's newest heartbeat; so the order in which nodes learn of a new
 * view does not matter. While a member is silent, heartbeats come at their usual rate: the view change takes a peer that is not heard for a
 * quarter of the span, or was not lately, for a sign that the network failed, and would not remove the silent one.
 *
 * <p>A link that stays silent is replaced. After an outage of some seconds, TCP waits about as long as the outage lasted before it
 * retransmits, in each direction and on each link separately. So for that time some peers would hear a machine that is back and others
 * would not. The link is not replaced after the first span, because a peer that was only paused answers on its old link.
 *
 * <p>Rejected: phi-accrual (Hayashibara et al. 2004), whose threshold has no meaning in seconds for a user; indirect
 * probing (SWIM), which in a full mesh of home size only hides a broken pair that the view change must know.
 */
public final class HealthMachine implements Machine<HealthState, HealthMachine.Event, HealthMachine.Effect> {
    private static final int WIDEST = 4;
    private static final int SPANS_TO_RENEW = 2;

    private final HealthConfig config;

    public HealthMachine(HealthConfig config) {
        this.config = config;
    }

    /** Events of the failure detector. */
    public sealed interface Event {
        /** A link to that start of a node is up. */
        record Linked(NodeId node, long incarnation) implements Event {}

        /** The link closed; a re-dial is under way. */
        record LinkLost(NodeId node, long incarnation) implements Event {}

        /** The re-dial was refused: no process listens there any more. */
        record RedialRefused(NodeId node) implements Event {}

        /** A frame arrived, on a control link or a data stream. */
        record Heard(NodeId node, long incarnation) implements Event {}

        /** A heartbeat arrived. */
        record HeartbeatHeard(NodeId node, long incarnation, Beat beat) implements Event {}

        /**
         * The members of this node's view, complete; their network decides on the span of silence.
         *
         * @param isTraining whether one of them is a trainer
         */
        record Members(SortedSet<NodeId> nodes, boolean isTraining) implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** Effects for the shell to carry out. */
    public sealed interface Effect {
        /** Send {@link Message.Heartbeat} with these numbers and the present {@link io.hearth.election.Presence}. */
        record SendHeartbeat(NodeId to, Beat beat) implements Effect {}

        /** Report to the view change that another span of silence is in force. */
        record SilenceChosen(Silence silence) implements Effect {}

        /** Report a suspicion to the view change. */
        record Suspected(NodeId node, long incarnation, String why) implements Effect {}

        /** Report to the view change, after {@link Suspected}, that the process ended, so the network did not fail. */
        record ProcessEnded(NodeId node, long incarnation) implements Effect {}

        /** Report to the view change that the node is heard again. */
        record Trusted(NodeId node, long incarnation) implements Effect {}

        /** Close the silent link and dial again. Emitted once; {@link Event.LinkLost} follows. */
        record Renew(NodeId node, String why) implements Effect {}

        /** For observers. */
        record Announce(HealthEvent event) implements Effect {}

        /** This node was asleep or paused while it watched peers; data from before is outdated. */
        record Awoke(long gapNanos) implements Effect {}
    }

    /** The state before the first peer. */
    public HealthState start(long nowNanos) {
        return new HealthState(
                new TreeMap<>(),
                nowNanos,
                Collections.emptySortedSet(),
                false,
                Silence.first(config.silenceNanos(), nowNanos));
    }

    @Override
    public Step<HealthState, Effect> step(HealthState state, Event event, long nowNanos) {
        var effects = new ArrayList<Effect>();
        SortedMap<NodeId, Watched> peers = state.peers();
        long gap = nowNanos - state.steppedNanos();
        if (gap > state.gapNanos(config) && !peers.isEmpty()) {
            peers = restarted(peers, nowNanos);
            effects.add(new Effect.Awoke(gap));
        } else {
            long late = gap - sleepNanos(state, state.steppedNanos());
            peers = late > config.heartbeatNanos() / 5 ? postponed(peers, late) : peers;
        }
        Silence silence = state.silence();
        SortedSet<NodeId> members = event instanceof Event.Members changed ? changed.nodes() : state.members();
        boolean isIdle = event instanceof Event.Members changed
                ? config.idle().isPresent() && !changed.isTraining()
                : state.isIdle();
        peers = switch (event) {
            case Event.Linked linked -> onLinked(peers, linked, silence, nowNanos, effects);
            case Event.LinkLost(NodeId node, long incarnation) ->
                onLinkLost(peers, node, incarnation, nowNanos, effects);
            case Event.RedialRefused(NodeId node) -> onRefused(peers, node, nowNanos, effects);
            case Event.Heard(NodeId node, long incarnation) -> onHeard(peers, node, incarnation, nowNanos, effects);
            case Event.HeartbeatHeard beat -> onBeat(state, peers, beat, !isIdle, nowNanos, effects);
            case Event.Members _ -> peers;
            case Event.Tick() -> onTick(state, peers, silence, nowNanos, effects);
        };
        Silence chosen = choosesSilence(event) ? chosen(peers, members, isIdle, silence, nowNanos) : silence;
        if (chosen.nanos() != silence.nanos()) {
            effects.add(new Effect.SilenceChosen(chosen));
        }
        if (isIdle != state.isIdle() || (isIdle && !members.equals(state.members()))) {
            peers = announced(peers, chosen, nowNanos, effects);
        }
        return new Step<>(new HealthState(peers, nowNanos, members, isIdle, chosen), effects);
    }

    /**
     * Tells all peers the new wish or the new view at once. With rare heartbeats they would otherwise expect them as before, and take this
     * node for one that lives in its former view.
     */
    private static SortedMap<NodeId, Watched> announced(
            SortedMap<NodeId, Watched> peers, Silence silence, long now, List<Effect> effects) {
        var told = new TreeMap<NodeId, Watched>();
        peers.forEach((node, peer) ->
                told.put(node, peer.link() instanceof Link.Up ? beat(node, peer, silence, now, effects) : peer));
        return told;
    }

    private static boolean choosesSilence(Event event) {
        return event instanceof Event.Tick || event instanceof Event.HeartbeatHeard || event instanceof Event.Members;
    }

    /** A suspected member has no say: what it wished is held for a while by those who measured the same. */
    private Silence chosen(
            SortedMap<NodeId, Watched> peers, SortedSet<NodeId> members, boolean isIdle, Silence before, long now) {
        long asked = config.silenceNanos();
        long others = 0;
        for (NodeId member : members) {
            Watched peer = peers.get(member);
            if (peer != null && !(peer.opinion() instanceof Opinion.Suspect)) {
                others = Math.max(others, peer.pulse().silenceNanos());
                asked = Math.max(asked, askedNanos(peer.pulse()));
            }
        }
        return before.next(
                asked,
                isIdle ? config.idle().map(HealthConfig.Idle::silenceNanos).orElse(0L) : 0,
                others,
                config.measured().map(HealthConfig.Measured::holdNanos).orElse(0L),
                now);
    }

    private long askedNanos(Pulse pulse) {
        return config.measured()
                .map(measured ->
                        pulse.roundTrips().preset(measured.samplesMin()).silenceNanos())
                .orElse(0L);
    }

    /** Short enough to notice a local pause, to send heartbeats and to judge peers in time. */
    @Override
    public long sleepNanos(HealthState state, long nowNanos) {
        long sleep = state.steppedNanos() + state.gapNanos(config) / 2 - nowNanos;
        for (Map.Entry<NodeId, Watched> peer : state.peers().entrySet()) {
            long interval = state.intervalNanos(peer.getKey(), config);
            sleep = Math.min(sleep, untilDue(peer.getValue(), interval, state.silence(), nowNanos));
        }
        return Math.max(0, sleep);
    }

    private long untilDue(Watched peer, long intervalNanos, Silence silence, long now) {
        long due = Long.MAX_VALUE;
        if (peer.link() instanceof Link.Lost lost && !(peer.opinion() instanceof Opinion.Suspect)) {
            due = lost.sinceNanos() + config.redialNanos() - now;
        }
        if (peer.link() instanceof Link.Up) {
            due = peer.beatNanos() + intervalNanos - now;
        }
        return switch (peer.opinion()) {
            case Opinion.Unheard(), Opinion.Alive() ->
                Math.min(due, peer.heardNanos() + silenceNanos(peer, silence) / 2 - now);
            case Opinion.Doubted _ -> Math.min(due, peer.heardNanos() + silenceNanos(peer, silence) - now);
            case Opinion.Suspect _ ->
                isUnrenewed(peer) ? Math.min(due, peer.heardNanos() + renewNanos(peer, silence) - now) : due;
        };
    }

    /** A peer is not expected more often than it says, also if it is no member, or not yet. */
    private long silenceNanos(Watched peer, Silence silence) {
        double widening = 1 + (double) peer.pulse().jitterNanos() / config.heartbeatNanos();
        long span = Math.max(silence.nanos(), Silence.granted(peer.pulse().silenceNanos()));
        return (long) (span * Math.min(WIDEST, widening));
    }

    private long renewNanos(Watched peer, Silence silence) {
        return SPANS_TO_RENEW * silenceNanos(peer, silence);
    }

    private static boolean isUnrenewed(Watched peer) {
        return peer.link() instanceof Link.Up up && !up.givenUp();
    }

    /** A step came late: this node was paused, so silence during that time proves nothing. */
    private static SortedMap<NodeId, Watched> postponed(SortedMap<NodeId, Watched> peers, long lateNanos) {
        var later = new TreeMap<NodeId, Watched>();
        peers.forEach((node, peer) -> {
            Link link = peer.link() instanceof Link.Lost lost
                    ? new Link.Lost(lost.sinceNanos() + lateNanos, lost.refused())
                    : peer.link();
            later.put(node, peer.heard(peer.heardNanos() + lateNanos).link(link));
        });
        return later;
    }

    private SortedMap<NodeId, Watched> restarted(SortedMap<NodeId, Watched> peers, long now) {
        var fresh = new TreeMap<NodeId, Watched>();
        peers.forEach((node, peer) -> {
            Link link = peer.link() instanceof Link.Lost lost ? new Link.Lost(now, lost.refused()) : peer.link();
            fresh.put(node, peer.heard(now).link(link).pulse(peer.pulse().restarted()));
        });
        return fresh;
    }

    private SortedMap<NodeId, Watched> onLinked(
            SortedMap<NodeId, Watched> peers, Event.Linked linked, Silence silence, long now, List<Effect> effects) {
        Watched known = peers.get(linked.node());
        if (known != null && known.incarnation() > linked.incarnation()) {
            return peers;
        }
        if (known != null && known.incarnation() == linked.incarnation()) {
            Watched up = alive(linked.node(), known.link(new Link.Up(false)), now, effects);
            return with(peers, linked.node(), beat(linked.node(), up, silence, now, effects));
        }
        SortedMap<NodeId, Watched> others = peers.size() >= config.peersMax() ? withRoom(peers, effects) : peers;
        if (known == null && others.size() >= config.peersMax()) {
            return others;
        }
        long since = known == null ? now : known.watchedNanos();
        long suspect =
                known == null ? 0 : known.opinion(new Opinion.Unheard(), now).suspectNanos();
        var fresh = new Watched(
                linked.incarnation(),
                new Link.Up(false),
                new Opinion.Unheard(),
                now,
                now,
                since,
                suspect,
                Pulse.none());
        return with(others, linked.node(), beat(linked.node(), fresh, silence, now, effects));
    }

    private static SortedMap<NodeId, Watched> withRoom(SortedMap<NodeId, Watched> peers, List<Effect> effects) {
        Optional<NodeId> lost = peers.entrySet().stream()
                .filter(entry -> entry.getValue().opinion() instanceof Opinion.Suspect)
                .map(Map.Entry::getKey)
                .findFirst();
        if (lost.isEmpty()) {
            return peers;
        }
        effects.add(new Effect.Announce(new HealthEvent.Removed(lost.get())));
        var fewer = new TreeMap<>(peers);
        fewer.remove(lost.get());
        return fewer;
    }

    private SortedMap<NodeId, Watched> onLinkLost(
            SortedMap<NodeId, Watched> peers, NodeId node, long incarnation, long now, List<Effect> effects) {
        Watched peer = peers.get(node);
        if (peer == null || peer.incarnation() != incarnation || !(peer.link() instanceof Link.Up)) {
            return peers;
        }
        Watched lost = peer.link(new Link.Lost(now, false));
        return with(peers, node, doubted(node, lost, "its link closed", now, effects));
    }

    private SortedMap<NodeId, Watched> onRefused(
            SortedMap<NodeId, Watched> peers, NodeId node, long now, List<Effect> effects) {
        Watched peer = peers.get(node);
        if (peer == null || !(peer.link() instanceof Link.Lost lost) || lost.refused()) {
            return peers;
        }
        Watched refused = peer.link(new Link.Lost(lost.sinceNanos(), true));
        Watched suspect = suspect(node, refused, "its link closed and re-dialling was refused", now, effects);
        effects.add(new Effect.ProcessEnded(node, peer.incarnation()));
        return with(peers, node, suspect);
    }

    private SortedMap<NodeId, Watched> onHeard(
            SortedMap<NodeId, Watched> peers, NodeId node, long incarnation, long now, List<Effect> effects) {
        Watched peer = peers.get(node);
        if (peer == null || peer.incarnation() != incarnation || peer.link() instanceof Link.Lost) {
            return peers; // frames of a closed link prove nothing about the present
        }
        return with(peers, node, alive(node, peer, now, effects));
    }

    /**
     * Takes a heartbeat. A rare one is answered at once, so that the answer carries TCP's acknowledgement and three packets travel in place
     * of four; and the next own heartbeat is due later, so that the other end begins again.
     */
    private SortedMap<NodeId, Watched> onBeat(
            HealthState before,
            SortedMap<NodeId, Watched> peers,
            Event.HeartbeatHeard beat,
            boolean schedule,
            long now,
            List<Effect> effects) {
        SortedMap<NodeId, Watched> heard = onHeard(peers, beat.node(), beat.incarnation(), now, effects);
        Watched peer = heard.get(beat.node());
        if (peer == null || peer.incarnation() != beat.incarnation() || peer.link() instanceof Link.Lost) {
            return heard;
        }
        Pulse pulse = peer.pulse().heard(beat.beat(), config.heartbeatNanos(), schedule, spanNanos(), now);
        Watched known = peer.pulse(pulse);
        long intervalNanos = before.intervalNanos(beat.node(), config);
        boolean isAnswered = intervalNanos > config.heartbeatNanos() && now - peer.beatNanos() >= intervalNanos / 2;
        return with(
                heard,
                beat.node(),
                isAnswered
                        ? beat(beat.node(), known, before.silence(), now, effects)
                                .postponed(intervalNanos / 4)
                        : known);
    }

    private long spanNanos() {
        return config.measured().orElse(HealthConfig.Measured.DEFAULT).holdNanos();
    }

    private SortedMap<NodeId, Watched> onTick(
            HealthState before, SortedMap<NodeId, Watched> peers, Silence silence, long now, List<Effect> effects) {
        var next = new TreeMap<NodeId, Watched>();
        peers.forEach((node, peer) -> {
            Watched judged = judged(node, peer, silence, now, effects);
            if (judged.opinion() instanceof Opinion.Suspect suspect
                    && judged.link() instanceof Link.Lost
                    && now - suspect.sinceNanos() >= config.forgetNanos()) {
                effects.add(new Effect.Announce(new HealthEvent.Removed(node)));
                return;
            }
            boolean isBeatDue =
                    judged.link() instanceof Link.Up && now - judged.beatNanos() >= before.intervalNanos(node, config);
            next.put(node, isBeatDue ? beat(node, judged, silence, now, effects) : judged);
        });
        return next;
    }

    private Watched judged(NodeId node, Watched peer, Silence silence, long now, List<Effect> effects) {
        if (peer.link() instanceof Link.Lost lost) {
            return now - lost.sinceNanos() >= config.redialNanos()
                    ? suspect(node, peer, "its link closed and is not back", now, effects)
                    : peer;
        }
        long silent = now - peer.heardNanos();
        if (silent >= renewNanos(peer, silence) && isUnrenewed(peer)) {
            Watched suspect = suspect(node, peer, silentFor(silent), now, effects);
            effects.add(new Effect.Renew(node, silentFor(silent)));
            return suspect.link(new Link.Up(true));
        }
        if (silent >= silenceNanos(peer, silence)) {
            return suspect(node, peer, silentFor(silent), now, effects);
        }
        return silent >= silenceNanos(peer, silence) / 2 ? doubted(node, peer, silentFor(silent), now, effects) : peer;
    }

    private static String silentFor(long nanos) {
        return "silent for " + nanos / 1_000_000 + " ms";
    }

    private static Watched beat(NodeId node, Watched peer, Silence silence, long now, List<Effect> effects) {
        Watched sent = peer.beat(now);
        long echo = sent.pulse().heardSequence();
        long held = echo == 0 ? 0 : Math.clamp(now - sent.pulse().heardNanos(), 0, ViewRules.NUMBER_MAX);
        effects.add(new Effect.SendHeartbeat(node, new Beat(sent.pulse().sequence(), echo, held, silence.wishNanos())));
        return sent;
    }

    private static Watched alive(NodeId node, Watched peer, long now, List<Effect> effects) {
        Watched heard =
                peer.link() instanceof Link.Up ? peer.link(new Link.Up(false)).heard(now) : peer.heard(now);
        if (peer.opinion() instanceof Opinion.Alive) {
            return heard;
        }
        if (peer.opinion() instanceof Opinion.Suspect) {
            effects.add(new Effect.Trusted(node, peer.incarnation()));
        }
        effects.add(new Effect.Announce(new HealthEvent.BecameHealthy(node)));
        return heard.opinion(new Opinion.Alive(), now);
    }

    private static Watched doubted(NodeId node, Watched peer, String why, long now, List<Effect> effects) {
        if (!(peer.opinion() instanceof Opinion.Alive) && !(peer.opinion() instanceof Opinion.Unheard)) {
            return peer;
        }
        effects.add(new Effect.Announce(new HealthEvent.BecameDegraded(node, why)));
        return peer.opinion(new Opinion.Doubted(why), now);
    }

    private static Watched suspect(NodeId node, Watched peer, String why, long now, List<Effect> effects) {
        if (peer.opinion() instanceof Opinion.Suspect) {
            return peer;
        }
        effects.add(new Effect.Suspected(node, peer.incarnation(), why));
        effects.add(new Effect.Announce(new HealthEvent.BecameUnhealthy(node, why)));
        return peer.opinion(new Opinion.Suspect(now, why), now);
    }

    private static SortedMap<NodeId, Watched> with(SortedMap<NodeId, Watched> peers, NodeId node, Watched peer) {
        var more = new TreeMap<>(peers);
        more.put(node, peer);
        return more;
    }
}
