package io.hearth.election.health;

import io.hearth.identity.NodeId;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * The state of {@link HealthMachine}; immutable.
 *
 * @param peers the watched peers
 * @param steppedNanos instant of the last step
 * @param members of this node's view
 * @param isIdle whether the spans of {@link HealthConfig.Idle} apply among them
 * @param silence the span after which a peer is suspected
 */
public record HealthState(
        SortedMap<NodeId, Watched> peers,
        long steppedNanos,
        SortedSet<NodeId> members,
        boolean isIdle,
        Silence silence) {
    /** The link to a peer. */
    sealed interface Link {
        /** {@code givenUp} from the request to close it until a frame arrives or it closes. */
        record Up(boolean givenUp) implements Link {}

        record Lost(long sinceNanos, boolean refused) implements Link {}
    }

    /** Whether a peer is suspected. */
    sealed interface Opinion {
        record Unheard() implements Opinion {}

        record Alive() implements Opinion {}

        record Doubted(String why) implements Opinion {}

        record Suspect(long sinceNanos, String why) implements Opinion {}
    }

    /**
     * One peer.
     *
     * @param incarnation the start of the peer
     * @param heardNanos its last frame, or when its link came up
     * @param beatNanos time of the last heartbeat sent to it, or later: the next one is due an interval after it
     * @param watchedNanos time since when it is watched
     * @param suspectNanos total time of its earlier suspicions
     */
    record Watched(
            long incarnation,
            Link link,
            Opinion opinion,
            long heardNanos,
            long beatNanos,
            long watchedNanos,
            long suspectNanos,
            Pulse pulse) {
        Watched link(Link other) {
            return new Watched(incarnation, other, opinion, heardNanos, beatNanos, watchedNanos, suspectNanos, pulse);
        }

        Watched opinion(Opinion other, long now) {
            long ended = opinion instanceof Opinion.Suspect suspect && !(other instanceof Opinion.Suspect)
                    ? now - suspect.sinceNanos()
                    : 0;
            return new Watched(
                    incarnation, link, other, heardNanos, beatNanos, watchedNanos, suspectNanos + ended, pulse);
        }

        Watched heard(long now) {
            return new Watched(incarnation, link, opinion, now, beatNanos, watchedNanos, suspectNanos, pulse);
        }

        Watched beat(long now) {
            return new Watched(
                    incarnation, link, opinion, heardNanos, now, watchedNanos, suspectNanos, pulse.sent(now));
        }

        /** The next heartbeat is due later. */
        Watched postponed(long nanos) {
            return new Watched(
                    incarnation, link, opinion, heardNanos, beatNanos + nanos, watchedNanos, suspectNanos, pulse);
        }

        Watched pulse(Pulse other) {
            return new Watched(incarnation, link, opinion, heardNanos, beatNanos, watchedNanos, suspectNanos, other);
        }

        HealthStatus status() {
            return switch (opinion) {
                case Opinion.Unheard() -> HealthStatus.UNKNOWN;
                case Opinion.Alive() -> HealthStatus.HEALTHY;
                case Opinion.Doubted _ -> HealthStatus.DEGRADED;
                case Opinion.Suspect _ -> HealthStatus.UNHEALTHY;
            };
        }
    }

    /** Time between heartbeats to a peer. While a member is silent they are not rare: a ballot needs to know who is there. */
    long intervalNanos(NodeId peer, HealthConfig config) {
        return isIdle && members.contains(peer) && !isAMemberSilent()
                ? config.idle().map(HealthConfig.Idle::heartbeatNanos).orElse(config.heartbeatNanos())
                : config.heartbeatNanos();
    }

    private boolean isAMemberSilent() {
        return peers.entrySet().stream()
                .filter(peer -> members.contains(peer.getKey()))
                .map(peer -> peer.getValue().opinion())
                .anyMatch(opinion -> opinion instanceof Opinion.Doubted || opinion instanceof Opinion.Suspect);
    }

    /** A local pause longer than this restarts all timers. */
    long gapNanos(HealthConfig config) {
        boolean isSlow = isIdle && members.containsAll(peers.keySet());
        return isSlow ? config.idle().map(HealthConfig.Idle::gapNanos).orElse(config.gapNanos()) : config.gapNanos();
    }

    /** The measurements of a peer, as of {@code nowNanos}. */
    public Optional<PeerHealth> peer(NodeId node, HealthConfig config, long nowNanos) {
        return Optional.ofNullable(peers.get(node)).map(peer -> {
            long silent = Math.max(0, nowNanos - peer.heardNanos());
            boolean refused = peer.link() instanceof Link.Lost lost && lost.refused();
            long suspect = peer.suspectNanos()
                    + (peer.opinion() instanceof Opinion.Suspect since ? nowNanos - since.sinceNanos() : 0);
            long watched = Math.max(1, nowNanos - peer.watchedNanos());
            return new PeerHealth(
                    peer.status(),
                    peer.incarnation(),
                    silent,
                    silent / intervalNanos(node, config) + (refused ? 1 : 0),
                    peer.pulse().lastRttNanos(),
                    peer.pulse().meanRttNanos(),
                    peer.pulse().jitterNanos(),
                    Math.clamp(1 - (double) suspect / watched, 0, 1));
        });
    }

    /** The number of peers by status. */
    public HealthSummary summary() {
        return new HealthSummary(
                peers.size(),
                count(HealthStatus.HEALTHY),
                count(HealthStatus.DEGRADED),
                count(HealthStatus.UNHEALTHY),
                count(HealthStatus.UNKNOWN));
    }

    private int count(HealthStatus status) {
        return (int)
                peers.values().stream().filter(peer -> peer.status() == status).count();
    }
}
