package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

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

    /** Whether the member can drive a ballot. */
    static boolean canPropose(Turn turn, Member member) {
        return !isSilent(turn, member)
                && !isRestarted(turn, member)
                && !isElsewhere(turn, member)
                && !isLeaving(turn, member);
    }

    /**
     * Members that can drive a ballot, voters first, else in view order: the first is the lead. Those without a vote count too:
     * when all voters were restarted they vote on, but nobody but a member without a vote still lives in the lineage.
     */
    static List<Member> proposers(Turn turn) {
        List<Member> voters = turn.view().voters();
        var able = new ArrayList<Member>();
        for (Member voter : voters) {
            if (canPropose(turn, voter)) {
                able.add(voter);
            }
        }
        for (Member member : turn.view().members()) {
            if (!voters.contains(member) && canPropose(turn, member)) {
                able.add(member);
            }
        }
        return able;
    }

    static boolean isLead(Turn turn) {
        List<Member> proposers = proposers(turn);
        return !proposers.isEmpty() && turn.isSelf(proposers.getFirst());
    }

    /** Voters that are suspected. */
    static List<NodeId> silentVoters(Turn turn) {
        return turn.view().voters().stream()
                .filter(voter -> isSilent(turn, voter))
                .map(Member::node)
                .toList();
    }

    static boolean hasQuorum(Turn turn) {
        var heard = new TreeSet<NodeId>();
        for (Member voter : turn.view().voters()) {
            if (!isSilent(turn, voter)) {
                heard.add(voter.node());
            }
        }
        return turn.view().isQuorum(heard);
    }

    /**
     * The junior of two members that have not reached each other for long though this node reaches both; the most junior if
     * there are several.
     */
    static Optional<Member> brokenJunior(Turn turn) {
        List<Member> members = turn.view().members();
        for (int i = members.size() - 1; i > 0; i--) {
            Member junior = members.get(i);
            if (turn.isSelf(junior) || isSilent(turn, junior)) {
                continue;
            }
            for (int j = 0; j < i; j++) {
                Member senior = members.get(j);
                if (!turn.isSelf(senior)
                        && !isSilent(turn, senior)
                        && (saysBroken(turn, senior, junior) || saysBroken(turn, junior, senior))) {
                    return Optional.of(junior);
                }
            }
        }
        return Optional.empty();
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
