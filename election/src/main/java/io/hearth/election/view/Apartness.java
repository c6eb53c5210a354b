package io.hearth.election.view;

import io.hearth.election.GroupPhase;
import io.hearth.election.Presence;
import io.hearth.election.view.state.HearingState;
import io.hearth.election.view.state.Peer;
import io.hearth.election.view.state.ReadmissionDelay;
import io.hearth.election.view.state.ViewState;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Optional;
import java.util.TreeSet;

/** Explains to people why a linked node is not in this node's view, or why this node waits for it. */
public final class Apartness {
    private static final long JOIN_NANOS = 3_000_000_000L; // a newly linked node is about to join
    private static final long VOTE_NANOS = 2_000_000_000L; // less than a phase of a ballot lasts

    private Apartness() {}

    /** One line without the node's name; empty if there is nothing to explain. */
    public static Optional<String> of(ViewState state, NodeId node) {
        if (node.equals(state.self().node())) {
            return Optional.empty();
        }
        Optional<Peer> peer = Optional.ofNullable(state.peers().get(node));
        if (state.doubled().contains(node.peer())) {
            return Optional.of("two computers use its identity, so its votes do not count and it is not admitted");
        }
        if (state.excluded().contains(node.peer())) {
            return Optional.of("it was put out of the namespace; the next view is without it");
        }
        return state.view().member(node).isPresent()
                ? ofMember(state, node, peer)
                : peer.flatMap(stranger -> ofOther(state, node, stranger));
    }

    private static Optional<String> ofMember(ViewState state, NodeId node, Optional<Peer> known) {
        Optional<Peer> heard = known.filter(peer -> peer.linked() && !peer.suspected());
        if (heard.isEmpty()) {
            long since = known.map(Peer::heardNanos).orElse(state.current().knownSince(node));
            return Optional.of("not heard for " + seconds(state.now() - since) + "; " + without(state, node.peer()));
        }
        Peer peer = heard.get();
        if (peer.presence().isPresent() && !peer.livesIn(state.current().lineage())) {
            return Optional.of("it lives in " + place(peer.presence().get()) + "; it is about to be left out here");
        }
        if (state.change().gone().contains(node.peer())) {
            return Optional.of("its vote record is gone; it has no vote before it enters again");
        }
        return unvotedNanos(state, node.peer())
                .map(nanos -> "has not voted for " + seconds(nanos) + "; look at its disk");
    }

    /** The consequence for the view while a member is not heard. */
    private static String without(ViewState state, PeerId machine) {
        var others = new TreeSet<>(state.view().machines());
        others.removeAll(state.doubled());
        others.removeAll(state.excluded());
        others.removeAll(state.change().gone());
        if (!isHeard(state, machine)) {
            others.remove(machine);
        }
        if (!state.view().isQuorum(others)) {
            return "this view cannot go on without it: start it or plug it in";
        }
        return state.hearing() instanceof HearingState.Lost
                ? "this view waits for a quorum: start it or plug it in"
                : "the view goes on without it as soon as a quorum agrees";
    }

    /** Whether some process of a machine is heard: each can cast its vote. */
    private static boolean isHeard(ViewState state, PeerId machine) {
        return machine.equals(state.self().node().peer())
                || state.peers().entrySet().stream()
                        .anyMatch(known -> known.getKey().peer().equals(machine)
                                && known.getValue().linked()
                                && !known.getValue().suspected());
    }

    /** The time for which this node has waited for a machine's vote, if it is longer than any sound disk takes. */
    static Optional<Long> unvotedNanos(ViewState state, PeerId machine) {
        return Optional.ofNullable(state.change().unvoted().get(machine))
                .map(missing -> state.now() - missing.sinceNanos())
                .filter(nanos -> nanos >= VOTE_NANOS);
    }

    private static Optional<String> ofOther(ViewState state, NodeId node, Peer peer) {
        long now = state.now();
        ReadmissionDelay hold = state.admission().readmissionDelays().get(node);
        if (hold != null && hold.untilNanos() - now > 0) {
            return Optional.of("it was removed lately and may enter again in "
                    + (hold.untilNanos() - now + 999_999_999L) / 1_000_000_000L + " s");
        }
        if (!peer.linked() || now - peer.linkSinceNanos() < JOIN_NANOS) {
            return Optional.empty();
        }
        if (peer.suspected() || peer.presence().isEmpty()) {
            return Optional.of("not heard for " + seconds(now - peer.heardNanos()));
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

    /** Elapsed whole seconds. */
    static String seconds(long nanos) {
        return nanos / 1_000_000_000L + " s";
    }

    private static String place(Presence presence) {
        return "another view (epoch " + presence.epoch() + " of "
                + presence.lineage().shortText() + ", members " + presence.memberCount() + ")";
    }
}
