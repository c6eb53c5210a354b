package io.hearth.election.view.opinion;

import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.view.state.Change;
import io.hearth.election.view.state.Peer;
import io.hearth.election.view.state.Suspicion;
import io.hearth.election.view.state.ViewState;
import io.hearth.election.view.step.Transition;
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

/** Local opinions about the members of the view. They may start a ballot, never decide it. */
public final class MemberStatus {
    private static final long ANY_SPAN = Long.MIN_VALUE;

    private MemberStatus() {}

    /** The peer of a member: the start that the view lists, not an earlier or a later one. */
    public static Optional<Peer> known(Transition transition, Member member) {
        return transition.peer(member.node()).filter(peer -> peer.incarnation() == member.incarnation());
    }

    /** Whether a member is suspected, or was never heard since it became a member. */
    public static boolean isSilent(Transition transition, Member member) {
        if (transition.isSelf(member)) {
            return false;
        }
        Peer peer = transition.peers().get(member.node());
        long since = transition.current.knownSince(member.node());
        if (peer != null
                && peer.incarnation() >= member.incarnation()) { // else the knowledge is about an earlier start
            if (peer.suspected() || peer.linked()) {
                return peer.suspected();
            }
            since = Math.max(peer.linkSinceNanos(), since);
        }
        return transition.now - since >= transition.config.silenceNanos();
    }

    /**
     * Whether the network rather than a member may have failed, as when a switch restarts. That is so if some unsuspected member was silent
     * for longer than heartbeats may be late, or just came back from such a gap. It is also so if another process on the machine of a
     * silent member was linked a moment ago, or just came back from such a gap.
     */
    public static boolean isNetworkInDoubt(Transition transition) {
        return transition.view().members().stream()
                .filter(member -> !transition.isSelf(member))
                .anyMatch(member -> isUneven(transition, member)
                        || (isSilent(transition, member) && isMachineBack(transition, member)));
    }

    private static boolean isUneven(Transition transition, Member member) {
        return !isSilent(transition, member)
                && transition
                        .peer(member.node()) // of any start: a restarted one hears the network, too
                        .filter(peer -> isUneven(transition, peer))
                        .isPresent();
    }

    private static boolean isUneven(Transition transition, Peer peer) {
        return !peer.suspected()
                && peer.presence().isPresent()
                && (transition.now - peer.heardNanos() > transition.config.peerGapNanos()
                        || transition.now - peer.awakeNanos() < transition.config.silenceNanos());
    }

    private static boolean isMachineBack(Transition transition, Member silent) {
        return !isRefused(transition, silent)
                && transition.peers().entrySet().stream()
                        .filter(other -> other.getKey().peer().equals(silent.machine())
                                && !other.getKey().equals(silent.node()))
                        .map(Map.Entry::getValue)
                        .anyMatch(other -> other.linked()
                                && !other.suspected()
                                && (transition.now - other.linkSinceNanos() < transition.config.silenceNanos()
                                        || isUneven(transition, other)));
    }

    /** Whether the node repeatedly froze the others for ballots that it did not finish. */
    public static boolean isAbandoner(Transition transition, NodeId node) {
        return transition
                .peer(node)
                .filter(peer -> peer.abandonments()
                        .areTooMany(transition.config.readmissionDelays().mostNanos(), transition.now))
                .isPresent();
    }

    /** Whether the member's process ended, according to its machine. */
    public static boolean isRefused(Transition transition, Member member) {
        return known(transition, member)
                .filter(peer -> peer.suspicion() == Suspicion.REFUSED)
                .isPresent();
    }

    /** Whether a newer start of the node was seen, so that the listed member is gone. */
    public static boolean isRestarted(Transition transition, Member member) {
        return transition
                .peer(member.node())
                .filter(peer -> peer.incarnation() > member.incarnation())
                .isPresent();
    }

    /** Whether the member reports another home lineage, and has done so ever since it was admitted here. */
    public static boolean isElsewhere(Transition transition, Member member) {
        Peer peer = transition.peers().get(member.node());
        if (peer == null
                || peer.incarnation() != member.incarnation()
                || peer.presence().isEmpty()
                || peer.livesIn(transition.current.lineage())) {
            return false;
        }
        long since = Math.max(peer.reports().residentNanos(), transition.current.knownSince(member.node()));
        return peer.heardNanos() - since >= transition.config.silenceNanos();
    }

