package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.Map;
import java.util.Optional;

/** Keeps the table of peers: links, suspicions and what heartbeats say; repairs lost commits on the way. */
final class Acquaintance {
    private Acquaintance() {}

    /**
     * Notes that this start of a node is there.
     *
     * @return false if a newer start was seen or the table is full: then the message counts for nothing
     */
    static boolean meet(Turn turn, NodeId node, long incarnation) {
        Optional<Peer> known = turn.peer(node);
        if (node.equals(turn.self.node()) || !ViewRules.isNumber(incarnation)) {
            turn.refuse(Refusal.OLD_INCARNATION);
            return false;
        }
        if (known.isPresent() && known.get().incarnation() > incarnation) {
            turn.refuse(Refusal.OLD_INCARNATION);
            return false;
        }
        if (known.isPresent() && known.get().incarnation() == incarnation) {
            return true;
        }
        if (known.isEmpty() && turn.peers().size() >= Turn.PEERS_MAX && !makeRoom(turn)) {
            turn.refuse(Refusal.TOO_MANY_PEERS);
            return false;
        }
        turn.peer(node, Peer.fresh(incarnation, turn.now));
        return true;
    }

    private static boolean makeRoom(Turn turn) {
        Optional<NodeId> stranger = turn.peers().entrySet().stream()
                .filter(entry -> !entry.getValue().linked()
                        && turn.view().member(entry.getKey()).isEmpty())
                .map(Map.Entry::getKey)
                .findFirst();
        stranger.ifPresent(turn::forgetPeer);
        return stranger.isPresent();
    }

    static void onLinked(Turn turn, NodeId node, long incarnation) {
        if (meet(turn, node, incarnation)) {
            turn.peer(node)
                    .ifPresent(peer ->
                            turn.peer(node, (peer.linked() ? peer : peer.linked(true, turn.now)).heard(turn.now)));
        }
    }

    static void onUnlinked(Turn turn, NodeId node, long incarnation, String why) {
        if (turn.view().member(node).isPresent()) {
            boolean isMaster = turn.view().members().getFirst().node().equals(node);
            turn.lapses = turn.lapses.lost(node, isMaster, why, turn.now);
        }
        turn.peer(node)
                .filter(peer -> peer.incarnation() == incarnation && peer.linked())
                .ifPresent(peer -> turn.peer(node, peer.linked(false, turn.now)));
    }

    static void onOpinion(Turn turn, NodeId node, long incarnation, Suspicion suspicion) {
        turn.peer(node)
                .filter(peer -> peer.incarnation() == incarnation && peer.suspicion() != suspicion)
                .ifPresent(peer -> turn.peer(node, peer.suspected(suspicion, turn.now)));
    }

    static void onHeartbeat(Turn turn, NodeId from, long incarnation, Presence presence) {
        boolean hasLeft = turn.view().member(from).isEmpty(); // then what it asked for was done, and it is back
        turn.peer(from)
                .map(peer -> peer.leaving() && hasLeft ? peer.asksToLeave(false) : peer)
                .ifPresent(peer -> turn.peer(from, peer.says(presence, turn.now, turn.config.peerGapNanos())));
        turn.known(presence.lineage())
                .flatMap(KnownLineage::view)
                .filter(newest -> newest.epoch() > presence.epoch())
                .ifPresent(newest -> turn.send(from, new Message.Commit(newest)));
        boolean isMember = turn.view()
                .member(from)
                .filter(member -> member.incarnation() == incarnation)
                .isPresent();
        if (isMember && !presence.lineage().equals(turn.home.lineage())) {
            turn.send(from, new Message.Commit(turn.view())); // admitted here, and perhaps it does not know yet
        }
    }
}
