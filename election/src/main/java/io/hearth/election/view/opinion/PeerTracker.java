package io.hearth.election.view.opinion;

import io.hearth.election.Message;
import io.hearth.election.MessageRejection;
import io.hearth.election.Presence;
import io.hearth.election.ViewRules;
import io.hearth.election.view.state.KnownLineage;
import io.hearth.election.view.state.Peer;
import io.hearth.election.view.state.Suspicion;
import io.hearth.election.view.step.Transition;
import io.hearth.identity.NodeId;
import java.util.Map;
import java.util.Optional;

/** Maintains the table of peers: links, suspicions and heartbeats. Also repairs lost commits. */
public final class PeerTracker {
    private PeerTracker() {}

    /**
     * Notes that this start of a node exists.
     *
     * @return false if a newer start was seen or the table is full: then the message is ignored
     */
    public static boolean meet(Transition transition, NodeId node, long incarnation) {
        Optional<Peer> known = transition.peer(node);
        if (node.equals(transition.self.node()) || !ViewRules.isNumber(incarnation)) {
            transition.refuse(MessageRejection.OLD_INCARNATION);
            return false;
        }
        if (known.isPresent() && known.get().incarnation() > incarnation) {
            transition.refuse(MessageRejection.OLD_INCARNATION);
            return false;
        }
        if (known.isPresent() && known.get().incarnation() == incarnation) {
            return true;
        }
        if (known.isEmpty() && transition.peers().size() >= Transition.PEERS_MAX && !makeRoom(transition)) {
            transition.refuse(MessageRejection.TOO_MANY_PEERS);
            return false;
        }
        transition.peer(node, Peer.fresh(incarnation, transition.now));
        return true;
    }

    private static boolean makeRoom(Transition transition) {
        Optional<NodeId> stranger = transition.peers().entrySet().stream()
                .filter(entry -> !entry.getValue().linked()
                        && transition.view().member(entry.getKey()).isEmpty())
                .map(Map.Entry::getKey)
                .findFirst();
        stranger.ifPresent(transition::forgetPeer);
        return stranger.isPresent();
    }

    public static void onLinked(Transition transition, NodeId node, long incarnation) {
        if (meet(transition, node, incarnation)) {
            transition
                    .peer(node)
                    .ifPresent(peer -> transition.peer(
                            node, (peer.linked() ? peer : peer.linked(true, transition.now)).heard(transition.now)));
        }
    }

    public static void onUnlinked(Transition transition, NodeId node, long incarnation, String why) {
        if (transition.view().member(node).isPresent()) {
            boolean isMaster = transition.view().members().getFirst().node().equals(node);
            transition.lapses = transition.lapses.lost(node, isMaster, why, transition.now);
        }
        transition
                .peer(node)
                .filter(peer -> peer.incarnation() == incarnation && peer.linked())
                .ifPresent(peer -> transition.peer(node, peer.linked(false, transition.now)));
    }

    public static void onOpinion(Transition transition, NodeId node, long incarnation, Suspicion suspicion) {
        transition
                .peer(node)
                .filter(peer -> peer.incarnation() == incarnation && peer.suspicion() != suspicion)
                .ifPresent(peer -> transition.peer(node, peer.suspected(suspicion, transition.now)));
    }

    public static void onHeartbeat(Transition transition, NodeId from, long incarnation, Presence presence) {
        boolean hasLeft = transition.view().member(from).isEmpty(); // then its request was granted, and it is back
        transition
                .peer(from)
                .map(peer -> peer.leaving() && hasLeft ? peer.asksToLeave(false) : peer)
                .ifPresent(peer ->
                        transition.peer(from, peer.says(presence, transition.now, transition.config.peerGapNanos())));
        transition
                .known(presence.lineage())
                .flatMap(KnownLineage::view)
                .filter(newest -> newest.epoch() > presence.epoch())
                .ifPresent(newest -> transition.send(from, new Message.Commit(newest)));
        boolean isMember = transition
                .view()
                .member(from)
                .filter(member -> member.incarnation() == incarnation)
                .isPresent();
        if (isMember && !presence.lineage().equals(transition.current.lineage())) {
            transition.send(
                    from, new Message.Commit(transition.view())); // it was admitted here and may not know it yet
        }
    }
}
