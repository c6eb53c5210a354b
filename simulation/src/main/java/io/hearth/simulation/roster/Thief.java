package io.hearth.simulation.roster;

import static io.hearth.simulation.roster.RosterHome.HOME;
import static io.hearth.simulation.roster.RosterHome.MILLI;
import static io.hearth.simulation.roster.RosterHome.SECOND;

import io.hearth.core.Bytes;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Admission;
import io.hearth.identity.roster.Charter;
import io.hearth.identity.roster.Common;
import io.hearth.identity.roster.GrantKind;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.RosterEncoding;
import io.hearth.identity.roster.RosterEntry;
import io.hearth.identity.roster.Signatures;
import io.hearth.identity.roster.machine.RosterMachine.LinkId;
import io.hearth.identity.roster.machine.RosterMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The actions of the stolen machine: it sends any entries to its links, and secrets of its own, and comes back with another identity.
 */
final class Thief {
    private static final long SNEAK_NANOS = 500 * MILLI;
    private static final long HANDSHAKE_NANOS_MAX = 5 * SECOND;

    /** Identities that the stolen machine grants after its removal, while some machines do not know of it. */
    static final List<PeerId> GRANTED =
            List.of(DigestSignatures.peer(100), DigestSignatures.peer(101), DigestSignatures.peer(102));

    /** Another identity of the stolen machine, without a grant. */
    private static final PeerId GUEST = DigestSignatures.peer(202);

    /** Identities without a grant; charters of the stolen machine list them. */
    static final List<PeerId> INVENTED = List.of(DigestSignatures.peer(200), DigestSignatures.peer(201));

    private final RosterHome home;

    Thief(RosterHome home) {
        this.home = home;
    }

    /** The stolen machine makes secrets of its own, with any lists and marks in their charters; before its removal, too. */
    void issue() {
        if (home.thief.isEmpty()) {
            return;
        }
        PeerId self = home.thief.get();
        for (RosterWire wire : List.copyOf(home.wires)) {
            if (wire.one.peer.equals(self) || wire.other.peer.equals(self)) {
                RosterNode honest = wire.one.peer.equals(self) ? wire.other : wire.one;
                RosterBook.Offer offer = forged(self, honest);
                wire.carry(honest, () -> honest.receive(wire, new RosterMessage.Secret(offer)));
            }
        }
    }

    private RosterBook.Offer forged(PeerId self, RosterNode honest) {
        var members = honest.book().roster().members();
        members.add(self);
        var marks = new ArrayList<Bytes>();
        int leap = home.random.nextBoolean() ? 1 : home.random.nextInt(1, 60);
        switch (home.random.nextInt(home.isLight ? 4 : 5)) {
            case 0 -> members.add(INVENTED.get(home.random.nextInt(INVENTED.size())));
            case 1 -> {
                PeerId healthy = home.nodes.get(home.random.nextInt(home.nodes.size())).peer;
                marks.add(Charter.mark(
                        healthy.equals(self) || home.removedByOwners.contains(healthy) ? honest.peer : healthy));
            }
            case 2 -> {
                members.add(INVENTED.get(home.random.nextInt(INVENTED.size())));
                home.nodes.stream()
                        .filter(node -> node != honest && !node.peer.equals(self))
                        .forEach(node -> marks.add(Charter.mark(node.peer)));
            }
            case 3 -> {
                members.removeIf(member -> !member.equals(self) && !member.equals(honest.peer));
                if (home.isLight) { // machines that others granted still belong to the home, so this secret may be
                    // valid
                    members.add(INVENTED.getFirst());
                }
            }
            default -> {} // only its issuer is wrong
        }
        NetworkNamespace fresh = home.secret(honest.book().current().generation() + leap);
        home.thiefKnows.add(fresh);
        var unsigned = new Charter(
                fresh.generation(), RosterBook.keyId(fresh), self, 1, List.copyOf(members), marks, Bytes.EMPTY);
        Bytes signature = DigestSignatures.hand(self).sign(RosterEncoding.words(HOME, unsigned));
        return new RosterBook.Offer(
                new Charter(
                        unsigned.generation(),
                        unsigned.keyId(),
                        self,
                        1,
                        unsigned.members(),
                        unsigned.removed(),
                        signature),
                fresh);
    }

    /** The stolen machine after its removal: it sends useful entries over the links that it still has. */
    void lie() {
        if (home.thief.isEmpty() || !home.removedByOwners.contains(home.thief.get())) {
            return;
        }
        PeerId self = home.thief.get();
        Signatures.Hand hand = DigestSignatures.hand(self);
        PeerId sybil = GRANTED.get(home.random.nextInt(GRANTED.size()));
        PeerId victim = home.nodes.get(home.random.nextInt(home.nodes.size())).peer;
        var entries = new ArrayList<RosterEntry>();
        RosterEntry.Grant grant = new RosterEntry.Grant(sybil, self, "s", GrantKind.PAIRED, 1, Bytes.EMPTY);
        entries.add(grant.signed(hand.sign(RosterEncoding.words(HOME, grant))));
        RosterEntry.Grant again = new RosterEntry.Grant(self, sybil, "t", GrantKind.PAIRED, 1, Bytes.EMPTY);
        entries.add(again.signed(DigestSignatures.hand(sybil).sign(RosterEncoding.words(HOME, again))));
        if (!home.isLight
                && home.random.nextBoolean()) { // of an unknown machine, so that each believer makes a new secret
            var unknown = new RosterEntry.Removal(DigestSignatures.peer(150), self, 1, Bytes.EMPTY);
            entries.add(unknown.signed(hand.sign(RosterEncoding.words(HOME, unknown))));
        }
        if (!victim.equals(self)) { // forged: it has no other machine's key
            PeerId author = home.nodes.get(home.random.nextInt(home.nodes.size())).peer;
            if (!author.equals(self) && !author.equals(victim)) {
                var forged = new RosterEntry.Removal(victim, author, 1, Bytes.EMPTY);
                entries.add(forged.signed(hand.sign(RosterEncoding.words(HOME, forged))));
            }
        }
        for (RosterWire wire : List.copyOf(home.wires)) {
            if (wire.one.peer.equals(self) || wire.other.peer.equals(self)) {
                RosterNode honest = wire.one.peer.equals(self) ? wire.other : wire.one;
                wire.carry(honest, () -> honest.receive(wire, new RosterMessage.Page(Optional.empty(), entries)));
            }
        }
    }

    /**
     * The stolen machine with an identity that is on no roster, and a secret that it knows. The proof of a handshake is fixed when it
     * begins; admission decides when it ends.
     */
    void sneak() {
        home.after(SNEAK_NANOS, this::sneak);
        for (RosterNode node : home.nodes) {
            boolean isThief = home.thief.equals(Optional.of(node.peer));
            if (node.isUp() && !isThief && home.thiefKnows.contains(node.book().current()) && !node.hasGuest()) {
                Bytes proved = node.book().keyId();
                long life = node.life;
                home.after(home.random.nextLong(HANDSHAKE_NANOS_MAX), () -> {
                    boolean isRefused = Admission.refuses(node.book().roster(), node.peer, GUEST, Common.CURRENT, false)
                            .isPresent();
                    if (node.isUp() && node.life == life && !isRefused) {
                        node.greet(new LinkId(GUEST, home.number()), proved);
                    }
                });
            }
        }
    }
}