    /** Whether a member is the listed start, reports this home lineage, and did not ask to leave. */
    static boolean isPlain(Transition transition, Member member) {
        Peer peer = transition.peers().get(member.node());
        return peer != null
                && peer.incarnation() == member.incarnation()
                && !peer.leaving()
                && peer.livesIn(transition.current.lineage());
    }

    public static boolean isLeaving(Transition transition, Member member) {
        return transition.isSelf(member)
                ? transition.isLeaving()
                : known(transition, member).filter(Peer::leaving).isPresent();
    }

    /** Whether the member can drive a ballot: it lives here as the incarnation listed, is heard, and stays. */
    public static boolean canPropose(Transition transition, Member member) {
        return !transition.hasNoVote(member.machine())
                && !isAbandoner(transition, member.node())
                && !isSilent(transition, member)
                && !isRestarted(transition, member)
                && !isElsewhere(transition, member)
                && !isLeaving(transition, member);
    }

    /** Members that can drive a ballot, in view order: the first is the lead. */
    public static List<Member> proposers(Transition transition) {
        return transition.view().members().stream()
                .filter(member -> canPropose(transition, member))
                .toList();
    }

    public static boolean isLead(Transition transition) {
        for (Member member : transition.view().members()) {
            if (canPropose(transition, member)) {
                return transition.isSelf(member);
            }
        }
        return false;
    }

    /** Whether another member drives a ballot: it is given time, unless it is suspected. */
    public static boolean isDrivenByAnother(Transition transition) {
        Change change = transition.change;
        return change.driver().isPresent()
                && transition.now - change.drivenNanos()
                        < transition.config.ballots().orphanNanos()
                && transition
                        .view()
                        .member(change.driver().get())
                        .filter(driver -> MemberStatus.canPropose(transition, driver))
                        .isPresent();
    }

    /** Members whose machine is not heard: a lost quorum waits for them. */
    public static List<NodeId> silentMembers(Transition transition) {
        Set<PeerId> heard = machinesHeard(transition, transition.config.silenceNanos());
        return transition.view().members().stream()
                .filter(member -> !heard.contains(member.machine()))
                .map(Member::node)
                .toList();
    }

    /** Machines besides this node's own that may vote about the view. */
    public static List<PeerId> otherVoters(Transition transition) {
        return transition.view().machines().stream()
                .filter(machine -> !machine.equals(transition.self.node().peer())
                        && !transition.hasNoVote(machine)
                        && !transition.change.gone().contains(machine))
                .toList();
    }

    /** Whether the heard machines are a quorum. */
    static boolean hasQuorum(Transition transition) {
        return hasQuorum(transition, transition.config.silenceNanos());
    }

    /** Whether the machines heard within that time are a quorum: an unsuspected one may have been silent for nearly a span. */
    public static boolean hasQuorum(Transition transition, long nanos) {
        boolean isEachHeard = transition.doubled.isEmpty()
                && transition.excluded.isEmpty()
                && transition.view().members().stream().allMatch(member -> isHeard(transition, member, nanos));
        return isEachHeard || transition.view().isQuorum(machinesHeard(transition, nanos));
    }

    /** A machine is heard if any of its processes is, since each can cast its vote. A doubled machine has no vote. */
    private static Set<PeerId> machinesHeard(Transition transition, long nanos) {
        var heard = new TreeSet<PeerId>();
        heard.add(transition.self.node().peer());
        transition.peers().forEach((node, peer) -> {
            if (peer.linked() && isHeard(transition, peer, nanos)) {
                heard.add(node.peer());
            }
        });
        for (Member member : transition.view().members()) {
            if (isHeard(transition, member, nanos)) {
                heard.add(member.machine());
            }
        }
        heard.removeIf(machine -> transition.hasNoVote(machine)
                && !machine.equals(transition.self.node().peer()));
        return heard;
    }

    /** Whether a node is unsuspected and sent a heartbeat within {@code nanos}: with jitter, suspicion takes longer than a span. */
    private static boolean isHeard(Transition transition, Peer peer, long nanos) {
        return !peer.suspected() && (peer.presence().isEmpty() || transition.now - peer.heardNanos() < nanos);
    }

    private static boolean isHeard(Transition transition, Member member, long nanos) {
        return transition.isSelf(member)
                || (!isSilent(transition, member)
                        && known(transition, member)
                                .filter(peer -> !isHeard(transition, peer, nanos))
                                .isEmpty());
    }

    /** Members that are heard or were restarted, so that no node has to wait for them. */
    static int heardMembers(Transition transition) {
        return (int) transition.view().members().stream()
                .filter(member -> !isSilent(transition, member) || isRestarted(transition, member))
                .count();
    }

