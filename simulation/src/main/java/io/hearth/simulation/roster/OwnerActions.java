package io.hearth.simulation.roster;

import static io.hearth.simulation.roster.RosterHome.SECOND;
import static io.hearth.simulation.roster.RosterHome.TROUBLE_NANOS;

import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.GrantKind;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.machine.RosterMachine.Effect;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;

/** The owners of the machines of a home: they pair and remove machines, and change the secret. */
final class OwnerActions {
    private final RosterHome home;
    private int changes;

    OwnerActions(RosterHome home) {
        this.home = home;
    }

    /** Number of removals and new secrets so far. */
    int changes() {
        return changes;
    }

    /**
     * After a cut, one side removes a machine, and the other side removes the one that signed the removal. Once they meet, a person that
     * reads the report removes the machine again.
     */
    void planCrossed() {
        var order = new ArrayList<>(home.nodes);
        for (int i = order.size() - 1; i > 0; i--) {
            Collections.swap(order, i, home.random.nextInt(i + 1));
        }
        RosterNode signer = order.get(0); // the first machine of the other side removes it
        RosterNode witness = order.get(1);
        RosterNode other = order.get(2);
        RosterNode victim = order.get(3);
        home.after(2 * SECOND, () -> {
            for (RosterNode node : home.nodes) {
                home.sides[node.index] =
                        node == signer || node == witness ? 0 : node == other ? 1 : home.random.nextInt(2);
            }
            home.cutWires();
        });
        home.after(3 * SECOND + home.random.nextLong(4 * SECOND), () -> remove(signer, List.of(victim.peer)));
        home.after(3 * SECOND + home.random.nextLong(4 * SECOND), () -> remove(other, List.of(signer.peer)));
        home.after(10 * SECOND, home::heal);
        home.after(
                40 * SECOND,
                () -> home.nodes.stream()
                        .filter(node -> node.said.contains("no longer counts"))
                        .findFirst()
                        .ifPresent(node -> remove(node, List.of(victim.peer))));
    }

    /** A person pairs the machines of the second roster again, one after the other, then removes one of them. */
    void planTwoFounders() {
        RosterNode sponsor = home.nodes.getFirst();
        List<RosterNode> others = home.nodes.stream()
                .filter(node -> !node.disk.roster().root().equals(Optional.of(sponsor.peer)))
                .toList();
        home.after(
                15 * SECOND,
                () -> home.nodes.forEach(node -> Violated.require(
                        node.said.contains("two machines founded"),
                        home.name(node.peer) + " does not tell that there are two")));
        for (int i = 0; i < others.size(); i++) {
            RosterNode over = others.get(i);
            home.after((20 + 5L * i) * SECOND, () -> {
                sponsor.write(paired(sponsor.disk, sponsor.peer, over.peer));
                over.write(sponsor.disk); // the welcome replaces its own roster
            });
        }
        home.after(TROUBLE_NANOS, () -> {
            home.nodes.forEach(
                    node -> Violated.require(node.said.isEmpty(), home.name(node.peer) + " still says: " + node.said));
            remove(sponsor, List.of(others.get(home.random.nextInt(others.size())).peer));
        });
    }

    private void remove(RosterNode actor, List<PeerId> out) {
        changes++;
        home.removedByOwners.addAll(out);
        RosterBook before = actor.disk;
        actor.write(before.without(
                        DigestSignatures.hand(actor.peer),
                        out,
                        home.secret(before.current().generation() + 1),
                        home.now,
                        DigestSignatures.HONEST)
                .orElseThrow());
    }

    /** A person at some machine removes another one, or changes the secret. The stolen machine is removed first. */
    void change(IntPredicate side) {
        List<RosterNode> able = home.nodes.stream()
                .filter(node -> !home.thief.equals(Optional.of(node.peer))
                        && side.test(home.sides[node.index])
                        && !home.removedByOwners.contains(node.peer)
                        && node.disk.roster().isMember(node.peer))
                .toList();
        if (able.isEmpty()) {
            return;
        }
        RosterNode actor = able.get(home.random.nextInt(able.size()));
        List<PeerId> others = home.nodes.stream()
                .map(node -> node.peer)
                .filter(peer -> !peer.equals(actor.peer)
                        && !actor.hasActed(peer, home.nodes)
                        && !actor.disk.roster().isRemoved(peer))
                .toList();
        boolean removes =
                !others.isEmpty() && home.nodes.size() - home.removedByOwners.size() > 2 && home.random.nextInt(5) > 0;
        PeerId victim = home.thief
                .filter(others::contains)
                .orElseGet(() -> removes ? others.get(home.random.nextInt(others.size())) : actor.peer);
        RosterBook before = actor.disk;
        NetworkNamespace fresh = home.secret(before.current().generation() + 1);
        actor.acted = true;
        changes++;
        if (actor.isUp() && home.random.nextBoolean()) { // its process stores something at this moment
            actor.carryOut(new Effect.Store(before.roster().entries(), Optional.empty(), Optional.empty()));
        }
        if (removes) {
            home.removedByOwners.add(victim);
            var out = new ArrayList<>(Thief.GRANTED); // a person keeps no foreign machine
            out.removeIf(sybil -> !before.roster().isMember(sybil));
            out.add(victim);
            actor.write(before.without(DigestSignatures.hand(actor.peer), out, fresh, home.now, DigestSignatures.HONEST)
                    .orElseThrow());
        } else {
            actor.write(before.rotated(DigestSignatures.hand(actor.peer), fresh, home.now, DigestSignatures.HONEST));
        }
    }

    /** The book after {@code granter} paired {@code machine}. */
    RosterBook paired(RosterBook book, PeerId granter, PeerId machine) {
        return book.granted(
                        DigestSignatures.hand(granter),
                        machine,
                        home.name(machine),
                        GrantKind.PAIRED,
                        home.now + 2,
                        DigestSignatures.HONEST)
                .orElseThrow();
    }
}
