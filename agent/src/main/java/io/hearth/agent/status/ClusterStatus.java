package io.hearth.agent.status;

import io.hearth.collective.group.GroupActivity;
import io.hearth.discovery.mdns.MdnsCounters;
import io.hearth.election.ElectionState;
import io.hearth.election.MessageRejection;
import io.hearth.election.Role;
import io.hearth.election.health.HealthStatus;
import io.hearth.election.health.Preset;
import io.hearth.election.health.Silence;
import io.hearth.identity.NodeId;
import io.hearth.topology.Straggler;
import io.hearth.topology.export.SlowLink;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The status of a node at one moment, for {@code status}, {@code wait} and the waits of a script.
 *
 * @param self this node
 * @param port it listens on
 * @param namespace of this node
 * @param state of this node in the election of the master
 * @param waiting reason why it waits for admission or for a quorum
 * @param view its current view
 * @param silence after which a peer is suspected
 * @param nodes this node, all members of its view and all others that are linked; members first, in rank order
 * @param away nodes that were linked and are not now, the newest last
 * @param refused rejected connections, the newest last
 * @param faults peers whose messages this node could not read or handle, so that it closed the link, or whose view contradicts another one;
 *     the newest last
 * @param doubled identities that two computers use, this node's own first
 * @param ignored well-formed messages of linked nodes that had no effect since the start, by reason; only reasons that occurred
 * @param firstPeerMillis from the node's start to its first admitted link
 * @param trainersElsewhere trainers of this node's group that train in another view, or fill all places of the group
 * @param trainers other linked trainers of this node's group, with their notes
 * @param discovery attempts to find peers, in one line, while there are none
 * @param mdns counters of mDNS per interface in use
 * @param slowLinks links that carry much less than they did
 * @param delays nodes for which collectives wait, by the node that waits
 */
public record ClusterStatus(
        NodeId self,
        int port,
        Namespace namespace,
        ElectionState state,
        Optional<String> waiting,
        ViewSummary view,
        SilenceSpan silence,
        List<Node> nodes,
        List<Away> away,
        List<Refused> refused,
        List<Fault> faults,
        List<Doubled> doubled,
        Map<MessageRejection, Long> ignored,
        OptionalLong firstPeerMillis,
        int trainersElsewhere,
        List<Trainer> trainers,
        Optional<String> discovery,
        List<MdnsCounters> mdns,
        List<SlowLink> slowLinks,
        Map<NodeId, Straggler> delays) {
    public ClusterStatus {
        nodes = List.copyOf(nodes);
        away = List.copyOf(away);
        refused = List.copyOf(refused);
        faults = List.copyOf(faults);
        doubled = List.copyOf(doubled);
        trainers = List.copyOf(trainers);
        mdns = List.copyOf(mdns);
        slowLinks = List.copyOf(slowLinks);
        delays = Collections.unmodifiableMap(new TreeMap<>(delays));
        ignored = Collections.unmodifiableMap(new TreeMap<>(ignored));
    }

    /** A namespace as it may be displayed, without its secret. */
    public record Namespace(String name, String keyId, boolean open) {}

    /** The span of silence after which a peer is suspected. */
    public record SilenceSpan(long nanos, Silence.Origin origin) {
        /** For people. */
        public String text() {
            boolean isPreset = origin != Silence.Origin.IDLE;
            String name = Preset.of(nanos)
                    .filter(_ -> isPreset)
                    .map(preset -> preset.text() + ", ")
                    .orElse("");
            return String.format(Locale.ROOT, "%.1f s of silence (%s%s)", nanos / 1e9, name, origin.text());
        }
    }

    /**
     * A view in short.
     *
     * @param lineage in short form
     * @param epoch its number
     * @param members all of them
     * @param master rank 0
     * @param toldBy sender from which this node got it, in short form
     */
    public record ViewSummary(String lineage, long epoch, int members, NodeId master, String toldBy) {}

    /**
     * One node.
     *
     * @param label for people, from the node's introduction; empty while unknown
     * @param version of Hearth; empty while unknown
     * @param role of members only
     * @param group of a trainer
     * @param rank in the view, of members only
     * @param address at which it can be dialled; the last one known if it is away
     * @param health opinion of the failure detector; healthy for this node itself
     * @param roundTripNanos latest measurement; empty if there is no link
     * @param meanRoundTripNanos smoothed measurement
     * @param apart reason why it is not in this node's view, or why this node waits for it; never for a healthy node
     */
    public record Node(
            NodeId id,
            String label,
            String version,
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
     * Another trainer of this node's group.
     *
     * @param inView whether it is in the same view as this node
     * @param least ranks that it waits for
     * @param spare whether it waits because the group is full
     */
    public record Trainer(NodeId id, boolean inView, GroupActivity activity, int least, boolean spare) {
        /** Its activity, for people. */
        public String text() {
            String what = switch (activity) {
                case IDLE -> "has not called context() yet";
                case STARTING -> "waits in context() for " + least + (least == 1 ? " rank" : " ranks");
                case WORKING -> "trains without steps: no trainer can enter";
                case STEPPING -> "trains in steps";
            };
            return (spare ? "is a spare, " : "") + what + (inView ? "" : ", in another view");
        }
    }

    /**
     * A node that was linked and is not now.
     *
     * @param label empty if it never sent one
     * @param address last one at which it could be dialled; empty if there was none
     * @param sinceMillis wall time of the loss
     * @param why reason of the loss, for people
     */
    public record Away(NodeId id, String label, String address, long sinceMillis, String why) {}

    /** Rejected connections with the same host, identity and cause. */
    public record Refused(String address, String who, String why, long count) {}

    /** Rejected messages of one sender: the reason for the last one, and their number. */
    public record Fault(String who, String why, long count) {}

    /**
     * An identity that two computers use.
     *
     * @param who the identity, in short form
     * @param isSelf whether it is this node's
     * @param addresses of the two computers, as far as known; for this node's own identity, of the other computer
     * @param text consequence and remedy
     */
    public record Doubled(String who, boolean isSelf, List<String> addresses, String text) {
        public Doubled {
            addresses = List.copyOf(addresses);
        }
    }

    /** The remedy if another computer uses this node's identity; empty if none does. */
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

    /** Number of trainers of a group in the view, not counting this node. */
    public int otherTrainers(String group) {
        return (int) nodes.stream()
                .filter(node -> node.rank().isPresent()
                        && !node.isSelf()
                        && node.role().equals(Optional.of(Role.TRAINER))
                        && node.group().equals(group))
                .count();
    }

    /** The activities of the group's other trainers, in one line for people. */
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
        String label = label(node);
        return node.shortText() + (label.isEmpty() ? "" : " (" + label + ")");
    }

    /** The label of a node that is here or away; empty while unknown. */
    public String label(NodeId node) {
        return nodes.stream()
                .filter(known -> known.id().equals(node))
                .map(Node::label)
                .filter(label -> !label.isEmpty())
                .findFirst()
                .or(() -> away.stream()
                        .filter(gone -> gone.id().equals(node))
                        .map(Away::label)
                        .findFirst())
                .orElse("");
    }

    /** The nodes found and the rejected ones, in one line for people. */
    public String explain() {
        var there = nodes.stream()
                .filter(node -> !node.isSelf())
                .map(node -> node.id().shortText()
                        + (node.label().isEmpty() ? "" : " (" + node.label() + ")")
                        + (node.rank().isPresent() ? "" : ", linked, not in the view"))
                .toList();
        var line = new StringBuilder(there.isEmpty() ? "no other node found" : "here: " + String.join("; ", there));
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
