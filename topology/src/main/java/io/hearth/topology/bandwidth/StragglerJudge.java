package io.hearth.topology.bandwidth;

import io.hearth.identity.NodeId;
import io.hearth.topology.Straggler;
import io.hearth.topology.Straggler.Cause;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Names the peer for which this node's collectives wait, if there is evidence of a cause. Time alone is no evidence: around a ring each node
 * waits for the one before it, whoever is slow.
 *
 * <table>
 * <caption>causes, the first that holds</caption>
 * <tr><td>ASLEEP</td><td>nothing arrives from any peer, and this one does not answer</td></tr>
 * <tr><td>LINK</td><td>most waiting is for bytes under way from it, and its link has at most half the rate of the others in the middle</td></tr>
 * <tr><td>COMPRESSION</td><td>most waiting is for a peer that has sent nothing, and its codecs take half of its time and twice that of the
 * others</td></tr>
 * <tr><td>CPU</td><td>most waiting is for a peer that has sent nothing, and its load is above 100 % and twice that of the others</td></tr>
 * </table>
 *
 * <p>A verdict needs two seconds, of which a third was spent waiting. It is given when three in a row agree, and withdrawn when three in a row
 * disagree. Confined to one thread.
 */
public final class StragglerJudge {
    static final long SPAN_NANOS = 2_000_000_000L;
    static final int AGREE = 3;

    private static final int LOAD_MIN = 100;
    private static final int CODEC_MIN = 50;

    private final SortedMap<NodeId, Flow> open = new TreeMap<>();
    private long spentNanos;
    private Optional<Straggler> named = Optional.empty();
    private Optional<Straggler> next = Optional.empty();
    private int inRow;

    /**
     * What is known of a peer.
     *
     * @param flow what arrived since the last look
     * @param bytesPerSecond rate of its link to this node; 0 if not known
     * @param loadPercent of its processors; below 0 if not known
     * @param codecPercent share of its time that it encodes and decodes
     * @param answers whether its heartbeats arrive
     */
    public record Peer(Flow flow, long bytesPerSecond, int loadPercent, int codecPercent, boolean answers) {}

    /**
     * Takes what happened since the last look, during collectives only.
     *
     * @param peers the members of the group without this node
     * @param elapsedNanos time since the last look
     * @return the straggler of now, if there is one
     */
    public Optional<Straggler> look(Map<NodeId, Peer> peers, long elapsedNanos) {
        peers.forEach((node, peer) -> open.merge(node, peer.flow, Flow::plus));
        open.keySet().retainAll(peers.keySet());
        spentNanos += elapsedNanos;
        if (spentNanos >= SPAN_NANOS) {
            count(verdict(peers));
            open.clear();
            spentNanos = 0;
        }
        return named;
    }

    private void count(Optional<Straggler> verdict) {
        if (areAlike(verdict, named)) {
            named = verdict;
            inRow = 0;
            return;
        }
        inRow = areAlike(verdict, next) ? inRow + 1 : 1;
        next = verdict;
        if (inRow >= AGREE) {
            named = verdict;
            inRow = 0;
        }
    }

    private static boolean areAlike(Optional<Straggler> one, Optional<Straggler> other) {
        return one.isPresent() == other.isPresent()
                && (one.isEmpty() || one.get().isLike(other.orElseThrow()));
    }

    private Optional<Straggler> verdict(Map<NodeId, Peer> peers) {
        Flow all = open.values().stream().reduce(Flow.NONE, Flow::plus);
        if (all.bytes() == 0) {
            return new TreeMap<>(peers)
                    .entrySet().stream()
                            .filter(peer -> !peer.getValue().answers)
                            .findFirst()
                            .map(peer -> new Straggler(peer.getKey(), Cause.ASLEEP, 0, 0));
        }
        long waited = all.wireNanos() + all.silentNanos();
        if (waited < spentNanos / 3) {
            return Optional.empty();
        }
        for (var entry : open.entrySet()) {
            Peer peer = peers.get(entry.getKey());
            if (peer != null && entry.getValue().wireNanos() > waited / 2) {
                return slowLink(entry.getKey(), peer, peers);
            }
            if (peer != null && entry.getValue().silentNanos() > waited / 2) {
                return encoding(entry.getKey(), peer, peers).or(() -> busy(entry.getKey(), peer, peers));
            }
        }
        return Optional.empty();
    }

    private static Optional<Straggler> slowLink(NodeId node, Peer peer, Map<NodeId, Peer> peers) {
        long usual = middle(others(node, peers)
                .map(Peer::bytesPerSecond)
                .filter(rate -> rate > 0)
                .toList());
        boolean isSlow = peer.bytesPerSecond > 0 && peer.bytesPerSecond <= usual / 2;
        return isSlow ? Optional.of(new Straggler(node, Cause.LINK, peer.bytesPerSecond, usual)) : Optional.empty();
    }

    private static Optional<Straggler> encoding(NodeId node, Peer peer, Map<NodeId, Peer> peers) {
        long usual = middle(
                others(node, peers).map(other -> (long) other.codecPercent).toList());
        boolean isLong = peer.codecPercent >= CODEC_MIN && peer.codecPercent >= 2 * usual;
        return isLong
                ? Optional.of(new Straggler(node, Cause.COMPRESSION, peer.codecPercent, usual))
                : Optional.empty();
    }

    private static Optional<Straggler> busy(NodeId node, Peer peer, Map<NodeId, Peer> peers) {
        List<Long> loads = others(node, peers)
                .map(other -> (long) other.loadPercent)
                .filter(load -> load >= 0)
                .toList();
        long usual = middle(loads);
        boolean isBusy = !loads.isEmpty() && peer.loadPercent > LOAD_MIN && peer.loadPercent >= 2 * usual;
        return isBusy ? Optional.of(new Straggler(node, Cause.CPU, peer.loadPercent, usual)) : Optional.empty();
    }

    private static Stream<Peer> others(NodeId node, Map<NodeId, Peer> peers) {
        return peers.entrySet().stream()
                .filter(other -> !other.getKey().equals(node))
                .map(Map.Entry::getValue);
    }

    /** The value in the middle; 0 if there is none. */
    private static long middle(List<Long> values) {
        return values.isEmpty() ? 0 : values.stream().sorted().toList().get((values.size() - 1) / 2);
    }
}
