package io.hearth.simulation.roster;

import io.hearth.core.Bytes;
import io.hearth.core.Step;
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
import io.hearth.identity.roster.machine.RosterMachine;
import io.hearth.identity.roster.machine.RosterMachine.Effect;
import io.hearth.identity.roster.machine.RosterMachine.Event;
import io.hearth.identity.roster.machine.RosterMachine.LinkId;
import io.hearth.identity.roster.machine.RosterMachine.State;
import io.hearth.identity.roster.machine.RosterMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * A home of three to six machines in virtual time.
 *
 * <p>Machines crash before and after each write, sleep, and are cut off from one another. Persons remove machines and change the secret
 * on any of them, also at the same time on both sides of a cut. One machine is stolen. It keeps all that it knows, and sends any entries
 * to its links, and secrets of its own. The charters of these secrets list invented machines, mark machines of the owners, or omit them.
 *
 * <p>Rules that are checked after each event:
 *
 * <ul>
 *   <li>No machine has a link to one that it knows as removed.
 *   <li>No machine gives a secret to one that it knows as removed, or gives a secret that is not on its own disk.
 *   <li>No machine of an owner counts as removed, and no machine without a grant counts as a member.
 *   <li>No machine forgets a removal that it knew without a report to a person.
 *   <li>A view that is committed after a quorum knew of a removal is without the removed machine.
 * </ul>
 *
 * <p>In the end all are up and connected. Then all machines that persons did not remove share one secret, or report that they have to be
 * paired again because they missed two secrets. No removed machine ever held that secret, nor one that it granted after its removal.
 */
public final class RosterWorld {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;
    private static final long POLL_NANOS = 200 * MILLI;
    private static final long DIAL_NANOS = 500 * MILLI;
    private static final long REKEY_NANOS = 5 * SECOND;
    private static final long HANDSHAKE_NANOS_MAX = 5 * SECOND;
    private static final long TROUBLE_NANOS = 60 * SECOND;
    private static final long PEACE_NANOS = 60 * SECOND;
    private static final String HOME = "home";

    /** Identities that the stolen machine grants after its removal, while some machines do not know of it. */
    private static final List<PeerId> GRANTED =
            List.of(DigestSignatures.peer(100), DigestSignatures.peer(101), DigestSignatures.peer(102));

    /** Another identity of the stolen machine, without a grant. */
    private static final PeerId GUEST = DigestSignatures.peer(202);

    /** Identities without a grant; charters of the stolen machine list them. */
    private static final List<PeerId> INVENTED = List.of(DigestSignatures.peer(200), DigestSignatures.peer(201));