    /**
     * Members to remove so that no broken pair stays: two members that have not reached each other for long although this node reaches
     * both. The end with most broken pairs is removed first, among equals the junior, so that one broken senior does not cost all others
     * their membership. Younger reports count for this, because those about one broken member arrive one after the other.
     */
    public static SortedSet<NodeId> brokenMembers(Transition transition) {
        if (transition.peers().values().stream()
                .allMatch(peer -> peer.reports().brokenSince().isEmpty())) {
            return Collections.emptySortedSet();
        }
        List<Member> members = transition.view().members().stream()
                .filter(member ->
                        !transition.isSelf(member) && !isSilent(transition, member) && isPlain(transition, member))
                .toList(); // a member that lives elsewhere leaves anyway, with its broken pairs
        SortedMap<NodeId, SortedSet<NodeId>> lasting = pairs(transition, members, transition.config.brokenPairNanos());
        SortedMap<NodeId, SortedSet<NodeId>> reported = pairs(transition, members, ANY_SPAN);
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
    private static SortedMap<NodeId, SortedSet<NodeId>> pairs(Transition transition, List<Member> members, long nanos) {
        var pairs = new TreeMap<NodeId, SortedSet<NodeId>>();
        for (Member one : members) {
            for (Member other : members) {
                if (!one.node().equals(other.node()) && saysBroken(transition, one, other, nanos)) {
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
            if (isBroken && pairs >= most) { // later members are junior
                worst = member.node();
                most = pairs;
            }
        }
        return worst;
    }

    /** Whether one end has reported it for that span and both were heard all that time; a paused node could not take it back. */
    private static boolean saysBroken(Transition transition, Member one, Member other, long nanos) {
        Optional<Peer> witness = known(transition, one).filter(peer -> peer.livesIn(transition.current.lineage()));
        Optional<Long> since = witness.map(peer -> peer.reports().brokenSince().get(other.node()));
        Optional<Peer> missed = known(transition, other);
        if (since.isEmpty() || missed.isEmpty()) {
            return false;
        }
        long from = Math.max(
                since.get(), Math.max(witness.get().awakeNanos(), missed.get().awakeNanos()));
        long upTo = Math.min(witness.get().heardNanos(), missed.get().heardNanos());
        return upTo - from >= nanos;
    }

    /** Whether some member that is heard cannot reach {@code node}. */
    public static Optional<Member> cannotReach(Transition transition, NodeId node) {
        return transition.view().members().stream()
                .filter(member -> !transition.isSelf(member)
                        && !isSilent(transition, member)
                        && known(transition, member)
                                .filter(peer -> peer.livesIn(transition.current.lineage())
                                        && peer.reports().brokenSince().containsKey(node))
                                .isPresent())
                .findFirst();
    }

    /** Why no trainer may enter the group now, as its trainers report; empty if all are fresh or at a step's boundary. */
    public static Optional<String> busy(Transition transition, String group) {
        for (Member member : transition.view().group(group)) {
            Optional<ViewState.Progress> progress = progress(transition, member);
            if (progress.isEmpty()) {
                return Optional.of("some trainers of its group were not heard yet");
            }
            if (progress.get().isBusy()) {
                return Optional.of("its group is training; it enters when the next step begins");
            }
        }
        return Optional.empty();
    }

    /** Whether every trainer of the group reports that nothing was done yet. */
    public static boolean isUntouched(Transition transition, String group) {
        return transition.view().group(group).stream()
                .allMatch(member -> progress(transition, member)
                        .filter(progress -> progress.doneUpTo() <= 0)
                        .isPresent());
    }

    /** The progress that a trainer of the view reports. */
    private static Optional<ViewState.Progress> progress(Transition transition, Member member) {
        return transition.isSelf(member)
                ? Optional.of(transition.progress)
                : known(transition, member)
                        .flatMap(Peer::presence)
                        .filter(presence -> presence.lineage().equals(transition.current.lineage()))
                        .map(presence -> new ViewState.Progress(presence.doneUpTo(), presence.phase()));
    }

    /** Whether a node's messages count: ballots and votes of machines without a vote do not. */
    public static boolean counts(Transition transition, NodeId from, Message message) {
        return switch (message) {
            case Message.Prepare _, Message.Accept _, Message.Promise _, Message.Accepted _, Message.Gone _ ->
                !transition.hasNoVote(from.peer());
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
