package io.hearth.agent.peers;

import io.hearth.agent.loop.MachineDriver;
import io.hearth.agent.loop.NodeEvent;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.core.Clock;
import io.hearth.election.Message;
import io.hearth.election.health.HealthConfig;
import io.hearth.election.health.HealthEvent;
import io.hearth.election.health.HealthMachine;
import io.hearth.election.health.HealthMachine.Effect;
import io.hearth.election.health.HealthMachine.Event;
import io.hearth.election.health.HealthState;
import io.hearth.election.health.PeerHealth;
import io.hearth.election.health.Silence;
import io.hearth.identity.NodeId;
import io.hearth.transport.DialFailure;
import io.hearth.transport.LinkInfo;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out the effects of the failure detector: sends heartbeats, and passes opinions to the view change. Owner thread only. */
public final class PeerWatch {
    private static final Logger LOG = LoggerFactory.getLogger(PeerWatch.class);

    private final HealthConfig config;
    private final Clock clock;
    private final Outcome outcome;
    private final MachineDriver<HealthState, Event, Effect> health;
    private final Map<NodeId, Long> incarnations = new HashMap<>(); // of linked peers
    private final Map<NodeId, InetSocketAddress> listening = new HashMap<>(); // addresses at which watched peers listen

    /** Receives the opinions and measurements. */
    public interface Outcome {
        void heartbeat(Effect.SendHeartbeat heartbeat);

        void suspected(Effect.Suspected suspected);

        void processEnded(Effect.ProcessEnded ended);

        void trusted(Effect.Trusted trusted);

        void renew(Effect.Renew renew);

        void silenceChosen(Silence silence);

        /** A linked node was not heard for half a span of silence: another way to it may work. */
        void silent(NodeId node);

        /** A node is heard, for the first time or again. */
        void heard(NodeId node);
    }

    public PeerWatch(HealthConfig config, Clock clock, Outcome outcome) {
        this.config = config;
        this.clock = clock;
        this.outcome = outcome;
        var machine = new HealthMachine(config);
        this.health =
                new MachineDriver<>(machine, machine.start(clock.nanoTime()), new Event.Tick(), clock, this::carryOut);
    }

    public MachineDriver<HealthState, Event, Effect> driver() {
        return health;
    }

    public void admitted(LinkInfo link) {
        NodeId node = link.peer().id();
        incarnations.put(node, link.peer().incarnation());
        health.step(new Event.Linked(node, link.peer().incarnation()));
        if (!link.relayed() && health.state().peers().containsKey(node)) {
            listening.put(node, link.listens());
        }
    }

    /** Returns the incarnation whose link ended; empty if none was known. */
    public Optional<Long> lost(NodeId node) {
        Optional<Long> incarnation = Optional.ofNullable(incarnations.remove(node));
        incarnation.ifPresent(start -> health.step(new Event.LinkLost(node, start)));
        return incarnation;
    }

    /** Handles a failed dial. If no process listens at a lost peer's address, the peer is gone, and there is no reason to wait. */
    public void dialFailed(NodeEvent.DialFailed failed) {
        if (failed.failure() == DialFailure.REFUSED) {
            Map.copyOf(listening).forEach((node, address) -> {
                if (address.equals(failed.address())) {
                    health.step(new Event.RedialRefused(node));
                }
            });
        }
    }

    public void heard(NodeId node, long incarnation, Optional<Message.Heartbeat> heartbeat) {
        health.step(
                heartbeat.isPresent()
                        ? new Event.HeartbeatHeard(
                                node, incarnation, heartbeat.get().beat())
                        : new Event.Heard(node, incarnation));
    }

    /** The members of this node's view, and whether one of them is a trainer. */
    public void members(Set<NodeId> members, boolean isTraining) {
        health.step(new Event.Members(new TreeSet<>(members), isTraining));
    }

    /** Whether nobody trains, so that peers are looked at rarely. */
    public boolean isIdle() {
        return health.state().isIdle();
    }

    public boolean isLinked(NodeId node) {
        return incarnations.containsKey(node);
    }

    public Optional<PeerHealth> peer(NodeId node) {
        return health.state().peer(node, config, clock.nanoTime());
    }

    /** The span after which a silent peer is suspected now, and its origin. */
    public ClusterStatus.SilenceSpan silence() {
        Silence silence = health.state().silence();
        return new ClusterStatus.SilenceSpan(silence.nanos(), silence.origin(config.silenceNanos()));
    }

    private void announce(HealthEvent event) {
        switch (event) {
            case HealthEvent.BecameDegraded(NodeId node, String _) -> {
                if (isLinked(node)) { // else it is being dialled already
                    outcome.silent(node);
                }
            }
            case HealthEvent.BecameHealthy(NodeId node) -> outcome.heard(node);
            case HealthEvent.BecameUnhealthy _ -> {}
            case HealthEvent.Removed(NodeId node) -> listening.remove(node);
        }
    }

    private void carryOut(Effect effect) {
        switch (effect) {
            case Effect.SendHeartbeat heartbeat -> outcome.heartbeat(heartbeat);
            case Effect.Suspected suspected -> outcome.suspected(suspected);
            case Effect.ProcessEnded ended -> outcome.processEnded(ended);
            case Effect.Trusted trusted -> {
                LOG.info("peer={} is heard again", trusted.node().shortText());
                outcome.trusted(trusted);
            }
            case Effect.Renew renew -> outcome.renew(renew);
            case Effect.SilenceChosen(Silence silence) -> {
                LOG.info("peers are suspected after {}", silence().text());
                outcome.silenceChosen(silence);
            }
            case Effect.Announce(HealthEvent event) -> {
                LOG.debug("{}", event);
                announce(event);
            }
            case Effect.Awoke awoke -> {
                LOG.info(
                        "this machine slept or was paused for {} ms: the failure detector ignores that time",
                        awoke.gapNanos() / 1_000_000);
            }
        }
    }
}
