package io.hearth.simulation.roster;

import static io.hearth.simulation.roster.RosterHome.MILLI;
import static io.hearth.simulation.roster.RosterHome.SECOND;
import static io.hearth.simulation.roster.RosterHome.TROUBLE_NANOS;

import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Charter;
import io.hearth.identity.roster.Common;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.machine.RosterMachine;
import io.hearth.identity.roster.machine.RosterMachine.Effect;
import io.hearth.identity.roster.machine.RosterMachine.Event;
import io.hearth.identity.roster.machine.RosterMachine.LinkId;
import io.hearth.identity.roster.machine.RosterMachine.State;
import io.hearth.identity.roster.machine.RosterMessage;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/** A machine: its disk, and perhaps a running process. */
final class RosterNode {
    private final RosterHome home;
    final PeerId peer;
    final int index;
    private final RosterMachine machine;
    RosterBook disk;
    RosterBook seen;
    private Optional<State> process = Optional.empty();
    private RosterBook used;
    String said = "";
    private final SortedSet<PeerId> known = new TreeSet<>(); // machines that this process knew as removed at some time
    final SortedMap<LinkId, Bytes> guests = new TreeMap<>(); // proofs of machines that are on no roster
    boolean isForgetful;
    long life;
    boolean acted;

    RosterNode(RosterHome home, PeerId peer, int index, RosterBook disk) {
        this.home = home;
        this.peer = peer;
        this.index = index;
        this.disk = disk;
        this.seen = disk;
        this.used = disk;
        this.machine = new RosterMachine(peer, home.signatures, RosterMachine.Limits.DEFAULT);
    }

    boolean isUp() {
        return process.isPresent();
    }

    /** Whether this machine, or a rejection of its links, reported that it has to be paired again. */
    boolean isApart(List<RosterNode> owners) {
        return isTold() || owners.stream().anyMatch(other -> other != this && common(other) == Common.NONE);
    }

    boolean isTold() {
        return said.contains("pair");
    }

    boolean knows(PeerId removed) {
        return isUp() && book().roster().isRemoved(removed);
    }

    void requireLossesReported() {
        for (PeerId removed : home.removedByOwners) {
            if (knows(removed)) {
                known.add(removed);
            } else if (known.contains(removed) && !removed.equals(peer)) {
                Violated.require(
                        said.contains("the removal of " + removed.shortText())
                                && said.contains("hearth remove " + removed.shortText()),
                        home.name(peer) + " holds " + home.name(removed)
                                + " for a member again, of which it knew that it was removed, and tells nobody");
                isForgetful = true;
            }
        }
    }

    boolean hasActed(PeerId other, List<RosterNode> all) {
        return all.stream().anyMatch(node -> node.peer.equals(other) && node.acted);
    }

    /** The knowledge that decides about links. */
    RosterBook book() {
        return used;
    }

