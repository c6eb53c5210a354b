package io.hearth.simulation.roster;

import static io.hearth.simulation.roster.RosterHome.MILLI;
import static io.hearth.simulation.roster.RosterHome.SECOND;
import static io.hearth.simulation.roster.RosterHome.TROUBLE_NANOS;

import io.hearth.core.Bytes;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Admission;
import io.hearth.identity.roster.Common;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.machine.RosterMachine.Event;
import io.hearth.simulation.roster.RosterHome.Kind;
import java.util.Optional;

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
    private static final long POLL_NANOS = 200 * MILLI;
    private static final long DIAL_NANOS = 500 * MILLI;
    private static final long REKEY_NANOS = 5 * SECOND;
    private static final long PEACE_NANOS = 60 * SECOND;

    private final RosterHome home;
    private final OwnerActions owners;
    private final Thief thief;
    private final RosterRules rules;

    /**
     * How a world ended.
     *
     * @param changes removals and new secrets by persons
     * @param locked machines that have to be paired again
     * @param undone machines that reported a removal as undone
     */
    public record Outcome(int changes, int locked, int undone) {}

    private RosterWorld(long seed, RosterBug bug, Kind kind) {
        this.home = new RosterHome(seed, bug, kind);
        this.owners = new OwnerActions(home);
        this.thief = new Thief(home);
        this.rules = new RosterRules(home);
        int count = home.sides.length;
        RosterBook bare = RosterBook.bySecret(home.secret(1));
        int here = kind == Kind.TWO_FOUNDERS ? 1 + home.random.nextInt(count - 1) : count;
        found(bare, 1, here);
        if (here < count) {
            found(bare, here + 1, count);
        }
        if (kind == Kind.ANY && home.random.nextInt(3) > 0) {
            home.thief = Optional.of(home.nodes.get(home.random.nextInt(count)).peer);
            home.thiefKnows.add(bare.current());
        }
    }

    /** The first of these machines founds the roster; each of the others is paired by an earlier one. */
    private void found(RosterBook bare, int from, int last) {
        RosterBook book = bare.founded(
                DigestSignatures.hand(DigestSignatures.peer(from)), "m" + from, from, DigestSignatures.HONEST);
        for (int number = from + 1; number <= last; number++) {
            PeerId granter = DigestSignatures.peer(from + home.random.nextInt(number - from));
            book = owners.paired(book, granter, DigestSignatures.peer(number));
        }
        for (int number = from; number <= last; number++) {
            home.nodes.add(new RosterNode(home, DigestSignatures.peer(number), number - 1, book));
        }
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
        home.nodes.forEach(this::startLater);
        home.nodes.forEach(this::poll);
        home.after(DIAL_NANOS, this::dial);
        home.after(DIAL_NANOS, thief::sneak);
        switch (home.kind) {
            case CROSSED -> owners.planCrossed();
            case TWO_FOUNDERS -> owners.planTwoFounders();
            case ANY -> planAny();
        }
        while (home.now < TROUBLE_NANOS + PEACE_NANOS) {
            home.advance();
            rules.check();
        }
        int locked = rules.end();
        int undone = (int) home.nodes.stream().filter(node -> node.isForgetful).count();
        return new Outcome(owners.changes(), locked, undone);
    }

    private void planAny() {
        if (home.isLight) { // cut, one change on each side, come together
            for (int round = 0; round < 2; round++) {
                long at = (30L * round + 2) * SECOND;
                int before = round;
                home.after(at, () -> home.cut(2));
                home.after(at + home.random.nextLong(4 * SECOND), () -> owners.change(side -> side == 0));
                if (before == 0) {
                    home.after(at + home.random.nextLong(4 * SECOND), () -> owners.change(side -> side == 1));
                }
                home.after(at + 8 * SECOND, home::heal);
            }
        } else {
            for (int i = 0; i < 12; i++) {
                home.after(home.random.nextLong(TROUBLE_NANOS), () -> home.cut(1 + home.random.nextInt(3)));
                home.after(home.random.nextLong(TROUBLE_NANOS), this::crash);
                home.after(home.random.nextLong(TROUBLE_NANOS), this::sleep);
                home.after(home.random.nextLong(TROUBLE_NANOS), this::breakWire);
            }
            int actions = 1 + home.random.nextInt(3);
            for (int i = 0; i < actions; i++) {
                home.after(home.random.nextLong(TROUBLE_NANOS), () -> owners.change(_ -> true));
            }
        }
        for (int i = 0; i < 40; i++) {
            home.after(home.random.nextLong(TROUBLE_NANOS + 30 * SECOND), rules::propose);
        }
        for (int i = 0; i < 30; i++) {
            home.after(home.random.nextLong(TROUBLE_NANOS + 30 * SECOND), thief::lie);
            home.after(home.random.nextLong(TROUBLE_NANOS + 30 * SECOND), thief::issue);
        }
        home.after(TROUBLE_NANOS, () -> {
            home.heal();
            home.nodes.forEach(node -> {
                if (!node.isUp()) {
                    node.start();
                }
            });
        });
    }

    private void crash() {
        RosterNode node = home.nodes.get(home.random.nextInt(home.nodes.size()));
        if (node.isUp() && home.now < TROUBLE_NANOS) {
            node.stop();
            home.after(home.random.nextLong(3 * SECOND), node::start);
        }
    }

    private void sleep() {
        RosterNode node = home.nodes.get(home.random.nextInt(home.nodes.size()));
        if (node.isUp() && home.now < TROUBLE_NANOS) {
            node.stop();
            home.after(5 * SECOND + home.random.nextLong(25 * SECOND), node::start);
        }
    }

    private void breakWire() {
        if (!home.wires.isEmpty()) {
            home.wires.get(home.random.nextInt(home.wires.size())).cut();
        }
    }

    private void dial() {
        home.after(DIAL_NANOS, this::dial);
        for (RosterNode one : home.nodes) {
            for (RosterNode other : home.nodes) {
                if (one.index < other.index && one.isUp() && other.isUp() && home.isReachable(one, other)) {
                    meet(one, other);
                }
            }
        }
    }

    private void meet(RosterNode one, RosterNode other) {
        if (home.wires.stream().anyMatch(wire -> wire.one == one && wire.other == other)) {
            return;
        }
        Common here = one.common(other);
        Common there = other.common(one);
        boolean isRefused = home.bug != RosterBug.ADMITS_ALL
                && (Admission.refuses(one.book().roster(), one.peer, other.peer, here, false)
                                .isPresent()
                        || Admission.refuses(other.book().roster(), other.peer, one.peer, there, false)
                                .isPresent());
        if (isRefused || here == Common.NONE) {
            return;
        }
        boolean isKnown = one.knows(other.peer) || other.knows(one.peer);
        Violated.require(
                !isKnown,
                home.name(one.peer) + " and " + home.name(other.peer) + " link though one knows the other as removed");
        boolean rekey = here != Common.CURRENT;
        var wire = new RosterWire(home, one, other, rekey);
        home.wires.add(wire);
        if (rekey) {
            home.after(REKEY_NANOS, wire::cut);
        }
        wire.openNanos = home.now;
        Bytes proved = one.book().keyId();
        one.step(new Event.Opened(wire.at(one), rekey, proved));
        if (home.wires.contains(wire)) {
            other.step(new Event.Opened(wire.at(other), rekey, proved));
        }
    }

    private void startLater(RosterNode node) {
        home.after(home.random.nextLong(SECOND), node::start);
    }

    private void poll(RosterNode node) {
        home.after(POLL_NANOS, () -> {
            if (node.isUp() && node.disk != node.seen) {
                node.seen = node.disk;
                node.step(new Event.Stored(node.disk));
            }
            poll(node);
        });
    }
}
