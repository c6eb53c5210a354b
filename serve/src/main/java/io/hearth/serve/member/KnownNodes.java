package io.hearth.serve.member;

import io.hearth.election.Lineage;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The view of this node, and the nodes that it has links to, as far as services need them. An immutable value.
 *
 * @param place where this node lives; empty before its first view
 * @param nodes linked ones, and members of the view that said what they serve before their link was lost
 */
record KnownNodes(Optional<Place> place, SortedMap<NodeId, Known> nodes) {
    static final KnownNodes NONE = new KnownNodes(Optional.empty(), Collections.emptySortedMap());

    /** A view. */
    record Place(Lineage lineage, long epoch, List<NodeId> members) {
        Place {
            members = List.copyOf(members);
        }
    }

    /** One node. */
    record Known(boolean isLinked, Optional<InetAddress> address, Optional<ServesNote> note) {}

    KnownNodes {
        nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
    }

    KnownNodes linked(NodeId node, Optional<InetAddress> address) {
        return with(node, new Known(true, address, Optional.empty()));
    }

    KnownNodes moved(NodeId node, Optional<InetAddress> address) {
        Known known = nodes.get(node);
        return with(node, new Known(true, address, known == null ? Optional.empty() : known.note()));
    }

    KnownNodes said(NodeId node, ServesNote note) {
        Known known = nodes.get(node);
        return known == null ? this : with(node, new Known(known.isLinked(), known.address(), Optional.of(note)));
    }

    KnownNodes unlinked(NodeId node) {
        Known known = nodes.get(node);
        return known == null
                ? this
                : with(node, new Known(false, known.address(), known.note())).pruned();
    }

    KnownNodes viewed(Place newest) {
        return new KnownNodes(Optional.of(newest), nodes).pruned();
    }

    private KnownNodes with(NodeId node, Known known) {
        var next = new TreeMap<>(nodes);
        next.put(node, known);
        return new KnownNodes(place, next);
    }

    private KnownNodes pruned() {
        List<NodeId> members = place.map(Place::members).orElse(List.of());
        var next = new TreeMap<>(nodes);
        next.entrySet().removeIf(entry -> !entry.getValue().isLinked() && !members.contains(entry.getKey()));
        return new KnownNodes(place, next);
    }

    /** The members of the view that serve this service, in its order; this node serves it. */
    List<NodeId> serving(String service, NodeId self) {
        var serving = new ArrayList<NodeId>();
        for (NodeId member : place.map(Place::members).orElse(List.of())) {
            if (member.equals(self) || serves(member, service)) {
                serving.add(member);
            }
        }
        return serving;
    }

    boolean serves(NodeId node, String service) {
        return settings(node, service).isPresent();
    }

    /** The settings with which a node serves this service, if they are known and are others than ours. */
    Optional<String> otherSettings(NodeId node, String service, String ours) {
        return settings(node, service).filter(theirs -> !theirs.isEmpty() && !theirs.equals(ours));
    }

    private Optional<String> settings(NodeId node, String service) {
        return Optional.ofNullable(nodes.get(node))
                .flatMap(Known::note)
                .flatMap(note -> Optional.ofNullable(note.services().get(service)));
    }

    /** Where a linked node is reached; empty if it is not linked, or serves nothing. */
    Optional<InetSocketAddress> address(NodeId node) {
        return Optional.ofNullable(nodes.get(node))
                .filter(Known::isLinked)
                .flatMap(known -> known.address()
                        .flatMap(address -> known.note().map(note -> new InetSocketAddress(address, note.port()))));
    }

    boolean isLinked(PeerId machine) {
        return nodes.entrySet().stream()
                .anyMatch(entry ->
                        entry.getValue().isLinked() && entry.getKey().peer().equals(machine));
    }

    boolean isLinked(InetAddress address) {
        return nodes.values().stream()
                .anyMatch(known -> known.isLinked()
                        && known.address().filter(address::equals).isPresent());
    }
}
