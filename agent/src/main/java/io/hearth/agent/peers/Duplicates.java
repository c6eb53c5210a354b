package io.hearth.agent.peers;

import io.hearth.agent.status.ClusterStatus;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.transport.Appearance;
import io.hearth.transport.DoubledIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The identities that two computers use, with messages for people. Owner thread only. */
public final class Duplicates {
    private static final Logger LOG = LoggerFactory.getLogger(Duplicates.class);
    private static final String REMEDY =
            "run 'hearth identity reset' on one of the two, then start Hearth again on both";

    private final NodeId self;
    private SortedMap<PeerId, DoubledIdentity> others = new TreeMap<>();
    private Optional<ClusterStatus.Doubled> own = Optional.empty();

    public Duplicates(NodeId self) {
        this.self = self;
    }

    /** Takes the set of other nodes' identities that two computers use. */
    public void others(SortedMap<PeerId, DoubledIdentity> machines) {
        machines.forEach((machine, found) -> {
            if (!others.containsKey(machine)) {
                LOG.warn(
                        "peer={} is doubled: {}", machine.shortText(), of(found).text());
            }
        });
        others.keySet().stream()
                .filter(machine -> !machines.containsKey(machine))
                .forEach(machine -> LOG.info(
                        "peer={} is no longer doubled: one of the two computers was not seen lately",
                        machine.shortText()));
        others = new TreeMap<>(machines);
    }

    /**
     * Records that another computer uses this node's identity.
     *
     * @param by the node that reported it; this node itself if it met the other computer
     * @return the line for people
     */
    public String own(DoubledIdentity found, NodeId by) {
        String text = "another computer uses the identity of this one too, at "
                + found.other().address() + " (said by "
                + (by.equals(self) ? "that computer itself" : by.shortText()) + "): this node is out of its cluster and"
                + " joins no cluster until it is started again; " + REMEDY;
        own = Optional.of(new ClusterStatus.Doubled(
                self.peer().shortText(), true, List.of(found.other().address()), text));
        LOG.warn("this node is doubled: {}", text);
        return text;
    }

    /** All machines whose identity two computers use, this one included. */
    public SortedSet<PeerId> machines() {
        var machines = new TreeSet<>(others.keySet());
        if (own.isPresent()) {
            machines.add(self.peer());
        }
        return machines;
    }

    /** The line for people if another computer uses this node's identity; empty if none does. */
    public Optional<String> own() {
        return own.map(ClusterStatus.Doubled::text);
    }

    /** The line for people if two computers use the identity of {@code node}; empty if one does. */
    public Optional<String> of(NodeId node) {
        return Optional.ofNullable(others.get(node.peer()))
                .map(found -> of(found).text());
    }

    /** All doubled identities, this node's first. */
    public List<ClusterStatus.Doubled> list() {
        var all = new ArrayList<ClusterStatus.Doubled>();
        own.ifPresent(all::add);
        others.values().forEach(found -> all.add(of(found)));
        return all;
    }

    private static ClusterStatus.Doubled of(DoubledIdentity found) {
        String text = "two computers use its identity, " + text(found.one()) + " and " + text(found.other())
                + ": its votes do not count and it is not admitted; " + REMEDY;
        return new ClusterStatus.Doubled(
                found.machine().shortText(),
                false,
                List.of(found.one().address(), found.other().address()),
                text);
    }

    private static String text(Appearance one) {
        return one.slot() + " at " + one.address();
    }
}
