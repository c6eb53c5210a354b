package io.hearth.election.view.state;

import io.hearth.election.Lineage;
import io.hearth.election.Presence;
import io.hearth.identity.NodeId;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The view change's knowledge of another node.
 *
 * @param incarnation newest start seen; messages of older ones are dropped
 * @param linked whether a link is up
 * @param linkSinceNanos time since when it is so
 * @param suspicion the failure detector's opinion
 * @param suspectedNanos time since when
 * @param leaving whether it asked to leave
 * @param reports its statements about itself
 * @param abandonments of ballots that it began
 */
public record Peer(
        long incarnation,
        boolean linked,
        long linkSinceNanos,
        Suspicion suspicion,
        long suspectedNanos,
        boolean leaving,
        Reports reports,
        Abandonments abandonments) {
    /**
     * Statements of a node about itself.
     *
     * @param presence its last presence
     * @param heardNanos time of its last presence
     * @param awakeNanos time since when it has sent frames regularly, without a pause
     * @param residentNanos time since when it reports that lineage
     * @param brokenSince nodes that it reports as unreachable, with the time of the first report
     */
    public record Reports(
            Optional<Presence> presence,
            long heardNanos,
            long awakeNanos,
            long residentNanos,
            SortedMap<NodeId, Long> brokenSince) {
        private Reports more(Presence now, long nowNanos, long gapNanos) {
            boolean stayed = presence.isPresent() && presence.get().lineage().equals(now.lineage());
            SortedMap<NodeId, Long> broken = brokenSince;
            if (!now.broken().isEmpty() || !broken.isEmpty()) {
                broken = new TreeMap<>();
                for (NodeId node : now.broken()) {
                    broken.put(node, brokenSince.getOrDefault(node, nowNanos));
                }
            }
            return new Reports(
                    Optional.of(now),
                    nowNanos,
                    nowNanos - heardNanos > gapNanos ? nowNanos : awakeNanos,
                    stayed ? residentNanos : nowNanos,
                    broken);
        }
    }

    public static Peer fresh(long incarnation, long now) {
        var none = new Reports(Optional.empty(), now, now, now, new TreeMap<>());
        return new Peer(incarnation, true, now, Suspicion.NONE, now, false, none, Abandonments.NONE);
    }

    public Peer linked(boolean up, long now) {
        return new Peer(incarnation, up, now, suspicion, suspectedNanos, leaving, reports, abandonments);
    }

    public boolean suspected() {
        return suspicion != Suspicion.NONE;
    }

    public Peer suspected(Suspicion doubt, long now) {
        return new Peer(incarnation, linked, linkSinceNanos, doubt, now, leaving, reports, abandonments);
    }

    /**
     * Any frame ends a suspicion, however long the peer was away, except a late frame of a closed link: the process may have ended.
     */
    public Peer heard(long now) {
        return linked && suspected() ? suspected(Suspicion.NONE, now) : this;
    }

    public Peer asksToLeave(boolean asks) {
        return new Peer(incarnation, linked, linkSinceNanos, suspicion, suspectedNanos, asks, reports, abandonments);
    }

    /** It froze the others for a ballot and did not continue it. */
    public Peer abandons(long now) {
        return new Peer(
                incarnation,
                linked,
                linkSinceNanos,
                suspicion,
                suspectedNanos,
                leaving,
                reports,
                abandonments.more(now));
    }

    /** {@code gapNanos}: a peer that is silent for longer was paused. */
    public Peer says(Presence now, long nowNanos, long gapNanos) {
        Reports more = reports.more(now, nowNanos, gapNanos);
        return new Peer(incarnation, linked, linkSinceNanos, suspicion, suspectedNanos, leaving, more, abandonments);
    }

    public Optional<Presence> presence() {
        return reports.presence();
    }

    public long heardNanos() {
        return reports.heardNanos();
    }

    public long awakeNanos() {
        return reports.awakeNanos();
    }

    public boolean livesIn(Lineage lineage) {
        return presence().isPresent() && presence().get().lineage().equals(lineage);
    }
}
