package io.hearth.simulation.roster;

import static io.hearth.simulation.roster.RosterHome.MILLI;
import static io.hearth.simulation.roster.RosterHome.SECOND;

import io.hearth.core.Bytes;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Common;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** The rules of a home, as {@link RosterWorld} lists them. */
final class RosterRules {
    private final RosterHome home;

    RosterRules(RosterHome home) {
        this.home = home;
    }

    /** The rules that hold after each event. */
    void check() {
        for (RosterWire wire : home.wires) {
            if (home.now - wire.openNanos < SECOND) {
                continue; // without a home.bug, a node closes it in the same step; a new link gets some time
            }
            Violated.require(!wire.one.knows(wire.other.peer), wire + " is open though the first knows the removal");
            Violated.require(!wire.other.knows(wire.one.peer), wire + " is open though the second knows the removal");
        }
        for (RosterNode node : home.nodes) {
            if (node.isUp()) {
                node.requireLossesReported();
                for (Bytes proved : node.guests.values()) {
                    Violated.require(
                            proved.equals(node.book().keyId()),
                            home.name(node.peer)
                                    + " talks to a machine that is on no roster and proved a secret that was replaced");
                }
                for (PeerId invented : Thief.INVENTED) {
                    Violated.require(
                            !node.book().roster().isMember(invented),
                            home.name(node.peer) + " holds a machine for a member that nobody granted");
                }
                if (!home.thief.equals(Optional.of(node.peer))) {
                    for (RosterNode other : home.nodes) {
                        Violated.require(
                                home.removedByOwners.contains(other.peer) || !node.knows(other.peer),
                                home.name(node.peer) + " holds " + home.name(other.peer)
                                        + " for removed, and no person did that");
                    }
                }
            }
        }
    }

    /** A node asks all that it is linked with, and commits with those that answered if they are a quorum. */
    void propose() {
        List<RosterNode> up = home.nodes.stream().filter(RosterNode::isUp).toList();
        if (up.isEmpty()) {
            return;
        }
        RosterNode proposer = up.get(home.random.nextInt(up.size()));
        SortedSet<PeerId> answered = new TreeSet<>();
        answered.add(proposer.peer);
        SortedSet<PeerId> knewBefore = new TreeSet<>();
        for (PeerId removed : home.removedByOwners) {
            long know = home.nodes.stream()
                    .filter(node -> node.isUp() && node.knows(removed))
                    .count();
            if (2 * know > home.nodes.size()) {
                knewBefore.add(removed);
            }
        }
        long life = proposer.life;
        for (RosterWire wire : List.copyOf(home.wires)) {
            if (!wire.rekey && (wire.one == proposer || wire.other == proposer)) {
                RosterNode asked = wire.one == proposer ? wire.other : wire.one;
                wire.carry(asked, () -> wire.carry(proposer, () -> answered.add(asked.peer)));
            }
        }
        home.after(500 * MILLI, () -> {
            if (proposer.isUp() && proposer.life == life && 2 * answered.size() > home.nodes.size()) {
                answered.removeIf(proposer::knows); // the view change omits machines that the roster removed
                for (PeerId removed : knewBefore) {
                    Violated.require(
                            !answered.contains(removed), "a view has " + home.name(removed) + " though a quorum knew");
                }
            }
        });
    }

    /**
     * The rules about the end.
     *
     * @return number of machines that have to be paired again
     */
    int end() {
        List<RosterNode> owners = home.nodes.stream()
                .filter(node -> !home.removedByOwners.contains(node.peer))
                .toList();
        int newest = owners.stream()
                .mapToInt(node -> node.disk.current().generation())
                .max()
                .orElse(1);
        var locked = new ArrayList<RosterNode>();
        for (RosterNode one : owners) {
            for (RosterNode other : owners) {
                boolean differ = !one.disk.keyId().equals(other.disk.keyId());
                if (differ && one.common(other) != Common.NONE && one.isUp() && other.isUp()) {
                    Violated.require(
                            one.isTold() || other.isTold(),
                            home.name(one.peer) + " and " + home.name(other.peer) + " hold secrets "
                                    + one.disk.keyId().hex() + " and "
                                    + other.disk.keyId().hex() + " of generations "
                                    + one.disk.current().generation() + " and "
                                    + other.disk.current().generation() + " in the end");
                }
            }
            if (one.disk.current().generation() < newest || one.isApart(owners)) {
                locked.add(one);
            }
        }
        Violated.require(
                !home.isLight || locked.isEmpty(),
                "locked out though nobody missed two generations: "
                        + locked.stream().map(node -> home.name(node.peer)).toList());
        for (RosterNode node : owners) {
            boolean hasCharter = node.disk.roster().charter().isPresent();
            boolean isNewest = node.disk.current().generation() == newest;
            if (isNewest && hasCharter && !node.isApart(owners)) {
                for (PeerId removed : home.removedByOwners) {
                    Violated.require(
                            home.untold.contains(removed) || node.disk.roster().isRemoved(removed),
                            home.name(node.peer) + " does not know that " + home.name(removed) + " was removed");
                }
                for (PeerId granted : Thief.GRANTED) {
                    Violated.require(
                            !node.disk.roster().isMember(granted),
                            home.name(node.peer) + " gives its secret to a machine that the removed one granted");
                }
                Violated.require(
                        home.thief.isEmpty()
                                || !home.removedByOwners.contains(home.thief.get())
                                || !home.thiefKnows.contains(node.disk.current()),
                        "the removed machine knows the secret of " + home.name(node.peer));
            }
        }
        return locked.size();
    }
}
