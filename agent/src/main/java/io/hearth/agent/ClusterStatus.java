package io.hearth.agent;

import io.hearth.collective.group.GroupActivity;
import io.hearth.discovery.mdns.MdnsCounters;
import io.hearth.election.ElectionState;
import io.hearth.election.MessageRejection;
import io.hearth.election.Role;
import io.hearth.election.health.HealthStatus;
import io.hearth.identity.NodeId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What a node believes at one moment: all that {@code status}, {@code wait} and a script's waiting look at.
 *
 * @param self this node
 * @param port it listens on
 * @param namespace that it takes part in
 * @param state of it in the choice of the master
 * @param waiting why it waits for admission or for a quorum
 * @param view where it lives
 * @param nodes this node, all members of its view and all others that are linked; members first, in rank order
 * @param refused who was met and is no peer, the newest last
 * @param faults peers that sent what this node could not read or handle, so that their link was closed, or a view that
 *     contradicts another one; the newest last
 * @param doubled identities that two computers use, this node's own first
 * @param ignored well-formed messages of linked nodes that had no effect since the start, by reason; only reasons that occurred
 * @param firstPeerMillis from the node's start to its first admitted link
 * @param trainersElsewhere trainers of the own group that are at work in another view, or have all its places
 * @param trainers other trainers of the own group that are linked, and what each said of itself
 * @param discovery what was tried to find peers, in one line, while there are none
 * @param mdns what mDNS did and heard on each interface in use
 */
public record ClusterStatus(
        NodeId self,
        int port,
        Namespace namespace,
        ElectionState state,
        Optional<String> waiting,
        ViewSummary view,
        List<Node> nodes,
        List<Refused> refused,
        List<Fault> faults,
        List<Doubled> doubled,
        Map<MessageRejection, Long> ignored,
        OptionalLong firstPeerMillis,
        int trainersElsewhere,
        List<Trainer> trainers,
        Optional<String> discovery,
        List<MdnsCounters> mdns) {
    public ClusterStatus {
        nodes = List.copyOf(nodes);
        refused = List.copyOf(refused);
        faults = List.copyOf(faults);
        doubled = List.copyOf(doubled);
        trainers = List.copyOf(trainers);
        mdns = List.copyOf(mdns);
        ignored = Collections.unmodifiableMap(new TreeMap<>(ignored));
    }

    /** A namespace as it may be shown: never its secret. */
    public record Namespace(String name, String keyId, boolean open) {}

    /**
     * A view in short.
     *
     * @param lineage in short form
     * @param epoch its number
     * @param members all of them
     * @param master rank 0
     * @param toldBy where this node has it from, in short form
     */
    public record ViewSummary(String lineage, long epoch, int members, NodeId master, String toldBy) {}

    /**
     * One node.
     *
     * @param label for people, as the node said; empty while unknown
     * @param role known of members only
     * @param group of a trainer
     * @param rank in the view, of members only
     * @param address of the link to it
     * @param health what the failure detector thinks; healthy of itself
     * @param roundTripNanos newest measured
     * @param meanRoundTripNanos smoothed
     * @param apart why it is not in one view with this node, or why it is waited for; never of a node whose health is healthy
     */
    public record Node(
            NodeId id,
            String label,
            Optional<Role> role,
            String group,
            OptionalInt rank,
            boolean isSelf,
            Optional<String> address,
            HealthStatus health,
            OptionalLong roundTripNanos,
            OptionalLong meanRoundTripNanos,
            Optional<String> apart) {}

    /**
     * Another trainer of the own group.
     *
     * @param inView whether it is in the same view as this node
     * @param least ranks that it waits for
     * @param spare it waits outside because the group is full
     */
    public record Trainer(NodeId id, boolean inView, GroupActivity activity, int least, boolean spare) {
        /** What it is doing, for people. */
        public String text() {
            String what = switch (activity) {
                case IDLE -> "has not called context() yet";
                case STARTING -> "waits in context() for " + least + (least == 1 ? " rank" : " ranks");
                case WORKING -> "is at work without steps: nobody can enter";
                case STEPPING -> "is at work by steps";
            };
            return (spare ? "is a spare, " : "") + what + (inView ? "" : ", in another view");
        }
    }

    /** Somebody who was met and is no peer. */
    public record Refused(String address, String who, String why, long count) {}

    /** Whose messages were rejected, why the last one was, and how many. */
    public record Fault(String who, String why, long count) {}

    /**
     * An identity that two computers use.
     *
     * @param who it names, in short form
     * @param isSelf whether it is this node's
     * @param addresses where the two are, as far as that is known; of this node's own, where the other is
     * @param text what that means and what to do
     */
    public record Doubled(String who, boolean isSelf, List<String> addresses, String text) {
        public Doubled {
            addresses = List.copyOf(addresses);
        }
    }

    /** What a person has to do if another computer uses this node's identity; empty if none does. */
    public Optional<String> ownDoubled() {
        return doubled.stream().filter(Doubled::isSelf).map(Doubled::text).findFirst();
    }

    /** Other machines in the view, each counted once. */
    public int otherMachines() {
        return (int) nodes.stream()
                .filter(node -> node.rank().isPresent() && !node.id().peer().equals(self.peer()))
                .map(node -> node.id().peer())
                .distinct()
                .count();
    }

    /** Trainers of a group in the view, this node left out. */
    public int otherTrainers(String group) {
        return (int) nodes.stream()
                .filter(node -> node.rank().isPresent()
                        && !node.isSelf()
                        && node.role().equals(Optional.of(Role.TRAINER))
                        && node.group().equals(group))
                .count();
    }

    /** What the other trainers of the group are doing, in one line for people. */
    public String explainTrainers() {
        return trainers.isEmpty()
                ? "no other trainer of the group is linked"
                : String.join(
                        "; ",
                        trainers.stream()
                                .map(other -> name(other.id()) + " " + other.text())
                                .toList());
    }

    private String name(NodeId node) {
        return nodes.stream()
                .filter(known -> known.id().equals(node) && !known.label().isEmpty())
                .findFirst()
                .map(known -> node.shortText() + " (" + known.label() + ")")
                .orElse(node.shortText());
    }

    /** Who is there and who was refused, in one line for people. */
    public String explain() {
        var there = nodes.stream()
                .filter(node -> !node.isSelf())
                .map(node -> node.id().shortText()
                        + (node.label().isEmpty() ? "" : " (" + node.label() + ")")
                        + (node.rank().isPresent() ? "" : ", linked, not in the view"))
                .toList();
        var line = new StringBuilder(there.isEmpty() ? "nobody else is here" : "here: " + String.join("; ", there));
        waiting.ifPresent(why -> line.append("; waiting: ").append(why));
        doubled.stream()
                .filter(other -> !other.isSelf())
                .forEach(other -> line.append("; doubled: ")
                        .append(other.who())
                        .append(", ")
                        .append(other.text()));
        refused.forEach(other -> line.append("; refused: ")
                .append(other.who().isEmpty() ? other.address() : other.who() + " at " + other.address())
                .append(", ")
                .append(other.why()));
        if (there.isEmpty()) {
            discovery.ifPresent(tried -> line.append("; ").append(tried));
        }
        return line.toString();
    }
}