    Common common(RosterNode other) {
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
            if (home.kind == RosterHome.Kind.TWO_FOUNDERS) {
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
        step(new Event.Opened(link, false, home.bug == RosterBug.OLD_SECRET_STAYS ? book().keyId() : proved));
    }

    void stop() {
        guests.clear();
        process = Optional.empty();
        List.copyOf(home.wires).stream()
                .filter(wire -> wire.one == this || wire.other == this)
                .forEach(RosterWire::cut);
    }

    private void tick(long ofLife) {
        if (isUp() && life == ofLife) {
            step(new Event.Tick());
            long sleep = machine.sleepNanos(process.orElseThrow(), home.now);
            home.after(Math.max(MILLI, Math.min(sleep, 500 * MILLI)), () -> tick(ofLife));
        }
    }

    void closed(LinkId link) {
        if (isUp()) {
            step(new Event.Closed(link));
        }
    }

    void receive(RosterWire wire, RosterMessage message) {
        if (isUp()) {
            step(new Event.Received(wire.at(this), message));
        }
    }

    void step(Event event) {
        if (process.isEmpty()) {
            return;
        }
        Step<State, Effect> step = machine.step(process.get(), event, home.now);
        process = Optional.of(step.state());
        for (Effect effect : step.effects()) {
            carryOut(effect);
        }
    }

    void carryOut(Effect effect) {
        switch (effect) {
            case Effect.Send(LinkId link, RosterMessage message) -> send(link, message);
            case Effect.Close(LinkId link, String _) -> {
                if (home.bug != RosterBug.LINKS_STAY) {
                    guests.remove(link);
                    wire(link).ifPresent(wire -> home.after(0, wire::cut));
                    wire(link).ifPresent(home.wires::remove);
                }
            }
            case Effect.Store(var entries, Optional<Charter> present, Optional<RosterBook.Offer> offer) ->
                store(() -> {
                    RosterBook base = home.bug == RosterBug.OVERWRITE ? seen : disk;
                    return base.taking(entries, present, offer, peer, home.signatures);
                });
            case Effect.Rotate(int generation) -> {
                if (home.bug != RosterBug.NO_ROTATION) {
                    store(() -> disk.current().generation() == generation
                                    && disk.isRotationDue()
                                    && disk.mayRotateAlone(peer)
                            ? disk.rotated(
                                    DigestSignatures.hand(peer),
                                    home.secret(generation + 1),
                                    home.now,
                                    DigestSignatures.HONEST)
                            : disk);
                }
            }
            case Effect.Use(RosterBook book) -> {
                used = book;
                if (home.thief.equals(Optional.of(peer))) {
                    home.thiefKnows.add(book.current());
                }
            }
            case Effect.Say(String line) -> said = line;
        }
    }

    private void send(LinkId link, RosterMessage message) {
        Optional<RosterWire> wire = wire(link);
        if (message instanceof RosterMessage.Secret(RosterBook.Offer offer)) {
            Violated.require(
                    !knows(link.peer()),
                    home.name(peer) + " gives a secret to " + home.name(link.peer()) + ", which it knows as"
                            + " removed");
            Violated.require(
                    offer.secret().equals(disk.current())
                            || disk.former().equals(Optional.of(offer.secret()))
                            || offer.secret().generation() < disk.current().generation(),
                    home.name(peer) + " gives a secret that is not on its own disk");
        }
        wire.ifPresent(open -> {
            RosterNode to = open.one == this ? open.other : open.one;
            open.carry(to, () -> to.receive(open, message));
        });
    }

    private Optional<RosterWire> wire(LinkId link) {
        return home.wires.stream()
                .filter(wire -> wire.number == link.number() && (wire.one == this || wire.other == this))
                .findFirst();
    }

    /** The process may end before the write, or after it without an answer. */
    private void store(Supplier<RosterBook> change) {
        long ofLife = life;
        boolean dies = !home.isLight && home.now < TROUBLE_NANOS && home.random.nextInt(30) == 0;
        boolean isBefore = home.random.nextBoolean();
        home.after(home.random.nextLong(40 * MILLI), () -> {
            if (!isUp() || life != ofLife) {
                return;
            }
            if (dies && isBefore) {
                die();
                return;
            }
            RosterBook after = change.get();
            if (home.bug != RosterBug.LOST_STORE) {
                write(after);
            }
            if (dies) {
                known.stream()
                        .filter(removed -> !disk.roster().isRemoved(removed))
                        .forEach(home.untold::add);
                die();
                return;
            }
            seen = disk;
            step(new Event.Stored(home.bug == RosterBug.LOST_STORE ? after : disk));
        });
    }

    private void die() {
        stop();
        home.after(home.random.nextLong(2 * SECOND), this::start);
    }

    void write(RosterBook book) {
        disk = home.bug == RosterBug.NO_FORMER ? new RosterBook(book.roster(), book.current(), Optional.empty()) : book;
    }
}