    private final SplittableRandom random;
    private final RosterBug bug;
    private final Signatures signatures;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Wire> wires = new ArrayList<>();
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::number));
    private final SortedSet<PeerId> removedByOwners = new TreeSet<>();
    private final Set<PeerId> untold =
            new TreeSet<>(); // a machine that forgot their removal died before it could report it
    private final List<NetworkNamespace> thiefKnows = new ArrayList<>();
    private final Kind kind;
    private final boolean isLight; // one change at a time, with time to agree between them
    private final Optional<PeerId> thief;
    private int[] sides;
    private long now;
    private long numbers;
    private int secrets;
    private int changes;

    /** The actions of persons in a world. */
    private enum Kind {
        /** Changes at any time. */
        ANY,
        /** Each side of a cut removes one machine; one side removes the signer of the other's removal. */
        CROSSED,
        /** Two machines founded a roster each and paired others, before they met. */
        TWO_FOUNDERS
    }

    private record Task(long atNanos, long number, Runnable what) {}

    /** A rule does not hold. */
    public static final class Violated extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Violated(String why) {
            super(why);
        }
    }

    /**
     * How a world ended.
     *
     * @param changes removals and new secrets by persons
     * @param locked machines that have to be paired again
     * @param undone machines that reported a removal as undone
     */
    public record Outcome(int changes, int locked, int undone) {}

    private RosterWorld(long seed, RosterBug bug, Kind kind) {
        this.kind = kind;
        this.random = new SplittableRandom(seed);
        this.bug = bug;
        this.signatures = bug == RosterBug.ANY_SIGNATURE ? (_, _, _) -> true : DigestSignatures.HONEST;
        this.isLight = kind == Kind.ANY && seed % 2 == 0;
        int count = kind != Kind.ANY ? 4 + random.nextInt(3) : 3 + random.nextInt(4);
        this.sides = new int[count];
        RosterBook bare = RosterBook.bySecret(secret(1));
        int here = kind == Kind.TWO_FOUNDERS ? 1 + random.nextInt(count - 1) : count;
        found(bare, 1, here);
        if (here < count) {
            found(bare, here + 1, count);
        }
        this.thief = kind == Kind.ANY && random.nextInt(3) > 0
                ? Optional.of(nodes.get(random.nextInt(count)).peer)
                : Optional.empty();
        if (thief.isPresent()) {
            thiefKnows.add(bare.current());
        }
    }

    /** The first of these machines founds the roster; each of the others is paired by an earlier one. */
    private void found(RosterBook bare, int from, int last) {
        RosterBook book = bare.founded(
                DigestSignatures.hand(DigestSignatures.peer(from)), "m" + from, from, DigestSignatures.HONEST);
        for (int number = from + 1; number <= last; number++) {
            PeerId granter = DigestSignatures.peer(from + random.nextInt(number - from));
            book = paired(book, granter, DigestSignatures.peer(number));
        }
        for (int number = from; number <= last; number++) {
            nodes.add(new Node(DigestSignatures.peer(number), number - 1, book));
        }
    }

    private RosterBook paired(RosterBook book, PeerId granter, PeerId machine) {
        return book.granted(
                        DigestSignatures.hand(granter),
                        machine,
                        name(machine),
                        GrantKind.PAIRED,
                        now + 2,
                        DigestSignatures.HONEST)
                .orElseThrow();
    }

    /**
     * Plays one world.
     *
     * @throws Violated a rule does not hold
     */
    public static Outcome play(long seed, RosterBug bug) {
        return new RosterWorld(seed, bug, Kind.ANY).run();
    }

    /**
     * Plays a world of owners alone that is cut in two. On one side a person removes a machine; on the other side one removes the machine
     * that signed the removal. Where the two meet, the first removal no longer counts; a person that reads the report removes the
     * machine again.
     *
     * @throws Violated a rule does not hold
     */
    public static Outcome playCrossed(long seed, RosterBug bug) {
        return new RosterWorld(seed, bug, Kind.CROSSED).run();
    }

    /**
     * Plays a world of owners alone in which two machines founded rosters before they met. Each machine reports it; a person pairs those of
     * the second roster again, one after the other, then removes one of them on a machine of the first.
     *
     * @throws Violated a rule does not hold
     */
    public static Outcome playTwoFounders(long seed) {
        return new RosterWorld(seed, RosterBug.NOTHING, Kind.TWO_FOUNDERS).run();
    }

    private Outcome run() {
        nodes.forEach(this::startLater);
        nodes.forEach(this::poll);
        after(DIAL_NANOS, this::dial);
        after(DIAL_NANOS, this::sneak);
        plan();
        while (now < TROUBLE_NANOS + PEACE_NANOS) {
            Task next = tasks.remove();
            now = next.atNanos();
            next.what().run();
            check();
        }
        return ending();
    }

    // ------------------------------------------------------------------ what happens

    private void plan() {
        switch (kind) {
            case CROSSED -> planCrossed();
            case TWO_FOUNDERS -> planTwoFounders();
            case ANY -> planAny();
        }
    }

    private void planAny() {
        if (isLight) { // cut, one change on each side, come together
            for (int round = 0; round < 2; round++) {
                long at = (30L * round + 2) * SECOND;
                int before = round;
                after(at, () -> cut(2));
                after(at + random.nextLong(4 * SECOND), () -> change(side -> side == 0));
                if (before == 0) {
                    after(at + random.nextLong(4 * SECOND), () -> change(side -> side == 1));
                }
                after(at + 8 * SECOND, this::heal);
            }
        } else {
            for (int i = 0; i < 12; i++) {
                after(random.nextLong(TROUBLE_NANOS), () -> cut(1 + random.nextInt(3)));
                after(random.nextLong(TROUBLE_NANOS), this::crash);
                after(random.nextLong(TROUBLE_NANOS), this::sleep);
                after(random.nextLong(TROUBLE_NANOS), this::breakWire);
            }
            int actions = 1 + random.nextInt(3);
            for (int i = 0; i < actions; i++) {
                after(random.nextLong(TROUBLE_NANOS), () -> change(_ -> true));
            }
        }
        for (int i = 0; i < 40; i++) {
            after(random.nextLong(TROUBLE_NANOS + 30 * SECOND), this::propose);
        }
        for (int i = 0; i < 30; i++) {
            after(random.nextLong(TROUBLE_NANOS + 30 * SECOND), this::lie);
            after(random.nextLong(TROUBLE_NANOS + 30 * SECOND), this::issue);
        }
        after(TROUBLE_NANOS, () -> {
            heal();
            nodes.forEach(node -> {
                if (!node.isUp()) {
                    node.start();
                }
            });
        });
    }

    private void planCrossed() {
        var order = new ArrayList<>(nodes);
        for (int i = order.size() - 1; i > 0; i--) {
            Collections.swap(order, i, random.nextInt(i + 1));
        }
        Node signer = order.get(0); // the first machine of the other side removes it
        Node witness = order.get(1);
        Node other = order.get(2);
        Node victim = order.get(3);
        after(2 * SECOND, () -> {
            for (Node node : nodes) {
                sides[node.index] = node == signer || node == witness ? 0 : node == other ? 1 : random.nextInt(2);
            }
            cutWires();
        });
        after(3 * SECOND + random.nextLong(4 * SECOND), () -> remove(signer, List.of(victim.peer)));
        after(3 * SECOND + random.nextLong(4 * SECOND), () -> remove(other, List.of(signer.peer)));
        after(10 * SECOND, this::heal);
        after(
                40 * SECOND,
                () -> nodes.stream()
                        .filter(node -> node.said.contains("no longer counts"))
                        .findFirst()
                        .ifPresent(node -> remove(node, List.of(victim.peer))));
    }

    private void planTwoFounders() {
        Node sponsor = nodes.getFirst();
        List<Node> others = nodes.stream()
                .filter(node -> !node.disk.roster().root().equals(Optional.of(sponsor.peer)))
                .toList();
        after(
                15 * SECOND,
                () -> nodes.forEach(node -> require(
                        node.said.contains("two machines founded"),
                        name(node.peer) + " does not tell that there are two")));
        for (int i = 0; i < others.size(); i++) {
            Node over = others.get(i);
            after((20 + 5L * i) * SECOND, () -> {
                sponsor.write(paired(sponsor.disk, sponsor.peer, over.peer));
                over.write(sponsor.disk); // the welcome replaces its own roster
            });
        }
        after(TROUBLE_NANOS, () -> {
            nodes.forEach(node -> require(node.said.isEmpty(), name(node.peer) + " still says: " + node.said));
            remove(sponsor, List.of(others.get(random.nextInt(others.size())).peer));
        });
    }

    private void remove(Node actor, List<PeerId> out) {
        changes++;
        removedByOwners.addAll(out);
        RosterBook before = actor.disk;
        actor.write(before.without(
                        DigestSignatures.hand(actor.peer),
                        out,
                        secret(before.current().generation() + 1),
                        now,
                        DigestSignatures.HONEST)
                .orElseThrow());
    }

    /** A person at some machine removes another one, or changes the secret. The stolen machine is removed first. */
    private void change(IntPredicate side) {
        List<Node> able = nodes.stream()
                .filter(node -> !thief.equals(Optional.of(node.peer))
                        && side.test(sides[node.index])
                        && !removedByOwners.contains(node.peer)
                        && node.disk.roster().isMember(node.peer))
                .toList();
        if (able.isEmpty()) {
            return;
        }
        Node actor = able.get(random.nextInt(able.size()));
        List<PeerId> others = nodes.stream()
                .map(node -> node.peer)
                .filter(peer -> !peer.equals(actor.peer)
                        && !actor.hasActed(peer, nodes)
                        && !actor.disk.roster().isRemoved(peer))
                .toList();
        boolean removes = !others.isEmpty() && nodes.size() - removedByOwners.size() > 2 && random.nextInt(5) > 0;
        PeerId victim = thief.filter(others::contains)
                .orElseGet(() -> removes ? others.get(random.nextInt(others.size())) : actor.peer);
        RosterBook before = actor.disk;
        NetworkNamespace fresh = secret(before.current().generation() + 1);
        actor.acted = true;
        changes++;
        if (actor.isUp() && random.nextBoolean()) { // its process stores something at this moment
            actor.carryOut(new Effect.Store(before.roster().entries(), Optional.empty(), Optional.empty()));
        }
        if (removes) {
            removedByOwners.add(victim);
            var out = new ArrayList<>(GRANTED); // a person keeps no foreign machine
            out.removeIf(sybil -> !before.roster().isMember(sybil));
            out.add(victim);
            actor.write(before.without(DigestSignatures.hand(actor.peer), out, fresh, now, DigestSignatures.HONEST)
                    .orElseThrow());
        } else {
            actor.write(before.rotated(DigestSignatures.hand(actor.peer), fresh, now, DigestSignatures.HONEST));
        }
    }

    private NetworkNamespace secret(int generation) {
        byte[] bytes = new byte[NetworkNamespace.SECRET_BYTES];
        bytes[0] = (byte) ++secrets;
        bytes[1] = (byte) (secrets >>> 8);
        bytes[2] = (byte) random.nextInt();
        return NetworkNamespace.closed(HOME, generation, bytes);
    }

    private void cut(int parts) {
        if (now >= TROUBLE_NANOS) {
            return;
        }
        for (int i = 0; i < sides.length; i++) {
            sides[i] = random.nextInt(parts);
        }
        cutWires();
    }

    private void cutWires() {
        List.copyOf(wires).stream()
                .filter(wire -> !isReachable(wire.one, wire.other))
                .forEach(Wire::cut);
    }

    private void heal() {
        sides = new int[nodes.size()];
    }

    private void crash() {
        Node node = nodes.get(random.nextInt(nodes.size()));
        if (node.isUp() && now < TROUBLE_NANOS) {
            node.stop();
            after(random.nextLong(3 * SECOND), node::start);
        }
    }

    private void sleep() {
        Node node = nodes.get(random.nextInt(nodes.size()));
        if (node.isUp() && now < TROUBLE_NANOS) {
            node.stop();
            after(5 * SECOND + random.nextLong(25 * SECOND), node::start);
        }
    }

    private void breakWire() {
        if (!wires.isEmpty()) {
            wires.get(random.nextInt(wires.size())).cut();
        }
    }

    /** The stolen machine makes secrets of its own, with any lists and marks in their charters; before its removal, too. */
    private void issue() {
        if (thief.isEmpty()) {
            return;
        }
        PeerId self = thief.get();
        for (Wire wire : List.copyOf(wires)) {
            if (wire.one.peer.equals(self) || wire.other.peer.equals(self)) {
                Node honest = wire.one.peer.equals(self) ? wire.other : wire.one;
                RosterBook.Offer offer = forged(self, honest);
                wire.carry(honest, () -> honest.receive(wire, new RosterMessage.Secret(offer)));
            }
        }
    }

    private RosterBook.Offer forged(PeerId self, Node honest) {
        var members = honest.book().roster().members();
        members.add(self);
        var marks = new ArrayList<Bytes>();
        int leap = random.nextBoolean() ? 1 : random.nextInt(1, 60);
        switch (random.nextInt(isLight ? 4 : 5)) {
            case 0 -> members.add(INVENTED.get(random.nextInt(INVENTED.size())));
            case 1 -> {
                PeerId healthy = nodes.get(random.nextInt(nodes.size())).peer;
                marks.add(Charter.mark(
                        healthy.equals(self) || removedByOwners.contains(healthy) ? honest.peer : healthy));
            }
            case 2 -> {
                members.add(INVENTED.get(random.nextInt(INVENTED.size())));
                nodes.stream()
                        .filter(node -> node != honest && !node.peer.equals(self))
                        .forEach(node -> marks.add(Charter.mark(node.peer)));
            }
            case 3 -> {
                members.removeIf(member -> !member.equals(self) && !member.equals(honest.peer));
                if (isLight) { // machines that others granted still belong to the home, so this secret may be valid
                    members.add(INVENTED.getFirst());
                }
            }
            default -> {} // only its issuer is wrong
        }
        NetworkNamespace fresh = secret(honest.book().current().generation() + leap);
        thiefKnows.add(fresh);
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
    private void lie() {
        if (thief.isEmpty() || !removedByOwners.contains(thief.get())) {
            return;
        }
        PeerId self = thief.get();
        Signatures.Hand hand = DigestSignatures.hand(self);
        PeerId sybil = GRANTED.get(random.nextInt(GRANTED.size()));
        PeerId victim = nodes.get(random.nextInt(nodes.size())).peer;
        var entries = new ArrayList<RosterEntry>();
        RosterEntry.Grant grant = new RosterEntry.Grant(sybil, self, "s", GrantKind.PAIRED, 1, Bytes.EMPTY);
        entries.add(grant.signed(hand.sign(RosterEncoding.words(HOME, grant))));
        RosterEntry.Grant again = new RosterEntry.Grant(self, sybil, "t", GrantKind.PAIRED, 1, Bytes.EMPTY);
        entries.add(again.signed(DigestSignatures.hand(sybil).sign(RosterEncoding.words(HOME, again))));
        if (!isLight && random.nextBoolean()) { // of an unknown machine, so that each believer makes a new secret
            var unknown = new RosterEntry.Removal(DigestSignatures.peer(150), self, 1, Bytes.EMPTY);
            entries.add(unknown.signed(hand.sign(RosterEncoding.words(HOME, unknown))));
        }
        if (!victim.equals(self)) { // forged: it has no other machine's key
            PeerId author = nodes.get(random.nextInt(nodes.size())).peer;
            if (!author.equals(self) && !author.equals(victim)) {
                var forged = new RosterEntry.Removal(victim, author, 1, Bytes.EMPTY);
                entries.add(forged.signed(hand.sign(RosterEncoding.words(HOME, forged))));
            }
        }
        for (Wire wire : List.copyOf(wires)) {
            if (wire.one.peer.equals(self) || wire.other.peer.equals(self)) {
                Node honest = wire.one.peer.equals(self) ? wire.other : wire.one;
                wire.carry(honest, () -> honest.receive(wire, new RosterMessage.Page(Optional.empty(), entries)));
            }
        }
    }

    /** A node asks all that it is linked with, and commits with those that answered if they are a quorum. */
    private void propose() {
        List<Node> up = nodes.stream().filter(Node::isUp).toList();
        if (up.isEmpty()) {
            return;
        }
        Node proposer = up.get(random.nextInt(up.size()));
        SortedSet<PeerId> answered = new TreeSet<>();
        answered.add(proposer.peer);
        SortedSet<PeerId> knewBefore = new TreeSet<>();
        for (PeerId removed : removedByOwners) {
            long know = nodes.stream()
                    .filter(node -> node.isUp() && node.knows(removed))
                    .count();
            if (2 * know > nodes.size()) {
                knewBefore.add(removed);
            }
        }
        long life = proposer.life;
        for (Wire wire : List.copyOf(wires)) {
            if (!wire.rekey && (wire.one == proposer || wire.other == proposer)) {
                Node asked = wire.one == proposer ? wire.other : wire.one;
                wire.carry(asked, () -> wire.carry(proposer, () -> answered.add(asked.peer)));
            }
        }
        after(500 * MILLI, () -> {
            if (proposer.isUp() && proposer.life == life && 2 * answered.size() > nodes.size()) {
                answered.removeIf(proposer::knows); // the view change omits machines that the roster removed
                for (PeerId removed : knewBefore) {
                    require(!answered.contains(removed), "a view has " + name(removed) + " though a quorum knew");
                }
            }
        });
    }

    private void dial() {
        after(DIAL_NANOS, this::dial);
        for (Node one : nodes) {
            for (Node other : nodes) {
                if (one.index < other.index && one.isUp() && other.isUp() && isReachable(one, other)) {
                    meet(one, other);
                }
            }
        }
    }

    private void meet(Node one, Node other) {
        if (wires.stream().anyMatch(wire -> wire.one == one && wire.other == other)) {
            return;
        }
        Common here = one.common(other);
        Common there = other.common(one);
        boolean isRefused = bug != RosterBug.ADMITS_ALL
                && (Admission.refuses(one.book().roster(), one.peer, other.peer, here, false)
                                .isPresent()
                        || Admission.refuses(other.book().roster(), other.peer, one.peer, there, false)
                                .isPresent());
        if (isRefused || here == Common.NONE) {
            return;
        }
        boolean isKnown = one.knows(other.peer) || other.knows(one.peer);
        require(!isKnown, name(one.peer) + " and " + name(other.peer) + " link though one knows the other as removed");
        boolean rekey = here != Common.CURRENT;
        var wire = new Wire(one, other, rekey);
        wires.add(wire);
        if (rekey) {
            after(REKEY_NANOS, wire::cut);
        }
        wire.openNanos = now;
        Bytes proved = one.book().keyId();
        one.step(new Event.Opened(wire.at(one), rekey, proved));
        if (wires.contains(wire)) {
            other.step(new Event.Opened(wire.at(other), rekey, proved));
        }
    }

    /**
     * The stolen machine with an identity that is on no roster, and a secret that it knows. The proof of a handshake is fixed when it
     * begins; admission decides when it ends.
     */
    private void sneak() {
        after(DIAL_NANOS, this::sneak);
        for (Node node : nodes) {
            boolean isThief = thief.equals(Optional.of(node.peer));
            if (node.isUp() && !isThief && thiefKnows.contains(node.book().current()) && !node.hasGuest()) {
                Bytes proved = node.book().keyId();
                long life = node.life;
                after(random.nextLong(HANDSHAKE_NANOS_MAX), () -> {
                    boolean isRefused = Admission.refuses(node.book().roster(), node.peer, GUEST, Common.CURRENT, false)
                            .isPresent();
                    if (node.isUp() && node.life == life && !isRefused) {
                        node.greet(new LinkId(GUEST, numbers++), proved);
                    }
                });
            }
        }
    }

    private boolean isReachable(Node one, Node other) {
        return sides[one.index] == sides[other.index];
    }

    private void startLater(Node node) {
        after(random.nextLong(SECOND), node::start);
    }

    private void poll(Node node) {
        after(POLL_NANOS, () -> {
            if (node.isUp() && node.disk != node.seen) {
                node.seen = node.disk;
                node.step(new Event.Stored(node.disk));
            }
            poll(node);
        });
    }

    private void after(long nanos, Runnable what) {
        tasks.add(new Task(now + nanos, numbers++, what));
    }

    // ------------------------------------------------------------------ the rules

    private void check() {
        for (Wire wire : wires) {
            if (now - wire.openNanos < SECOND) {
                continue; // without a bug, a node closes it in the same step; a new link gets some time
            }
            require(!wire.one.knows(wire.other.peer), wire + " is open though the first knows the removal");
            require(!wire.other.knows(wire.one.peer), wire + " is open though the second knows the removal");
        }
        for (Node node : nodes) {
            if (node.isUp()) {
                node.requireLossesReported();
                for (Bytes proved : node.guests.values()) {
                    require(
                            proved.equals(node.book().keyId()),
                            name(node.peer)
                                    + " talks to a machine that is on no roster and proved a secret that was replaced");
                }
                for (PeerId invented : INVENTED) {
                    require(
                            !node.book().roster().isMember(invented),
                            name(node.peer) + " holds a machine for a member that nobody granted");
                }
                if (!thief.equals(Optional.of(node.peer))) {
                    for (Node other : nodes) {
                        require(
                                removedByOwners.contains(other.peer) || !node.knows(other.peer),
                                name(node.peer) + " holds " + name(other.peer)
                                        + " for removed, and no person did that");
                    }
                }
            }
        }
    }

    private Outcome ending() {
        List<Node> owners = nodes.stream()
                .filter(node -> !removedByOwners.contains(node.peer))
                .toList();
        int newest = owners.stream()
                .mapToInt(node -> node.disk.current().generation())
                .max()
                .orElse(1);
        var locked = new ArrayList<Node>();
        for (Node one : owners) {
            for (Node other : owners) {
                boolean differ = !one.disk.keyId().equals(other.disk.keyId());
                if (differ && one.common(other) != Common.NONE && one.isUp() && other.isUp()) {
                    require(
                            one.isTold() || other.isTold(),
                            name(one.peer) + " and " + name(other.peer) + " hold secrets "
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
        require(
                !isLight || locked.isEmpty(),
                "locked out though nobody missed two generations: "
                        + locked.stream().map(node -> name(node.peer)).toList());
        for (Node node : owners) {
            boolean hasCharter = node.disk.roster().charter().isPresent();
            boolean isNewest = node.disk.current().generation() == newest;
            if (isNewest && hasCharter && !node.isApart(owners)) {
                for (PeerId removed : removedByOwners) {
                    require(
                            untold.contains(removed) || node.disk.roster().isRemoved(removed),
                            name(node.peer) + " does not know that " + name(removed) + " was removed");
                }
                for (PeerId granted : GRANTED) {
                    require(
                            !node.disk.roster().isMember(granted),
                            name(node.peer) + " gives its secret to a machine that the removed one granted");
                }
                require(
                        thief.isEmpty()
                                || !removedByOwners.contains(thief.get())
                                || !thiefKnows.contains(node.disk.current()),
                        "the removed machine knows the secret of " + name(node.peer));
            }
        }
        int undone = (int) nodes.stream().filter(node -> node.isForgetful).count();
        return new Outcome(changes, locked.size(), undone);
    }

    private static void require(boolean holds, String why) {
        if (!holds) {
            throw new Violated(why);
        }
    }

    private String name(PeerId peer) {
        for (Node node : nodes) {
            if (node.peer.equals(peer)) {
                return "m" + (node.index + 1);
            }
        }
        return peer.shortText();
    }

    // ------------------------------------------------------------------ parts

    /** A link between two running processes; a cut loses the messages on their way. */
    private final class Wire {
        private final Node one;
        private final Node other;
        private final boolean rekey;
        private final long number = numbers++;
        private long openNanos;
        private long toOne;
        private long toOther;
        private boolean cut;

        Wire(Node one, Node other, boolean rekey) {
            this.one = one;
            this.other = other;
            this.rekey = rekey;
        }

        LinkId at(Node node) {
            return new LinkId((node == one ? other : one).peer, number);
        }

        /** Delivers messages in order, after a delay. */
        void carry(Node to, Runnable what) {
            long at = Math.max(now + MILLI + random.nextLong(30 * MILLI), (to == one ? toOne : toOther) + 1);
            if (to == one) {
                toOne = at;
            } else {
                toOther = at;
            }
            after(at - now, () -> {
                if (!cut) {
                    what.run();
                }
            });
        }

        void cut() {
            if (!cut) {
                cut = true;
                wires.remove(this);
                one.closed(at(one));
                other.closed(at(other));
            }
        }

        @Override
        public String toString() {
            return "link " + name(one.peer) + "-" + name(other.peer);
        }
    }

    /** A machine: its disk, and perhaps a running process. */
    private final class Node {
        private final PeerId peer;
        private final int index;
        private final RosterMachine machine;
        private RosterBook disk;
        private RosterBook seen;
        private Optional<State> process = Optional.empty();
        private RosterBook used;
        private String said = "";
        private final SortedSet<PeerId> known =
                new TreeSet<>(); // machines that this process knew as removed at some time
        private final SortedMap<LinkId, Bytes> guests = new TreeMap<>(); // proofs of machines that are on no roster
        private boolean isForgetful;
        private long life;
        private boolean acted;

        Node(PeerId peer, int index, RosterBook disk) {
            this.peer = peer;
            this.index = index;
            this.disk = disk;
            this.seen = disk;
            this.used = disk;
            this.machine = new RosterMachine(peer, signatures, RosterMachine.Limits.DEFAULT);
        }

        boolean isUp() {
            return process.isPresent();
        }

        /** Whether this machine, or a rejection of its links, reported that it has to be paired again. */
        boolean isApart(List<Node> owners) {
            return isTold() || owners.stream().anyMatch(other -> other != this && common(other) == Common.NONE);
        }

        boolean isTold() {
            return said.contains("pair");
        }

        boolean knows(PeerId removed) {
            return isUp() && book().roster().isRemoved(removed);
        }

        void requireLossesReported() {
            for (PeerId removed : removedByOwners) {
                if (knows(removed)) {
                    known.add(removed);
                } else if (known.contains(removed) && !removed.equals(peer)) {
                    require(
                            said.contains("the removal of " + removed.shortText())
                                    && said.contains("hearth remove " + removed.shortText()),
                            name(peer) + " holds " + name(removed)
                                    + " for a member again, of which it knew that it was removed, and tells nobody");
                    isForgetful = true;
                }
            }
        }

        boolean hasActed(PeerId other, List<Node> all) {
            return all.stream().anyMatch(node -> node.peer.equals(other) && node.acted);
        }

        /** The knowledge that decides about links. */
        RosterBook book() {
            return used;
        }

        Common common(Node other) {
            return Common.of(
                    book().keyId(),
                    book().formerKeyId(),
                    other.book().keyId(),
                    other.book().formerKeyId());
        }

        void start() {
            if (!isUp()) {
                life++;
                seen = disk;
                used = disk;
                process = Optional.of(State.of(disk));
                known.clear();
                if (kind == Kind.TWO_FOUNDERS) {
                    said = ""; // in other worlds a report stays
                }
                tick(life);
            }
        }

        boolean hasGuest() {
            return !guests.isEmpty();
        }

        void greet(LinkId link, Bytes proved) {
            guests.put(link, proved);
            step(new Event.Opened(link, false, bug == RosterBug.OLD_SECRET_STAYS ? book().keyId() : proved));
        }

        void stop() {
            guests.clear();
            process = Optional.empty();
            List.copyOf(wires).stream()
                    .filter(wire -> wire.one == this || wire.other == this)
                    .forEach(Wire::cut);
        }

        private void tick(long ofLife) {
            if (isUp() && life == ofLife) {
                step(new Event.Tick());
                long sleep = machine.sleepNanos(process.orElseThrow(), now);
                after(Math.max(MILLI, Math.min(sleep, 500 * MILLI)), () -> tick(ofLife));
            }
        }

        void closed(LinkId link) {
            if (isUp()) {
                step(new Event.Closed(link));
            }
        }

        void receive(Wire wire, RosterMessage message) {
            if (isUp()) {
                step(new Event.Received(wire.at(this), message));
            }
        }

        void step(Event event) {
            if (process.isEmpty()) {
                return;
            }
            Step<State, Effect> step = machine.step(process.get(), event, now);
            process = Optional.of(step.state());
            for (Effect effect : step.effects()) {
                carryOut(effect);
            }
        }

        private void carryOut(Effect effect) {
            switch (effect) {
                case Effect.Send(LinkId link, RosterMessage message) -> send(link, message);
                case Effect.Close(LinkId link, String _) -> {
                    if (bug != RosterBug.LINKS_STAY) {
                        guests.remove(link);
                        wire(link).ifPresent(wire -> after(0, wire::cut));
                        wire(link).ifPresent(wires::remove);
                    }
                }
                case Effect.Store(var entries, Optional<Charter> present, Optional<RosterBook.Offer> offer) ->
                    store(() -> {
                        RosterBook base = bug == RosterBug.OVERWRITE ? seen : disk;
                        return base.taking(entries, present, offer, peer, signatures);
                    });
                case Effect.Rotate(int generation) -> {
                    if (bug != RosterBug.NO_ROTATION) {
                        store(() -> disk.current().generation() == generation
                                        && disk.isRotationDue()
                                        && disk.mayRotateAlone(peer)
                                ? disk.rotated(
                                        DigestSignatures.hand(peer),
                                        secret(generation + 1),
                                        now,
                                        DigestSignatures.HONEST)
                                : disk);
                    }
                }
                case Effect.Use(RosterBook book) -> {
                    used = book;
                    if (thief.equals(Optional.of(peer))) {
                        thiefKnows.add(book.current());
                    }
                }
                case Effect.Say(String line) -> said = line;
            }
        }

        private void send(LinkId link, RosterMessage message) {
            Optional<Wire> wire = wire(link);
            if (message instanceof RosterMessage.Secret(RosterBook.Offer offer)) {
                require(
                        !knows(link.peer()),
                        name(peer) + " gives a secret to " + name(link.peer()) + ", which it knows as" + " removed");
                require(
                        offer.secret().equals(disk.current())
                                || disk.former().equals(Optional.of(offer.secret()))
                                || offer.secret().generation() < disk.current().generation(),
                        name(peer) + " gives a secret that is not on its own disk");
            }
            wire.ifPresent(open -> {
                Node to = open.one == this ? open.other : open.one;
                open.carry(to, () -> to.receive(open, message));
            });
        }

        private Optional<Wire> wire(LinkId link) {
            return wires.stream()
                    .filter(wire -> wire.number == link.number() && (wire.one == this || wire.other == this))
                    .findFirst();
        }

        /** The process may end before the write, or after it without an answer. */
        private void store(Supplier<RosterBook> change) {
            long ofLife = life;
            boolean dies = !isLight && now < TROUBLE_NANOS && random.nextInt(30) == 0;
            boolean isBefore = random.nextBoolean();
            after(random.nextLong(40 * MILLI), () -> {
                if (!isUp() || life != ofLife) {
                    return;
                }
                if (dies && isBefore) {
                    die();
                    return;
                }
                RosterBook after = change.get();
                if (bug != RosterBug.LOST_STORE) {
                    write(after);
                }
                if (dies) {
                    known.stream()
                            .filter(removed -> !disk.roster().isRemoved(removed))
                            .forEach(untold::add);
                    die();
                    return;
                }
                seen = disk;
                step(new Event.Stored(bug == RosterBug.LOST_STORE ? after : disk));
            });
        }

        private void die() {
            stop();
            after(random.nextLong(2 * SECOND), this::start);
        }

        void write(RosterBook book) {
            disk = bug == RosterBug.NO_FORMER ? new RosterBook(book.roster(), book.current(), Optional.empty()) : book;
        }
    }
}
