package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.Optional;

/** Says, for people, why a node that is linked is not in one view with this node, or why it is waited for. */
final class Apartness {
    private static final long JOIN_NANOS = 3_000_000_000L; // a node that has just been linked is about to join

    private Apartness() {}

    /** One line without the node's name; empty if there is nothing to say of it. */
    static Optional<String> of(ViewState state, NodeId node) {
        Peer peer = state.peers().get(node);
        if (peer == null || node.equals(state.self().node())) {
            return Optional.empty();
        }
        if (state.doubled().contains(node.peer())) {
            return Optional.of("two computers use its identity, so its votes do not count and it is not admitted");
        }
        if (state.excluded().contains(node.peer())) {
            return Optional.of("it was put out of the namespace; the next view is without it");
        }
        return state.view().member(node).isPresent() ? ofMember(state, peer) : ofOther(state, node, peer);
    }

    private static Optional<String> ofMember(ViewState state, Peer peer) {
        if (peer.suspected() || !peer.linked()) {
            return Optional.of("not heard; the view goes on without it as soon as a quorum agrees");
        }
        if (peer.presence().isPresent() && !peer.livesIn(state.home().lineage())) {
            return Optional.of("it lives in " + place(peer.presence().get()) + "; it is about to be left out here");
        }
        return Optional.empty();
    }

    private static Optional<String> ofOther(ViewState state, NodeId node, Peer peer) {
        long now = state.clock().steppedNanos() - state.clock().lostNanos();
        HoldDown hold = state.admission().holdDowns().get(node);
        if (hold != null && hold.untilNanos() - now > 0) {
            return Optional.of("it was removed lately and may enter again in "
                    + (hold.untilNanos() - now + 999_999_999L) / 1_000_000_000L + " s");
        }
        if (!peer.linked() || now - peer.linkSinceNanos() < JOIN_NANOS) {
            return Optional.empty();
        }
        if (peer.suspected() || peer.presence().isEmpty()) {
            return Optional.of("not heard");
        }
        Presence presence = peer.presence().get();
        if (presence.stalled()) {
            return Optional.of("it lives in " + place(presence)
                    + " and waits for a quorum there; start the machines that it" + " waits for, or restart it");
        }
        return Optional.of(
                state.progress().isBusy() || presence.phase() == GroupPhase.BUSY
                        ? "it lives in " + place(presence)
                                + "; trainings join where a step begins (beginStep), or when one ends"
                        : "it lives in " + place(presence) + "; the two join when both are between two steps");
    }

    private static String place(Presence presence) {
        return "another view (epoch " + presence.epoch() + " of "
                + presence.lineage().shortText() + ", members " + presence.memberCount() + ")";
    }
}
