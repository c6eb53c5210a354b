package io.hearth.election.view.entry;

import io.hearth.election.Lineage;
import io.hearth.election.Presence;
import io.hearth.election.ViewRules;
import io.hearth.election.view.opinion.MemberStatus;
import io.hearth.election.view.state.Peer;
import io.hearth.election.view.step.Transition;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whether this node has heard of a lineage that is better than its own, and which nodes live there. */
public final class BetterLineage {
    private BetterLineage() {}

    /** A lineage as its nodes describe it. */
    public record Candidate(Lineage lineage, int memberCount) {
        boolean isBetterThan(Candidate other) {
            if (lineage.continued() != other.lineage.continued()) {
                return other.lineage.continued();
            }
            if (memberCount != other.memberCount) {
                return memberCount > other.memberCount;
            }
            return lineage.compareTo(other.lineage) < 0;
        }
    }

    /** Why the master should end this lineage of several for a better one; empty if it should not. */
    public static Optional<String> dissolution(Transition transition) {
        boolean isMaster = transition.isSelf(transition.view().members().getFirst());
        if (transition.current.isLone()
                || !isMaster
                || transition.now - transition.admission.dissolveNotBeforeNanos() < 0) {
            return Optional.empty();
        }
        return best(transition)
                .filter(_ -> ViewRules.groupNames(transition.view()).stream()
                        .allMatch(group -> MemberStatus.busy(transition, group).isEmpty()))
                .map(target -> "lineage " + target.lineage().shortText() + " is better");
    }

    /** Whether this lineage should end for a better one as soon as its groups let it. */
    static boolean isDrawn(Transition transition) {
        return best(transition).isPresent();
    }

    /** The best known lineage, if it is better than this node's own. */
    public static Optional<Candidate> best(Transition transition) {
        var best = new Candidate(
                transition.current.lineage(), transition.view().members().size());
        for (Map.Entry<NodeId, Peer> known : transition.peers().entrySet()) {
            Peer peer = known.getValue();
            if (!transition.hasNoVote(known.getKey().peer())
                    && !peer.livesIn(transition.current.lineage())
                    && isDwelling(transition, peer)
                    && (transition.current.isLone() || isSettled(transition, peer))) {
                Presence presence = peer.presence().orElseThrow();
                if (isStale(transition, peer, presence)) {
                    continue;
                }
                var heard = new Candidate(presence.lineage(), presence.memberCount());
                if (heard.isBetterThan(best)) {
                    best = heard;
                }
            }
        }
        return best.lineage().equals(transition.current.lineage()) ? Optional.empty() : Optional.of(best);
    }

    /** Whether a node was heard lately and is neither suspected nor stalled nor leaving. */
    private static boolean isDwelling(Transition transition, Peer peer) {
        return peer.linked()
                && !peer.suspected()
                && !peer.leaving()
                && peer.presence().filter(presence -> !presence.stalled()).isPresent()
                && transition.now - peer.heardNanos()
                        <= transition.config.joining().freshNanos();
    }

    /** Whether a node's claim counts. A node that just came back may live in a lineage that is over, which it learns from the first answers. */
    private static boolean isSettled(Transition transition, Peer peer) {
        long since = Math.max(peer.linkSinceNanos(), peer.awakeNanos());
        return transition.now - since >= transition.config.joining().freshNanos();
    }

    /** Whether a node's claim is outdated, as that of a node that just woke: this node knows a successor of its view. */
    private static boolean isStale(Transition transition, Peer peer, Presence presence) {
        return transition
                .known(presence.lineage())
                .filter(known -> peer.heardNanos() - known.learnedNanos() > 0
                        && known.view()
                                .filter(newest -> newest.epoch() > presence.epoch())
                                .isPresent())
                .isPresent();
    }

    public static List<NodeId> dwellers(Transition transition, Lineage lineage) {
        var nodes = new ArrayList<NodeId>();
        transition.peers().forEach((node, peer) -> {
            if (isDwelling(transition, peer) && peer.livesIn(lineage)) {
                nodes.add(node);
            }
        });
        return nodes;
    }
}
