package io.hearth.election;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** How the members of the view stand, as far as this node can tell: opinions, which only say when to start a ballot. */
final class Standing {
    private Standing() {}

    /** What is known of a member: of the very start that the view lists, not of an earlier or a later one. */
    static Optional<Peer> known(Turn turn, Member member) {
        return turn.peer(member.node()).filter(peer -> peer.incarnation() == member.incarnation());
    }

    /** Whether a member is suspected, or was never heard since it is one. */
    static boolean isSilent(Turn turn, Member member) {
        if (turn.isSelf(member)) {
            return false;
        }
        Optional<Peer> known = turn.peer(member.node());
        long memberSince = turn.home.knownSince(member.node());
        if (known.isEmpty()
                || known.get().incarnation() < member.incarnation()) { // what is known is of an earlier start
            return turn.now - memberSince >= turn.config.silenceNanos();
        }
        Peer peer = known.get();
        if (peer.suspected()) {
            return true;
        }
        long unlinkedSince = Math.max(peer.linkSinceNanos(), memberSince);
        return !peer.linked() && turn.now - unlinkedSince >= turn.config.silenceNanos();
    }

    /** A newer start of the node was seen: the member that the view lists is gone. */
    static boolean isRestarted(Turn turn, Member member) {
        return turn.peer(member.node())
                .filter(peer -> peer.incarnation() > member.incarnation())
                .isPresent();
    }

    /** The member says that it lives in another lineage, and not just since it was admitted here. */
    static boolean isElsewhere(Turn turn, Member member) {
        Optional<Peer> known = known(turn, member);
        if (known.isEmpty() || known.get().presence().isEmpty() || known.get().livesIn(turn.home.lineage())) {
            return false;
        }
        long since = Math.max(known.get().residentNanos(), turn.home.knownSince(member.node()));
        return turn.now - since >= turn.config.silenceNanos();
    }

    static boolean isLeaving(Turn turn, Member member) {
        return turn.isSelf(member)
                ? turn.isLeaving()
                : known(turn, member).filter(Peer::leaving).isPresent();
    }

    /** Whether the member can drive a ballot: it lives here as the incarnation listed, is heard, and stays. */
    static boolean canPropose(Turn turn, Member member) {
        return !isSilent(turn, member)
                && !isRestarted(turn, member)
                && !isElsewhere(turn, member)
                && !isLeaving(turn, member);
    }

    /** Members that can drive a ballot, in view order: the first is the lead. */
    static List<Member> proposers(Turn turn) {
        return turn.view().members().stream()
                .filter(member -> canPropose(turn, member))
                .toList();
    }

    static boolean isLead(Turn turn) {
        List<Member> proposers = proposers(turn);
        return !proposers.isEmpty() && turn.isSelf(proposers.getFirst());
    }

    /** Members whose machine is not heard: those that a lost quorum waits for. */
    static List<NodeId> silentMembers(Turn turn) {
        return turn.view().members().stream()
                .filter(member -> !isMachineHeard(turn, member.machine()))
                .map(Member::node)
                .toList();
    }

    static boolean hasQuorum(Turn turn) {
        return turn.view()
                .isQuorum(turn.view().machines().stream()
                        .filter(machine -> isMachineHeard(turn, machine))
                        .collect(Collectors.toSet()));
    }

    /** Members that are heard, or that are gone for a reason other than silence: those that nobody has to wait for. */
    static int heardMembers(Turn turn) {
        return (int) turn.view().members().stream()
                .filter(member -> !isSilent(turn, member) || isRestarted(turn, member) || isElsewhere(turn, member))
                .count();
    }

    /** A machine is heard if any process of it is: each can cast its vote. */
    private static boolean isMachineHeard(Turn turn, PeerId machine) {
        if (machine.equals(turn.self.node().peer())) {
            return true;
        }
        boolean isProcessHeard = turn.peers().entrySet().stream()
                .anyMatch(entry -> entry.getKey().peer().equals(machine)
                        && entry.getValue().linked()
                        && !entry.getValue().suspected());
        return isProcessHeard
                || turn.view().members().stream()
                        .anyMatch(member -> member.machine().equals(machine) && !isSilent(turn, member));
    }

