package io.hearth.election;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** How the members of the view stand, as far as this node can tell: opinions, which only say when to start a ballot. */
final class Standing {
    private static final long ANY_SPAN = Long.MIN_VALUE;

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
        Peer peer = turn.peers().get(member.node());
        long since = turn.home.knownSince(member.node());
        if (peer != null && peer.incarnation() >= member.incarnation()) { // else what is known is of an earlier start
            if (peer.suspected() || peer.linked()) {
                return peer.suspected();
            }
            since = Math.max(peer.linkSinceNanos(), since);
        }
        return turn.now - since >= turn.config.silenceNanos();
    }

    /**
     * Whether the network rather than a member may have failed: some member that is not suspected was not heard for longer than
     * heartbeats may be late, or is back from such a gap since a moment; or another process on the machine of a member that is silent
     * was linked a moment ago, or is back from such a gap. A switch that restarts looks like that.
     */
    static boolean isNetworkInDoubt(Turn turn) {
        return turn.view().members().stream()
                .filter(member -> !turn.isSelf(member))
                .anyMatch(member -> isUneven(turn, member) || (isSilent(turn, member) && isMachineBack(turn, member)));
    }

    private static boolean isUneven(Turn turn, Member member) {
        return turn.peer(member.node()) // of any start: one that was restarted hears the network, too
                .filter(peer -> isUneven(turn, peer))
                .isPresent();
    }

    private static boolean isUneven(Turn turn, Peer peer) {
        return !peer.suspected()
                && peer.presence().isPresent()
                && (turn.now - peer.heardNanos() > turn.config.peerGapNanos()
                        || turn.now - peer.awakeNanos() < turn.config.silenceNanos());
    }

    private static boolean isMachineBack(Turn turn, Member silent) {
        return !isRefused(turn, silent)
                && turn.peers().entrySet().stream()
                        .filter(other -> other.getKey().peer().equals(silent.machine())
                                && !other.getKey().equals(silent.node()))
                        .map(Map.Entry::getValue)
                        .anyMatch(other -> other.linked()
                                && !other.suspected()
                                && (turn.now - other.linkSinceNanos() < turn.config.silenceNanos()
                                        || isUneven(turn, other)));
    }

    /** Whether the node froze the others again and again for ballots that it did not bring to an end. */
    static boolean isAbandoner(Turn turn, NodeId node) {
        return turn.peer(node)
                .filter(peer ->
                        peer.abandonments().areTooMany(turn.config.holdDowns().mostNanos(), turn.now))
                .isPresent();
    }

    /** Whether the member's process ended, as its machine says. */
    static boolean isRefused(Turn turn, Member member) {
        return known(turn, member)
                .filter(peer -> peer.suspicion() == Suspicion.REFUSED)
                .isPresent();
    }

    /** A newer start of the node was seen: the member that the view lists is gone. */
    static boolean isRestarted(Turn turn, Member member) {
        return turn.peer(member.node())
                .filter(peer -> peer.incarnation() > member.incarnation())
                .isPresent();
    }

    /** The member says that it lives in another lineage, and goes on saying so since it was admitted here. */
    static boolean isElsewhere(Turn turn, Member member) {
        Peer peer = turn.peers().get(member.node());
        if (peer == null
                || peer.incarnation() != member.incarnation()
                || peer.presence().isEmpty()
                || peer.livesIn(turn.home.lineage())) {
            return false;
        }
        long since = Math.max(peer.residentNanos(), turn.home.knownSince(member.node()));
        return peer.heardNanos() - since >= turn.config.silenceNanos();
    }

    /** Whether a member is the start that the view lists, says that it lives here, and did not ask to leave. */
    static boolean isPlain(Turn turn, Member member) {
        Peer peer = turn.peers().get(member.node());
        return peer != null
                && peer.incarnation() == member.incarnation()
                && !peer.leaving()
                && peer.livesIn(turn.home.lineage());
    }

    static boolean isLeaving(Turn turn, Member member) {
        return turn.isSelf(member)
                ? turn.isLeaving()
                : known(turn, member).filter(Peer::leaving).isPresent();
    }

    /** Whether the member can drive a ballot: it lives here as the incarnation listed, is heard, and stays. */
    static boolean canPropose(Turn turn, Member member) {
        return !turn.hasNoVote(member.machine())
                && !isAbandoner(turn, member.node())
                && !isSilent(turn, member)
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
        for (Member member : turn.view().members()) {
            if (canPropose(turn, member)) {
                return turn.isSelf(member);
            }
        }
        return false;
    }

    /** Members whose machine is not heard: those that a lost quorum waits for. */
    static List<NodeId> silentMembers(Turn turn) {
        Set<PeerId> heard = machinesHeard(turn, turn.config.silenceNanos());
        return turn.view().members().stream()
                .filter(member -> !heard.contains(member.machine()))
                .map(Member::node)
                .toList();
    }

    /** Machines besides this node's own that may vote about the view. */
    static List<PeerId> otherVoters(Turn turn) {
        return turn.view().machines().stream()
                .filter(machine -> !machine.equals(turn.self.node().peer())
                        && !turn.hasNoVote(machine)
                        && !turn.change.gone().contains(machine))
                .toList();
    }

    /** Whether so many machines are heard that they can decide. */
    static boolean hasQuorum(Turn turn) {
        return hasQuorum(turn, turn.config.silenceNanos());
    }

    /** The same within that time: who is not suspected may have been silent for nearly a span. */
    static boolean hasQuorum(Turn turn, long nanos) {
        boolean isEachHeard = turn.doubled.isEmpty()
                && turn.excluded.isEmpty()
                && turn.view().members().stream().allMatch(member -> isHeard(turn, member, nanos));
        return isEachHeard || turn.view().isQuorum(machinesHeard(turn, nanos));
    }

    /** A machine is heard if any process of it is: each can cast its vote. One whose identity two computers use has none. */
    private static Set<PeerId> machinesHeard(Turn turn, long nanos) {
        var heard = new TreeSet<PeerId>();
        heard.add(turn.self.node().peer());
        turn.peers().forEach((node, peer) -> {
            if (peer.linked() && isHeard(turn, peer, nanos)) {
                heard.add(node.peer());
            }
        });
        for (Member member : turn.view().members()) {
            if (isHeard(turn, member, nanos)) {
                heard.add(member.machine());
            }
        }
        heard.removeIf(machine ->
                turn.hasNoVote(machine) && !machine.equals(turn.self.node().peer()));
        return heard;
    }

    /** Not suspected, and with a heartbeat within {@code nanos}: where they come unevenly, suspicion takes longer than a span. */
    private static boolean isHeard(Turn turn, Peer peer, long nanos) {
        return !peer.suspected() && (peer.presence().isEmpty() || turn.now - peer.heardNanos() < nanos);
    }

    private static boolean isHeard(Turn turn, Member member, long nanos) {
        return turn.isSelf(member)
                || (!isSilent(turn, member)
                        && known(turn, member)
                                .filter(peer -> !isHeard(turn, peer, nanos))
                                .isEmpty());
    }

    /** Members that are heard, or that were restarted: those that nobody has to wait for. */
    static int heardMembers(Turn turn) {
        return (int) turn.view().members().stream()
                .filter(member -> !isSilent(turn, member) || isRestarted(turn, member))
                .count();
    }

    /**
     * Members to remove so that no pair stays broken: two members that have not reached each other for long though this node
     * reaches both. The end with most broken pairs goes first, of equals the junior: one broken senior must not cost all others
     * their places. Younger reports count there: those of one broken member come one after the other.
     */
    static SortedSet<NodeId> brokenMembers(Turn turn) {
        if (turn.peers().values().stream().allMatch(peer -> peer.brokenSince().isEmpty())) {
            return Collections.emptySortedSet();
        }
        List<Member> members = turn.view().members().stream()
                .filter(member -> !turn.isSelf(member) && !isSilent(turn, member) && isPlain(turn, member))
                .toList(); // who lives elsewhere goes anyway and takes its broken pairs along
        SortedMap<NodeId, SortedSet<NodeId>> lasting = pairs(turn, members, turn.config.brokenPairNanos());
        SortedMap<NodeId, SortedSet<NodeId>> reported = pairs(turn, members, ANY_SPAN);
        var removed = new TreeSet<NodeId>();
        while (lasting.values().stream().anyMatch(broken -> !broken.isEmpty())) {
            NodeId worst = worst(members, lasting, reported);
            removed.add(worst);
            for (var pairs : List.of(lasting, reported)) {
                pairs.remove(worst);
                pairs.values().forEach(broken -> broken.remove(worst));
            }
        }
        return removed;
    }

    /** By member, the others with which it is broken for at least that span. */
    private static SortedMap<NodeId, SortedSet<NodeId>> pairs(Turn turn, List<Member> members, long nanos) {
        var pairs = new TreeMap<NodeId, SortedSet<NodeId>>();
        for (Member one : members) {
            for (Member other : members) {
                if (!one.node().equals(other.node()) && saysBroken(turn, one, other, nanos)) {
                    pairs.computeIfAbsent(one.node(), _ -> new TreeSet<>()).add(other.node());
                    pairs.computeIfAbsent(other.node(), _ -> new TreeSet<>()).add(one.node());
                }
            }
        }
        return pairs;
    }

    private static NodeId worst(
            List<Member> members,
            SortedMap<NodeId, SortedSet<NodeId>> lasting,
            SortedMap<NodeId, SortedSet<NodeId>> reported) {
        NodeId worst = members.getLast().node();
        int most = 0;
        for (Member member : members) {
            boolean isBroken = !lasting.getOrDefault(member.node(), Collections.emptySortedSet())
                    .isEmpty();
            int pairs = reported.getOrDefault(member.node(), Collections.emptySortedSet())
                    .size();
            if (isBroken && pairs >= most) { // later in the list is junior
                worst = member.node();
                most = pairs;
            }
        }
        return worst;
    }

    /** Whether one says so for that span, and both were heard all that time: what stood still could not say otherwise. */
    private static boolean saysBroken(Turn turn, Member one, Member other, long nanos) {
        Optional<Peer> witness = known(turn, one).filter(peer -> peer.livesIn(turn.home.lineage()));
        Optional<Long> since = witness.map(peer -> peer.brokenSince().get(other.node()));
        Optional<Peer> missed = known(turn, other);
        if (since.isEmpty() || missed.isEmpty()) {
            return false;
        }
        long from = Math.max(
                since.get(), Math.max(witness.get().awakeNanos(), missed.get().awakeNanos()));
        long upTo = Math.min(witness.get().heardNanos(), missed.get().heardNanos());
        return upTo - from >= nanos;
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

    /** Whether what a node says has an effect: the ballots and votes of machines without a vote have none. */
    static boolean counts(Turn turn, NodeId from, Message message) {
        return switch (message) {
            case Message.Prepare _, Message.Accept _, Message.Promise _, Message.Accepted _, Message.Gone _ ->
                !turn.hasNoVote(from.peer());
            case Message.Heartbeat _,
                    Message.Here _,
                    Message.Refuse _,
                    Message.Commit _,
                    Message.Join _,
                    Message.NotYet _,
                    Message.Leave _ -> true;
        };
    }
}