    /**
     * Members to remove so that no broken pair is left: two members that have not reached each other for long though this node
     * reaches both. The member with most broken pairs goes first, of equals the junior: one broken senior must not cost all others
     * their places.
     */
    static SortedSet<NodeId> brokenMembers(Turn turn) {
        List<Member> members = turn.view().members().stream()
                .filter(member -> !turn.isSelf(member) && !isSilent(turn, member))
                .toList();
        var partners = new TreeMap<NodeId, SortedSet<NodeId>>();
        for (Member one : members) {
            for (Member other : members) {
                if (!one.node().equals(other.node())
                        && (saysBroken(turn, one, other) || saysBroken(turn, other, one))) {
                    partners.computeIfAbsent(one.node(), _ -> new TreeSet<>()).add(other.node());
                }
            }
        }
        var removed = new TreeSet<NodeId>();
        while (partners.values().stream().anyMatch(broken -> !broken.isEmpty())) {
            NodeId worst = worst(members, partners);
            removed.add(worst);
            partners.remove(worst);
            partners.values().forEach(broken -> broken.remove(worst));
        }
        return removed;
    }

    private static NodeId worst(List<Member> members, SortedMap<NodeId, SortedSet<NodeId>> partners) {
        NodeId worst = members.getLast().node();
        int most = 0;
        for (Member member : members) {
            int pairs = partners.getOrDefault(member.node(), new TreeSet<>()).size();
            if (pairs > 0 && pairs >= most) { // later in the list is junior
                worst = member.node();
                most = pairs;
            }
        }
        return worst;
    }

    /** Whether one says so for long, and both were heard all that time: what stood still could not say otherwise. */
    private static boolean saysBroken(Turn turn, Member one, Member other) {
        Optional<Peer> witness = known(turn, one).filter(peer -> peer.livesIn(turn.home.lineage()));
        Optional<Long> since = witness.map(peer -> peer.brokenSince().get(other.node()));
        Optional<Peer> missed = known(turn, other);
        if (since.isEmpty() || missed.isEmpty()) {
            return false;
        }
        long from = Math.max(
                since.get(), Math.max(witness.get().awakeNanos(), missed.get().awakeNanos()));
        long upTo = Math.min(witness.get().heardNanos(), missed.get().heardNanos());
        return upTo - from >= turn.config.brokenPairNanos();
    }

    /** Whether some member that is heard cannot reach {@code node}. */
    static Optional<Member> cannotReach(Turn turn, NodeId node) {
        return turn.view().members().stream()
                .filter(member -> !turn.isSelf(member)
                        && !isSilent(turn, member)
                        && known(turn, member)
                                .filter(peer -> peer.livesIn(turn.home.lineage())
                                        && peer.brokenSince().containsKey(node))
                                .isPresent())
                .findFirst();
    }

    /** Why nobody may enter the group now, as far as its trainers say; empty when all are fresh or at a step's boundary. */
    static Optional<String> busy(Turn turn, String group) {
        for (Member member : turn.view().group(group)) {
            Optional<ViewState.Progress> progress = progress(turn, member);
            if (progress.isEmpty()) {
                return Optional.of("some trainers of its group were not heard yet");
            }
            if (progress.get().isBusy()) {
                return Optional.of("its group is training; it enters when the next step begins");
            }
        }
        return Optional.empty();
    }

    /** Whether every trainer of the group says that nothing was done yet. */
    static boolean isUntouched(Turn turn, String group) {
        return turn.view().group(group).stream()
                .allMatch(member -> progress(turn, member)
                        .filter(progress -> progress.doneUpTo() <= 0)
                        .isPresent());
    }

    /** How far a trainer of the view says to be in it. */
    private static Optional<ViewState.Progress> progress(Turn turn, Member member) {
        return turn.isSelf(member)
                ? Optional.of(turn.progress)
                : known(turn, member)
                        .flatMap(Peer::presence)
                        .filter(presence -> presence.lineage().equals(turn.home.lineage()))
                        .map(presence -> new ViewState.Progress(presence.doneUpTo(), presence.phase()));
    }
}
